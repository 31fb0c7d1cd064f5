/** Elements of a picture, with text by `textContent` and places by attributes that hold numbers of ours only. */

const NAMESPACE = "http://www.w3.org/2000/svg";

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

/** A path through points. */
export function pathOf(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${rounded(x)} ${rounded(y)}`).join("");
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
