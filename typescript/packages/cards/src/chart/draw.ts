/** Draws a chart, again whenever its width changes, so that text is never scaled. */

import type { Table } from "../blocks.js";
import type { Say } from "../table/words.js";
import { drawBars } from "./bars.js";
import { plotOf, type Plot } from "./data.js";
import { drawLines } from "./lines.js";
import { penOf } from "./pen.js";
import { explore, type Drawn } from "./pointer.js";
import { nameOf, summaryOf } from "./summary.js";
import { shape } from "./svg.js";

const WIDTH = 640; // until the page says how much room there is
const WIDEST = 720;
const NARROWEST = 240;

/** The chart, or null where one would say nothing that the table does not. */
export function draw(table: Table, say: Say): SVGSVGElement | null {
  const plot = plotOf(table);
  if (plot === null) return null;
  const svg = shape("svg", `service-drawing service-drawing-${plot.kind}`);
  const name = nameOf(plot, say);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  const description = shape("desc", "");
  description.textContent = summaryOf(plot, say);
  let drawn = drawAt(svg, plot, WIDTH, say);
  svg.prepend(description);
  if (plot.kind === "lines") explore(svg, () => drawn, name);
  let isLaidOut = false;
  whenResized(svg, (width) => {
    // What was drawn before it was on a page knew neither its width nor its font.
    if (isLaidOut && width === drawn.width) return;
    isLaidOut = true;
    drawn = drawAt(svg, plot, width, say);
    svg.prepend(description);
  });
  return svg;
}

function drawAt(svg: SVGSVGElement, plot: Plot, width: number, say: Say): Drawn {
  const pen = penOf(svg);
  const { height, marks, spots } =
    plot.kind === "bars" ? { ...drawBars(plot, width, pen, say), spots: [] } : drawLines(plot, width, pen, say);
  svg.setAttribute("viewBox", `0 0 ${String(width)} ${String(Math.ceil(height))}`);
  svg.replaceChildren(...marks);
  return { spots, width, pen };
}

function whenResized(svg: SVGSVGElement, redraw: (width: number) => void): void {
  if (typeof ResizeObserver === "undefined") return;
  const observer = new ResizeObserver((entries) => {
    const width = Math.floor(entries.at(-1)?.contentRect.width ?? 0);
    if (width > 0) redraw(Math.min(Math.max(width, NARROWEST), WIDEST));
  });
  observer.observe(svg);
}
