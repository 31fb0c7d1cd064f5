export { checkFaces } from "./compare.js";
export { checkOutputs } from "./outputs.js";
