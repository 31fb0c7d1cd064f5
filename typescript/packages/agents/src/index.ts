/** Three tools for agents of the AI SDK: governed questions on structured data. */

export { createTools } from "./tools.js";
export type { AgentTool, AgentTools, AskedService, ToolOptions } from "./tools.js";
export type { ExplainResult, QueryResult, SourcesResult } from "./results.js";
