/** Lines over dates or periods: points at their places in time, gaps where there is no value. */

import { told, type Say } from "../table/words.js";
import type { Group, Lines, Point } from "./data.js";
import { scaleOf, type Scale } from "./scale.js";
import { label, pathOf, shape, widest, widthOf } from "./svg.js";

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
  readonly text: string;
}

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly scale: Scale;
  readonly x: (place: number) => number;
  readonly y: (place: number) => number;
}

/** Draw lines into a picture of a width; the spots are what a reader can walk over. */
export function drawLines(
  plot: Lines,
  width: number,
  say: Say,
): { height: number; marks: SVGElement[]; spots: Spot[] } {
  const frame = frameOf(plot, width);
  const drawn: SVGElement[] = [heading(plot, width, say), ...axes(plot, frame)];
  const spots: Spot[] = [];
  plot.groups.forEach((group, index) => {
    const runs = runsOf(group, index, frame);
    drawn.push(lineOf(runs, index, group.marks.length));
    spots.push(...runs.flat());
  });
  drawn.push(...names(plot, spots, frame));
  return { height: HEIGHT, marks: drawn, spots };
}

function frameOf(plot: Lines, width: number): Frame {
  const points = plot.groups.flatMap((group) => group.marks);
  const values = points.flatMap(({ value }) => (value?.kind === "finite" ? [value] : []));
  const scale = scaleOf(values, false);
  const left = widest(scale.ticks.map((tick) => tick.label)) + GAP;
  const series = plot.groups.map((group) => group.label ?? "");
  const right = width - Math.min(Math.max(widest(series) + 2 * GAP, 2 * GAP), width * 0.3);
  const places = points.map((point) => point.place);
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = (place: number): number => left + GAP + ((place - first) / (last - first || 1)) * (right - left - GAP);
  const span = scale.high - scale.low;
  const y = (place: number): number => HEIGHT - BOTTOM - ((place - scale.low) / span) * (HEIGHT - BOTTOM - TOP);
  return { left, right, width, scale, x, y };
}

/** What is measured, by what; the right half of the line is left to the point that is looked at. */
function heading({ title }: Lines, width: number, say: Say): SVGElement {
  const head = label(title.metric, "service-chart-metric", { x: 0, y: 13 }, width / 2);
  const by = shape("tspan", "service-chart-by");
  by.textContent = ` ${told(say, "by %1", title.key)}`;
  if (widthOf(`${title.metric} ${by.textContent}`) < width / 2) head.append(by);
  return head;
}

function axes(plot: Lines, frame: Frame): SVGElement[] {
  const { left, right, scale } = frame;
  const ticks = scale.ticks.flatMap((tick) => {
    const y = frame.y(tick.place);
    const look = tick.place === 0 ? "service-chart-zero" : "service-chart-rule";
    return [
      shape("line", look, { x1: left + GAP, x2: right, y1: y, y2: y }),
      label(tick.label, "service-chart-tick", { x: left, y: y + 4, "text-anchor": "end" }),
    ];
  });
  return [...ticks, ...dates(plot, frame)];
}

/** Names of points that are there, as many as have room: no date is made up. */
function dates(plot: Lines, frame: Frame): SVGElement[] {
  const points = new Map(plot.groups.flatMap((group) => group.marks.map((point) => [point.place, point])));
  const sorted = Array.from(points.values()).toSorted((a, b) => a.place - b.place);
  const room = widest(sorted.map((point) => point.label)) + 2 * GAP;
  const drawn: SVGElement[] = [];
  let free = -Infinity;
  const end = frame.x(sorted.at(-1)?.place ?? 0);
  for (const point of sorted) {
    const isLast = point === sorted.at(-1);
    const x = frame.x(point.place);
    if (x < free || (!isLast && x > end - room)) continue;
    const half = widthOf(point.label) / 2;
    const at = Math.min(Math.max(x, half), frame.width - half);
    drawn.push(shape("line", "service-chart-mark", { x1: x, x2: x, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4 }));
    drawn.push(label(point.label, "service-chart-tick", { x: at, y: HEIGHT - 8, "text-anchor": "middle" }));
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
    const text = [group.label, point.label, point.shown].filter((part) => part !== null).join(" · ");
    runs.at(-1)?.push({ x: frame.x(point.place), y: frame.y(frame.scale.place(point.value)), series, text });
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
      return label(name, look, { x: frame.right + GAP, y: at }, frame.width - frame.right);
    });
}
