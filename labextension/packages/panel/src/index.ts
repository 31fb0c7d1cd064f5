export { askForm } from "./ask-form.js";

export type { Action, Form, FormOptions, OpenForm } from "./form.js";
