import { element } from "./element.js";

/** Details that are folded, and built when they are first opened. */
export function disclosure(name: string, label: string, fill: (box: HTMLElement) => void): HTMLDetailsElement {
  const box = element("div", `${name}-body`);
  const made = element("details", name, element("summary", "service-button", label), box);
  const open = (): void => {
    if (!made.open) return;
    made.removeEventListener("toggle", open);
    fill(box);
  };
  made.addEventListener("toggle", open);
  return made;
}
