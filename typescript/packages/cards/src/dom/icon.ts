import type { Tone } from "../blocks.js";

export type IconName = Tone | "passed" | "failed" | "open" | "pending" | "copy" | "check";

const SVG = "http://www.w3.org/2000/svg";

// On a grid of 16; strokes in the colour of the text.
const PATHS: Readonly<Record<IconName, string>> = {
  answered: "M8 8v.1",
  unclear: "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12zM6.2 6.4a1.8 1.8 0 1 1 2.7 1.6c-.6.4-.9.7-.9 1.3M8 11.4v.1",
  rejected: "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12zM3.8 3.8l8.4 8.4",
  error: "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4",
  source: "M8 2l6 6l-6 6l-6-6z",
  verified: "M8 1.8l5.2 1.9v4c0 3.2-2.2 5.4-5.2 6.5c-3-1.1-5.2-3.3-5.2-6.5v-4zM5.6 8l1.8 1.8l3.2-3.4",
  passed: "M8 1.8l5.2 1.9v4c0 3.2-2.2 5.4-5.2 6.5c-3-1.1-5.2-3.3-5.2-6.5v-4zM5.6 8l1.8 1.8l3.2-3.4",
  failed: "M5.4 1.8h5.2l3.6 3.6v5.2l-3.6 3.6H5.4l-3.6-3.6V5.4zM8 4.8v3.8M8 11.1v.1",
  open: "M3.5 4.1a6 6 0 0 1 2.4-1.7M9.9 2.3a6 6 0 0 1 2.6 1.8M13.9 7a6 6 0 0 1-.4 3M11.6 12.8a6 6 0 0 1-3 1.2M5.5 13.4a6 6 0 0 1-2.5-2.1M2.1 9a6 6 0 0 1 .2-2.6M5.5 8h5",
  pending: "M8 2a6 6 0 1 1-6 6",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  check: "M3 8.5l3.2 3.2L13 4.8",
};

/** A sign beside a word that says the same. */
export function icon(name: IconName): SVGSVGElement {
  const drawn = globalThis.document.createElementNS(SVG, "svg");
  drawn.setAttribute("class", `service-icon service-icon-${name}`);
  drawn.setAttribute("viewBox", "0 0 16 16");
  drawn.setAttribute("aria-hidden", "true");
  const path = globalThis.document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawn.append(path);
  return drawn;
}
