/** Elements of a picture, with text by `textContent` and places by attributes that hold numbers of ours only. */

import { clip } from "../visible.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const LETTER = 7; // about the width of a letter at the size of labels

/** Attributes: places and sizes, and words of ours. */
export type Attributes = Readonly<Record<string, number | "end" | "middle">>;

/** An element of a class at a place. */
export function shape<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  className: string,
  attributes: Attributes = {},
): SVGElementTagNameMap[Name] {
  const element = globalThis.document.createElementNS(NAMESPACE, name);
  if (className) element.setAttribute("class", className);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, typeof value === "number" ? rounded(value) : value);
  }
  return element;
}

/** A text at a place, cut where there is no room for it. */
export function label(text: string, className: string, attributes: Attributes, room = Infinity): SVGTextElement {
  const element = shape("text", className, attributes);
  element.textContent = room === Infinity ? text : clip(text, Math.max(Math.floor(room / LETTER), 2));
  return element;
}

/** About how wide a text is. */
export function widthOf(text: string): number {
  return text.length * LETTER;
}

/** The width of the widest of some texts. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);
}

/** A path through points. */
export function pathOf(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${rounded(x)} ${rounded(y)}`).join("");
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
