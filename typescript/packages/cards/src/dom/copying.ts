import type { CardEnvironment } from "../environment.js";
import { told } from "../table/words.js";
import { button, element } from "./element.js";
import { icon } from "./icon.js";

/** The environment of one shown card, with a line in which it tells what came of a press. */
export interface Desk {
  readonly environment: CardEnvironment;
  readonly readout: HTMLElement;
}

/** Copies a text and tells what came of it. `what` stands in the sentence: "Copied: the result hash". */
export function copy({ environment, readout }: Desk, text: string, what: string): void {
  const say = (sentence: string): string => environment.say(sentence);
  environment.copy(text).then(
    () => {
      readout.textContent = told(say, "Copied: %1", what);
    },
    (error: unknown) => {
      readout.textContent = told(say, "Not copied: %1", error instanceof Error ? error.message : String(error));
    },
  );
}

/** A small button that copies; the text is asked for when it is pressed. */
export function copyIcon(desk: Desk, text: () => string, what: string): HTMLButtonElement {
  const made = button("service-copy-icon", "", () => {
    copy(desk, text(), what);
  });
  made.setAttribute(
    "aria-label",
    told((sentence) => desk.environment.say(sentence), "Copy %1", what),
  );
  made.append(icon("copy"));
  return made;
}

/** The line in which a card tells what came of a press. */
export function readout(): HTMLElement {
  const made = element("span", "service-said");
  made.setAttribute("role", "status");
  return made;
}
