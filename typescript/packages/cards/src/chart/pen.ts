/** Text in a picture: as wide as the font of the page makes it, and shortened where there is no room for it. */

import { clip } from "../visible.js";
import { shape, type Attributes } from "./svg.js";

const LETTER = 7; // about the width of a letter, where nothing is laid out
const STRONG = 1.12; // a heading is wider than the same text in the weight that is measured
const SLACK = 1.02; // between how a canvas and a picture set the same text

/** What writes into one picture. */
export interface Pen {
  /** How wide a text is. */
  widthOf(text: string): number;
  /** The same in the weight of headings. */
  strong(text: string): number;
  /** The width of the widest of some texts. */
  widest(texts: readonly string[]): number;
  /** The text, or as much of its beginning as there is room for. */
  fit(text: string, room: number): string;
  /** A text at a place; where it is shortened, a pointer finds the whole of it. */
  label(text: string, className: string, attributes: Attributes, room?: number): SVGElement;
}

/** A pen with the font that a picture has on its page. */
export function penOf(picture: SVGElement): Pen {
  const widthOf = measureOf(picture);
  return {
    widthOf,
    strong: (text) => widthOf(text) * STRONG,
    widest: (texts) => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0),
    fit: (text, room) => fitting(text, room, widthOf),
    label: (text, className, attributes, room = Infinity) => {
      const element = shape("text", className, attributes);
      element.textContent = fitting(text, room, widthOf);
      return element.textContent === text ? element : titled(element, text);
    },
  };
}

function measureOf(picture: SVGElement): (text: string) => number {
  const canvas = typeof OffscreenCanvas === "undefined" || !picture.isConnected ? null : new OffscreenCanvas(1, 1);
  const context = canvas?.getContext("2d") ?? null;
  if (context === null) return (text) => text.length * LETTER;
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(picture);
  context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  // A canvas does not know that here all digits are as wide as a zero.
  return (text) => context.measureText(text.replace(/[0-9]/g, "0")).width * SLACK;
}

function fitting(text: string, room: number, widthOf: (text: string) => number): string {
  if (widthOf(text) <= room) return text;
  let [fits, exceeds] = [2, text.length + 1];
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (widthOf(clip(text, middle)) <= room) fits = middle;
    else exceeds = middle;
  }
  return clip(text, fits);
}

function titled(element: SVGTextElement, text: string): SVGGElement {
  const [group, title] = [shape("g", ""), shape("title", "")];
  title.textContent = text;
  group.append(title, element);
  return group;
}
