/** Aggregates of the values of a group: exact, and rounded once where the result is a double. */

import { type AggregationName, type AskedMeasure } from "../query/types.js";
import { type Column, describePhysical, findScale } from "../values/columns.js";
import { DoubleSum, powerToRatio, roundRatio, roundRoot, splitDouble, toRatio } from "./exact.js";
import { compareHeld, type Held } from "./values.js";

/** The rows of one group: a part of all rows, ordered by group. */
export type Rows = Int32Array;

/** A result, and how many nulls it leaves out. */
export interface Computed {
  readonly value: Held;
  readonly nulls: number;
}

const COUNTED = "exact: nothing is rounded";
const HALF = [1n, 2n] as const;

/** Builds the function that computes a measure of a group's rows. */
export function buildMeasure(measure: AskedMeasure, column: Column): (rows: Rows) => Computed {
  const share = measure.percent === undefined ? HALF : ([measure.percent.units, 100n * 10n ** BigInt(measure.percent.scale)] as const); // prettier-ignore
  const read = buildValues(column);
  const compute = chooseCompute(measure.aggregation, column, share);
  return (rows) => {
    const present = read(rows);
    const empty = measure.aggregation === "count" || measure.aggregation === "count_distinct" ? 0n : null;
    return { value: present.length === 0 ? empty : compute(present), nulls: rows.length - present.length };
  };
}

/** The values of a group that are not null. */
type Present = Float64Array | readonly Exclude<Held, null>[];

function buildValues(column: Column): (rows: Rows) => Present {
  if (column.kind === "float64") return (rows) => readDoubles(column, rows);
  return (rows) => {
    const found: Exclude<Held, null>[] = [];
    for (const row of rows) {
      const value = column.values[row] ?? null;
      if (value === null || (column.kind !== "string" && column.nulls?.[row] === 1)) continue;
      found.push(column.kind === "boolean" ? value === 1 : value);
    }
    return found;
  };
}

function readDoubles(column: Column & { readonly kind: "float64" }, rows: Rows): Float64Array {
  const found = new Float64Array(rows.length);
  let count = 0;
  for (const row of rows) {
    if (column.nulls?.[row] === 1) continue;
    found[count] = column.values[row] ?? 0;
    count += 1;
  }
  return found.subarray(0, count);
}

type Share = readonly [bigint, bigint];

function chooseCompute(aggregation: AggregationName, column: Column, share: Share): (present: Present) => Held {
  const scale = findScale(describePhysical(column)) ?? 0;
  switch (aggregation) {
    case "count":
      return (present) => BigInt(present.length);
    case "count_distinct":
      return (present) => BigInt(new Set<Held>(present as Iterable<Held>).size);
    case "min":
      return (present) => findExtreme(present, -1);
    case "max":
      return (present) => findExtreme(present, 1);
    case "sum":
      return buildTotal((top, bottom) => roundRatio(top, bottom));
    case "avg":
      return (present) => {
        const count = BigInt(present.length);
        const total = buildTotal((top, bottom) => roundRatio(top, bottom * count))(present);
        return typeof total === "bigint" ? roundRatio(total, 10n ** BigInt(scale) * count) : total;
      };
    case "median":
    case "percentile":
      return (present) => interpolate(present, share, 10n ** BigInt(scale));
    case "variance":
    case "stddev":
      return (present) => spread(present, 10n ** BigInt(scale), aggregation === "stddev" ? roundRoot : roundRatio);
  }
}

function findExtreme(present: Present, side: number): Held {
  let found: Exclude<Held, null> | undefined;
  for (const value of present as Iterable<Exclude<Held, null>>) {
    if (typeof value === "number" && Number.isNaN(value)) return value;
    if (found === undefined || compareHeld(value, found) * side > 0) found = value;
  }
  return found === 0 ? 0 : (found ?? null);
}

const SUM = new DoubleSum();

/** Adds values exactly: doubles become one ratio that is finished, whole numbers and units stay what they are. */
function buildTotal(finish: (top: bigint, bottom: bigint) => number): (present: Present) => Held {
  return (present) => {
    if (!(present instanceof Float64Array)) return addWhole(present as readonly bigint[]);
    const isFinite = SUM.addAll(present);
    const [top, bottom] = powerToRatio(SUM.finish());
    return isFinite ? finish(top, bottom) : addNonfinite(present);
  };
}

/** The sum of values of which one is not finite, by IEEE 754. */
export function addNonfinite(values: Float64Array): number {
  return values.filter((value) => !Number.isFinite(value)).reduce((sum, value) => sum + value, 0);
}

const SMALL = 2n ** 52n;

/** Adds small whole numbers as doubles, as long as their sum is one exactly. */
function addWhole(values: readonly bigint[]): bigint {
  let total = 0n;
  let part = 0;
  for (const value of values) {
    if (value > -SMALL && value < SMALL) {
      const next = part + Number(value);
      if (Number.isSafeInteger(next)) part = next;
      else [total, part] = [total + BigInt(part), Number(value)];
    } else total += value;
  }
  return total + BigInt(part);
}

/** The value at a share of the order, between two neighbours linearly, rounded once; never -0. */
function interpolate(present: Present, [shareTop, shareBottom]: Share, unit: bigint): number {
  if (present instanceof Float64Array) {
    if (present.some((value) => Number.isNaN(value))) return Number.NaN;
    const ordered = present.slice().sort();
    return between(ordered.length, [shareTop, shareBottom], (at) => ordered[at] ?? 0, toRatio);
  }
  const ordered = BigIntSorter.sort(present as readonly bigint[]);
  return between(
    ordered.length,
    [shareTop, shareBottom],
    (at) => ordered[at] ?? 0n,
    (value) => [value, unit],
  );
}

const BigIntSorter = {
  sort: (values: readonly bigint[]): bigint[] =>
    [...values].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0)),
};

function between<V extends number | bigint>(
  count: number,
  [shareTop, shareBottom]: Share,
  get: (at: number) => V,
  split: (value: V) => readonly [bigint, bigint],
): number {
  const place = BigInt(count - 1) * shareTop;
  const at = Number(place / shareBottom);
  const part = place % shareBottom;
  const [low, high] = [get(at), get(part === 0n ? at : at + 1)];
  if (typeof low === "number" && typeof high === "number" && !(Number.isFinite(low) && Number.isFinite(high)))
    return low + high;
  const [lowTop, lowBottom] = split(low);
  const [highTop, highBottom] = split(high);
  const top = lowTop * highBottom * (shareBottom - part) + highTop * lowBottom * part;
  return roundRatio(top, lowBottom * highBottom * shareBottom);
}

/** The sample variance, or its root: null of fewer than two values, NaN where one is not finite. */
function spread(present: Present, unit: bigint, finish: (top: bigint, bottom: bigint) => number): Held {
  const count = BigInt(present.length);
  if (count < 2n) return null;
  if (!(present instanceof Float64Array)) {
    const values = present as readonly bigint[];
    const total = addWhole(values);
    const squares = values.reduce((sum, value) => sum + value * value, 0n);
    return finish(count * squares - total * total, unit * unit * count * (count - 1n));
  }
  if (!present.every((value) => Number.isFinite(value))) return Number.NaN;
  const parts = Array.from(present, splitDouble);
  const least = parts.reduce((power, part) => (part.top === 0n ? power : Math.min(power, part.power)), 1_024);
  let [total, squares] = [0n, 0n];
  for (const { top, power } of parts) {
    const value = top === 0n ? 0n : top << BigInt(power - least);
    total += value;
    squares += value * value;
  }
  const [scaleTop, scaleBottom] = powerToRatio({ top: 1n, power: 2 * least });
  return finish((count * squares - total * total) * scaleTop, scaleBottom * count * (count - 1n));
}

/** How the result of a measure is kept exact, as cards say it. */
export function describeMethod({ aggregation, metric }: AskedMeasure, physical: string): string {
  if (metric === undefined) return COUNTED;
  switch (aggregation) {
    case "median":
      return "exact middle values, their mean rounded once";
    case "percentile":
      return "exact neighbours, interpolated and rounded once";
    case "variance":
    case "stddev":
      return "exact sums of values and squares, rounded once";
    case "sum":
    case "avg":
      return `exact sum${physical === "float64" || aggregation === "avg" ? ", rounded once" : ""}`;
    default:
      return COUNTED;
  }
}
