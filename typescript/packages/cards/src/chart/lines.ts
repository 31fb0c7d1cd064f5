/** Lines over dates or periods: points at their places in time, gaps where there is no value. */

import type { Say } from "../table/words.js";
import type { Group, Lines, Point } from "./data.js";
import { headingOf, partOf } from "./heading.js";
import type { Pen } from "./pen.js";
import { scaleOf, type Scale } from "./scale.js";
import { pathOf, shape } from "./svg.js";

const HEIGHT = 220;
const TOP = 34;
const BOTTOM = 26;
const GAP = 8;
const DOTTED = 40; // with more points on a line, only lone ones are dots
const LABEL_LINE = 14;

/** A point where it was drawn. */
export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly series: number;
  readonly name: string; // of the line and the point
  readonly shown: string;
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly pen: Pen;
  readonly scale: Scale;
  readonly x: (place: number) => number;
  readonly y: (place: number) => number;
}

/** Draw lines into a picture of a width; the spots are what a reader can walk over. */
export function drawLines(
  plot: Lines,
  width: number,
  pen: Pen,
  say: Say,
): { height: number; marks: SVGElement[]; spots: Spot[] } {
  const frame = frameOf(plot, width, pen);
  const drawn: SVGElement[] = [headingOf(plot.title, width / 2, pen, say), ...axes(plot, frame)];
  const part = partOf(plot, say);
  if (part !== "") drawn.push(pen.label(part, "service-chart-note", { x: width, y: 13, "text-anchor": "end" }));
  const spots: Spot[] = [];
  plot.groups.forEach((group, index) => {
    const runs = runsOf(group, index, frame);
    drawn.push(lineOf(runs, index, group.marks.length));
    spots.push(...runs.flat());
  });
  drawn.push(...names(plot, spots, frame));
  return { height: HEIGHT, marks: drawn, spots };
}

function frameOf(plot: Lines, width: number, pen: Pen): Frame {
  const points = plot.groups.flatMap((group) => group.marks);
  const values = points.flatMap(({ value }) => (value?.kind === "finite" ? [value] : []));
  const scale = scaleOf(values, false);
  const left = pen.widest(scale.ticks.map((tick) => tick.label)) + GAP;
  const series = plot.groups.map((group) => group.label ?? "");
  const right = width - Math.min(Math.max(pen.widest(series) + 2 * GAP, 2 * GAP), width * 0.3);
  const places = points.map((point) => point.place);
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = (place: number): number => left + GAP + ((place - first) / (last - first || 1)) * (right - left - GAP);
  const span = scale.high - scale.low;
  const y = (place: number): number => HEIGHT - BOTTOM - ((place - scale.low) / span) * (HEIGHT - BOTTOM - TOP);
  return { left, right, width, pen, scale, x, y };
}

function axes(plot: Lines, frame: Frame): SVGElement[] {
  const { left, right, scale, pen } = frame;
  const ticks = scale.ticks.flatMap((tick) => {
    const y = frame.y(tick.place);
    const look = tick.place === 0 ? "service-chart-zero" : "service-chart-rule";
    return [
      shape("line", look, { x1: left + GAP, x2: right, y1: y, y2: y }),
      pen.label(tick.label, "service-chart-tick", { x: left, y: y + 4, "text-anchor": "end" }),
    ];
  });
  return [...ticks, ...dates(plot, frame)];
}

/** Names of points that are there, as many as have room: no date is made up. */
function dates(plot: Lines, frame: Frame): SVGElement[] {
  const points = new Map(plot.groups.flatMap((group) => group.marks.map((point) => [point.place, point])));
  const sorted = Array.from(points.values()).toSorted((a, b) => a.place - b.place);
  const room = frame.pen.widest(sorted.map((point) => point.label)) + 2 * GAP;
  const drawn: SVGElement[] = [];
  let free = -Infinity;
  const end = frame.x(sorted.at(-1)?.place ?? 0);
  for (const point of sorted) {
    const isLast = point === sorted.at(-1);
    const x = frame.x(point.place);
    if (x < free || (!isLast && x > end - room)) continue;
    const half = frame.pen.widthOf(point.label) / 2;
    const at = Math.min(Math.max(x, half), frame.width - half);
    drawn.push(shape("line", "service-chart-mark", { x1: x, x2: x, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4 }));
    drawn.push(frame.pen.label(point.label, "service-chart-tick", { x: at, y: HEIGHT - 8, "text-anchor": "middle" }));
    free = x + room;
  }
  return drawn;
}

/** The points of a line, in runs between which there is a gap. */
function runsOf(group: Group<Point>, series: number, frame: Frame): Spot[][] {
  const runs: Spot[][] = [[]];
  for (const point of group.marks) {
    if (point.value?.kind !== "finite") {
      runs.push([]);
      continue;
    }
    const name = group.label === null ? point.label : `${group.label} · ${point.label}`;
    const { shown } = point;
    runs.at(-1)?.push({ x: frame.x(point.place), y: frame.y(frame.scale.place(point.value)), series, name, shown });
  }
  return runs.filter((run) => run.length > 0);
}

function lineOf(runs: readonly Spot[][], series: number, points: number): SVGElement {
  const line = shape("g", `service-series service-series-${String(series + 1)}`);
  for (const run of runs) {
    if (run.length > 1) {
      const path = shape("path", "service-chart-line");
      path.setAttribute("d", pathOf(run.map(({ x, y }) => [x, y])));
      line.append(path);
    }
    if (run.length > 1 && points > DOTTED) continue;
    line.append(...run.map(({ x, y }) => shape("circle", "service-chart-dot", { cx: x, cy: y, r: 2.5 })));
  }
  return line;
}

/** The name of each line at its end, none above another. */
function names(plot: Lines, spots: readonly Spot[], frame: Frame): SVGElement[] {
  const ends = plot.groups.flatMap(({ label: name }, series) => {
    const last = spots.findLast((spot) => spot.series === series);
    return name === null || last === undefined ? [] : [{ name, series, y: last.y }];
  });
  let free = -Infinity;
  return ends
    .toSorted((a, b) => a.y - b.y)
    .map(({ name, series, y }) => {
      const at = Math.max(y + 4, free);
      free = at + LABEL_LINE;
      const look = `service-chart-name service-series-${String(series + 1)}`;
      return frame.pen.label(name, look, { x: frame.right + GAP, y: at }, frame.width - frame.right - GAP);
    });
}
