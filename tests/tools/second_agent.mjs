// The tools of agents in TypeScript over standard streams: sources, a policy and calls in, the result of each call out.

import { createService } from "../../typescript/packages/client/dist/index.js";
import { createTools } from "../../typescript/packages/agents/dist/index.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;
const { sources, policy, calls } = JSON.parse(text);
const service = createService({ policy: policy ?? undefined });
for (const { name, data, types } of sources)
  await service.connect(new Uint8Array(Buffer.from(data, "base64")), { name, ...(types && { types }) });
const tools = createTools(service);
const results = [];
for (const [name, input] of calls) results.push(await tools[name].execute(input));
process.stdout.write(JSON.stringify(results));
