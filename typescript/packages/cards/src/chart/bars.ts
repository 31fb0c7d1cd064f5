/** Horizontal bars on a line at zero, each with its name and its exact value. */

import type { Parts } from "../number.js";
import type { Say } from "../table/words.js";
import type { Bars, Mark, Title } from "./data.js";
import { headingOf, partOf } from "./heading.js";
import type { Pen } from "./pen.js";
import { scaleOf, type Scale } from "./scale.js";
import { shape } from "./svg.js";

const ROW = 22;
const LINE = 14; // of a name or a value above its bar
const BAR = 12;
const HEAD = 26;
const GAP = 6;
const NARROW = 420; // below, names stand above their bars
const SHORTEST = 96; // the room below which bars say nothing any more
const NAMES = 0.34; // of the width, at most

// Names and values beside the bars; names above them; or both, where values are long. No value is ever shortened.
type Layout = "beside" | "above" | "apart";

interface Room {
  readonly layout: Layout;
  readonly names: number; // the width of the column of names
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly pen: Pen;
}

interface Frame extends Room {
  readonly scale: Scale;
  readonly x: (place: number) => number;
  readonly zero: number;
}

/** Draw bars into a picture of a width, and return its height. */
export function drawBars(plot: Bars, width: number, pen: Pen, say: Say): { height: number; marks: SVGElement[] } {
  const frame = frameOf(plot, width, pen);
  const part = partOf(plot, say);
  const head = part === "" ? 0 : ROW;
  const drawn: SVGElement[] = part === "" ? [] : [pen.label(part, "service-chart-note", { x: 0, y: 13 })];
  drawn.push(
    ...(frame.layout === "beside"
      ? columnHeads(plot.title, frame, head)
      : [headingOf(plot.title, width, pen, say, head)]),
  );
  let y = head + HEAD;
  for (const group of plot.groups) {
    if (group.label !== null) {
      drawn.push(pen.label(group.label, "service-chart-group", { x: 0, y: y + ROW - 7 }, width * 0.9));
      y += ROW;
    }
    const top = y;
    for (const mark of group.marks) {
      drawn.push(...barOf(mark, y, frame));
      y += ROW + above(frame.layout);
    }
    // Names that stand above their bars are not crossed.
    if (frame.layout === "beside") drawn.push(zeroLine(frame, top, y));
    y += group.label === null ? 0 : GAP;
  }
  return { height: y + 4, marks: drawn };
}

function above(layout: Layout): number {
  switch (layout) {
    case "beside":
      return 0;
    case "above":
      return LINE;
    case "apart":
      return 2 * LINE;
  }
}

function frameOf(plot: Bars, width: number, pen: Pen): Frame {
  const marks = plot.groups.flatMap((group) => group.marks);
  const finite = marks.flatMap(({ value }) => (value?.kind === "finite" ? [value] : []));
  const scale = scaleOf(finite, true);
  const layouts: readonly Layout[] = width < NARROW ? ["above"] : ["beside", "above"];
  const rooms = layouts.map((layout) => roomOf(layout, marks, plot.title, width, pen));
  const room = rooms.find(({ from, to }) => to - from >= SHORTEST) ?? {
    ...{ layout: "apart" as const, names: 0, from: 0, to: width, width, pen },
  };
  const { from, to } = room;
  const x = (place: number): number => from + ((place - scale.low) / (scale.high - scale.low)) * (to - from);
  return { ...room, scale, x, zero: x(0) };
}

function roomOf(layout: Layout, marks: readonly Mark[], title: Title, width: number, pen: Pen): Room {
  const texts = [title.key, ...marks.map((mark) => mark.label)];
  const names = layout === "beside" ? Math.min(pen.widest(texts), width * NAMES) + 2 * GAP : 0;
  const below = marks.filter((mark) => mark.value?.kind === "finite" && mark.value.sign < 0);
  const others = marks.filter((mark) => !below.includes(mark));
  const from = names + (below.length > 0 ? pen.widest(below.map(({ shown }) => shown)) + GAP : 0);
  const to = width - (others.length > 0 ? pen.widest(others.map(({ shown }) => shown)) + GAP : 0);
  return { layout, names, from, to, width, pen };
}

/** The key above the names, the metric above the line at zero or as near to it as there is room. */
function columnHeads({ key, metric }: Title, { names, zero, width, pen }: Frame, top: number): SVGElement[] {
  const column = names - 2 * GAP;
  const at = Math.min(zero, Math.max(width - pen.strong(metric), names));
  const room = (width - at) / (pen.strong("m") / pen.widthOf("m"));
  return [
    pen.label(key, "service-chart-key", { x: column, y: top + 13, "text-anchor": "end" }, column),
    pen.label(metric, "service-chart-metric", { x: at, y: top + 13 }, room),
  ];
}

function zeroLine({ zero }: Frame, from: number, to: number): SVGElement {
  return shape("line", "service-chart-zero", { x1: zero, x2: zero, y1: from, y2: to });
}

function barOf(mark: Mark, top: number, frame: Frame): SVGElement[] {
  const y = top + above(frame.layout);
  const drawn = [nameOf(mark, top, frame)];
  if (frame.layout !== "beside") drawn.push(zeroLine(frame, y + 2, y + ROW - 2));
  const { value } = mark;
  if (value?.kind === "finite") drawn.push(rectangle(value, y, frame));
  drawn.push(valueOf(mark, y, frame));
  return drawn;
}

function nameOf({ label }: Mark, top: number, { layout, names, width, pen }: Frame): SVGElement {
  if (layout !== "beside") return pen.label(label, "service-chart-label", { x: 0, y: top + 12 }, width);
  const column = names - 2 * GAP;
  return pen.label(label, "service-chart-label", { x: column, y: top + 15, "text-anchor": "end" }, column);
}

function rectangle(value: Parts, y: number, { scale, x, zero }: Frame): SVGElement {
  const end = x(scale.place(value));
  // However small a value is beside the others, it is not nothing.
  const width = value.sign === 0 ? 0 : Math.max(Math.abs(end - zero), 0.8);
  const [left, top] = [Math.min(end, zero), y + (ROW - BAR) / 2];
  return shape("rect", "service-chart-bar", { x: left, y: top, width, height: BAR });
}

function valueOf({ value, shown }: Mark, y: number, { layout, scale, x, zero, pen }: Frame): SVGElement {
  const isFinite = value?.kind === "finite";
  const look = isFinite ? "service-chart-value" : "service-chart-none";
  if (layout === "apart") return pen.label(shown, look, { x: 0, y: y - 2 });
  const end = isFinite ? x(scale.place(value)) : zero;
  if (isFinite && value.sign < 0) {
    return pen.label(shown, look, { x: Math.min(end, zero) - GAP, y: y + 15, "text-anchor": "end" });
  }
  return pen.label(shown, look, { x: Math.max(end, zero) + GAP, y: y + 15 });
}
