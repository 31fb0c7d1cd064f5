export { askForm } from "./ask-form.js";
export { computeForm } from "./compute-form.js";

export type { Action, Form, FormOptions, OpenForm } from "./form.js";
