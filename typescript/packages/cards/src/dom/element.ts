import { clip, visible } from "../visible.js";

const MOST_CHARS = 2_000; // of one text; who wants the rest copies it

/** An element with a class, and texts or elements in it. Texts are only ever text. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  name: string,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = globalThis.document.createElement(tag);
  if (name !== "") made.className = name;
  made.append(...inside);
  return made;
}

/** Text of a card as a reader may see it: nothing hidden, nothing obeyed, and no megabytes. */
export function shown(text: string): string {
  const most = text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
  return visible(most);
}

/** As `shown`, in a line of a title. */
export function shortened(text: string, cells: number): string {
  return clip(visible(text.slice(0, MOST_CHARS)), cells);
}

/** An element that holds text of a card, in whatever direction that text runs. */
export function data<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  name: string,
  text: string,
): HTMLElementTagNameMap[Tag] {
  const made = element(tag, name, shown(text));
  made.dir = "auto";
  return made;
}

/** A button with a word on it. */
export function button(name: string, label: string, press: () => void): HTMLButtonElement {
  const made = element("button", name, label);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}
