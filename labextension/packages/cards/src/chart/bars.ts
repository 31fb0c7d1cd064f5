/** Horizontal bars on a line at zero, each with its name and its exact value. */

import { whole } from "../format.js";
import type { Parts } from "../number.js";
import { told, type Say } from "../table/words.js";
import type { Bars, Mark } from "./data.js";
import { scaleOf, type Scale } from "./scale.js";
import { label, shape, widest, widthOf } from "./svg.js";

const ROW = 22;
const BAR = 12;
const HEAD = 26;
const GAP = 6;
const NARROW = 420; // below, names stand above their bars

interface Room {
  readonly isNarrow: boolean;
  readonly names: number; // the width of the column of names
  readonly x: (place: number) => number;
  readonly zero: number;
  readonly width: number;
}

/** Draw bars into a picture of a width, and return its height. */
export function drawBars(plot: Bars, width: number, say: Say): { height: number; marks: SVGElement[] } {
  const marks = plot.groups.flatMap((group) => group.marks);
  const scale = scaleOf(
    marks.flatMap(({ value }) => (value?.kind === "finite" ? [value] : [])),
    true,
  );
  const room = roomOf(marks, scale, width);
  const drawn: SVGElement[] = [heading(plot, room)];
  let y = HEAD;
  for (const group of plot.groups) {
    if (group.label !== null) {
      drawn.push(label(group.label, "service-chart-group", { x: 0, y: y + ROW - 7 }, width));
      y += ROW;
    }
    const top = y;
    for (const mark of group.marks) {
      drawn.push(...barOf(mark, y, scale, room));
      y += room.isNarrow ? ROW + 14 : ROW;
    }
    // Names that stand above their bars are not crossed.
    if (!room.isNarrow) drawn.push(zeroLine(room, top, y));
    y += group.label === null ? 0 : GAP;
  }
  if (plot.left > 0) {
    drawn.push(label(leftOut(plot.left, say), "service-chart-note", { x: room.isNarrow ? 0 : room.zero, y: y + 16 }));
    y += ROW;
  }
  return { height: y + 4, marks: drawn };
}

function leftOut(rows: number, say: Say): string {
  return told(say, rows === 1 ? "1 row more is in the table" : "%1 rows more are in the table", whole(rows));
}

function roomOf(marks: readonly Mark[], scale: Scale, width: number): Room {
  const isNarrow = width < NARROW;
  const names = isNarrow ? 0 : Math.min(widest(marks.map((mark) => mark.label)), width * 0.34) + 2 * GAP;
  const below = marks.filter((mark) => mark.value?.kind === "finite" && mark.value.sign < 0);
  const above = marks.filter((mark) => !below.includes(mark));
  const from = names + (below.length > 0 ? widest(below.map(({ shown }) => shown)) + GAP : 0);
  const to = Math.max(width - widest(above.map(({ shown }) => shown)) - GAP, from + 40);
  const x = (place: number): number => from + ((place - scale.low) / (scale.high - scale.low)) * (to - from);
  return { isNarrow, names, x, zero: x(0), width };
}

function heading({ title }: Bars, room: Room): SVGElement {
  const head = shape("g", "");
  const at = Math.min(room.isNarrow ? 0 : room.zero, Math.max(room.width - widthOf(title.metric), 0));
  if (at > 60)
    head.append(
      label(title.key, "service-chart-key", { x: room.names - 2 * GAP, y: 13, "text-anchor": "end" }, at - 12),
    );
  head.append(label(title.metric, "service-chart-metric", { x: at, y: 13 }, room.width - at));
  return head;
}

function zeroLine(room: Room, from: number, to: number): SVGElement {
  return shape("line", "service-chart-zero", { x1: room.zero, x2: room.zero, y1: from, y2: to });
}

function barOf(mark: Mark, top: number, scale: Scale, room: Room): SVGElement[] {
  const name = room.isNarrow
    ? label(mark.label, "service-chart-label", { x: 0, y: top + 12 }, room.width)
    : label(
        mark.label,
        "service-chart-label",
        { x: room.names - 2 * GAP, y: top + 15, "text-anchor": "end" },
        room.names - 2 * GAP + 4,
      );
  const y = room.isNarrow ? top + 14 : top;
  const beside = room.isNarrow ? [name, zeroLine(room, y + 2, y + ROW - 2)] : [name];
  if (mark.value?.kind !== "finite") {
    return [...beside, label(mark.shown, "service-chart-none", { x: room.zero + GAP, y: y + 15 })];
  }
  return [...beside, ...valueOf(mark.value, mark.shown, y, scale, room)];
}

function valueOf(value: Parts, shown: string, y: number, scale: Scale, room: Room): SVGElement[] {
  const end = room.x(scale.place(value));
  const x = Math.min(end, room.zero);
  // However small a value is beside the others, it is not nothing.
  const width = value.sign === 0 ? 0 : Math.max(Math.abs(end - room.zero), 0.8);
  const bar = shape("rect", "service-chart-bar", { x, y: y + (ROW - BAR) / 2, width, height: BAR });
  const text =
    value.sign < 0
      ? label(shown, "service-chart-value", { x: x - GAP, y: y + 15, "text-anchor": "end" })
      : label(shown, "service-chart-value", { x: Math.max(end, room.zero) + GAP, y: y + 15 });
  return [bar, text];
}
