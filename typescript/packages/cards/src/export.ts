export { csvText } from "./table/csv.js";
export { markdownText } from "./table/markdown.js";
