import { LOOK_ATTRIBUTE } from "./allowed.js";
import type { Command } from "./blocks.js";
import { blockElements, commandElements } from "./dom/blocks.js";
import { readout } from "./dom/copying.js";
import { element } from "./dom/element.js";
import type { CardEnvironment } from "./environment.js";

/** Lines to run, as an output of a notebook has them: what they are for, the lines, and a word more. */
export interface Lines {
  readonly says: string;
  readonly title: string;
  readonly lines: readonly Command[];
  readonly more: string;
}

/** Shows lines to run, each with a button. They are no evidence, so there is no verdict. */
export function linesElement({ says, title, lines, more }: Lines, environment: CardEnvironment): HTMLElement {
  const desk = { environment, readout: readout() };
  const root = element("section", "service-card service-source service-lines-to-run");
  root.setAttribute(LOOK_ATTRIBUTE, "");
  root.setAttribute("role", "group"); // no landmark: a page has many
  root.setAttribute("aria-label", environment.say("Lines to run"));
  if (says !== "") root.append(...blockElements({ block: "sentence", text: says, role: "message" }, desk));
  root.append(...commandElements({ block: "commands", title, commands: lines }, desk, true));
  if (more !== "") root.append(...blockElements({ block: "sentence", text: more, role: "hint" }, desk));
  root.append(desk.readout);
  return root;
}
