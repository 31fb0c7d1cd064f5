/** Walking over the points of a line chart, by keyboard and by pointer; the exact value is told for each. */

import type { Spot } from "./lines.js";
import type { Pen } from "./pen.js";
import { shape } from "./svg.js";

const VEIL = 8; // beside the text that it keeps apart from the heading

/** What was drawn last. */
export interface Drawn {
  readonly spots: readonly Spot[];
  readonly width: number;
  readonly pen: Pen;
}

/** Let a reader walk over a picture; it is asked for again after it was redrawn. */
export function explore(svg: SVGSVGElement, drawn: () => Drawn, name: string): void {
  let current = -1;
  const show = (index: number): void => {
    current = index;
    const { spots, width, pen } = drawn();
    svg.querySelector(".service-chart-cursor")?.remove();
    const spot = spots[index];
    svg.setAttribute("aria-label", spot === undefined ? name : `${spot.name} · ${spot.shown}. ${name}`);
    if (spot !== undefined) svg.append(cursorOf(spot, width, pen));
  };
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.shiftKey || event.ctrlKey) return;
    const next = target(drawn().spots, current, event.key);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    show(next);
  });
  svg.addEventListener("pointermove", (event) => {
    const { spots, width } = drawn();
    const box = svg.getBoundingClientRect();
    const unit = width / (box.width || width);
    show(nearest(spots, (event.clientX - box.left) * unit, (event.clientY - box.top) * unit));
  });
  svg.addEventListener("pointerleave", () => {
    show(-1);
  });
  svg.addEventListener("focusout", () => {
    show(-1);
  });
}

/** A ring at the point, and what it is at the right; a name gives way to its value, the heading to both. */
function cursorOf(spot: Spot, width: number, pen: Pen): SVGGElement {
  const cursor = shape("g", `service-chart-cursor service-series-${String(spot.series + 1)}`);
  const value = ` · ${spot.shown}`;
  const name = pen.fit(spot.name, width - pen.widthOf(value));
  const told = pen.widthOf(name + value);
  cursor.append(
    shape("circle", "service-chart-ring", { cx: spot.x, cy: spot.y, r: 5 }),
    shape("rect", "service-chart-veil", { x: width - told - VEIL, y: 0, width: told + VEIL, height: 18 }),
    pen.label(name + value, "service-chart-exact", { x: width, y: 13, "text-anchor": "end" }),
  );
  return cursor;
}

function target(spots: readonly Spot[], current: number, key: string): number | undefined {
  const spot = spots[current];
  const last = spots.length - 1;
  switch (key) {
    case "ArrowRight":
      return Math.min(current + 1, last);
    case "ArrowLeft":
      return spot === undefined ? last : Math.max(current - 1, 0);
    case "ArrowUp":
    case "ArrowDown":
      return spot === undefined ? 0 : beside(spots, current, spot, key === "ArrowUp" ? -1 : 1);
    case "Home":
      return 0;
    case "End":
      return last;
    case "Escape":
      return spot === undefined ? undefined : -1;
    default:
      return undefined;
  }
}

/** The point of the line before or behind that is nearest in time. */
function beside(spots: readonly Spot[], current: number, from: Spot, step: 1 | -1): number {
  const series = Array.from(spots.entries()).filter(([, spot]) => spot.series === from.series + step);
  const [first, ...others] = series;
  if (first === undefined) return current;
  const distance = ([, spot]: [number, Spot]): number => Math.abs(spot.x - from.x);
  return others.reduce((best, each) => (distance(each) < distance(best) ? each : best), first)[0];
}

function nearest(spots: readonly Spot[], x: number, y: number): number {
  let best = -1;
  let least = Infinity;
  spots.forEach((spot, index) => {
    const distance = (spot.x - x) ** 2 * 4 + (spot.y - y) ** 2;
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}
