/**
 * Sums and means of doubles by group, exact, in one pass over the rows.
 *
 * A value is split at places that are the same for the whole column (S. M. Rump, T. Ogita, S. Oishi, "Accurate
 * floating-point summation part I", SIAM J. Sci. Comput. 31, 2008, algorithm 3.2): each part is a multiple of one unit,
 * and there are so few of them that their sum is exact. What is left below the last place is added by `DoubleSum`.
 */

import { type AskedMeasure } from "../query/types.js";
import { type Column } from "../values/columns.js";
import { addNonfinite, type Computed, type Rows } from "./measures.js";
import { type BinarySum, DoubleSum, joinSums, powerToRatio, roundRatio } from "./exact.js";
import { type Held } from "./values.js";

/** Rows by the numbers of their groups, in the order in which rows meet them. */
export interface Grouped {
  readonly rows: Rows;
  readonly numbers: Int32Array;
  readonly keys: readonly (readonly Held[])[];
  /** How many rows each group has. */
  readonly counts: Int32Array;
}

type Doubles = Column & { readonly kind: "float64" };

const BITS = 53;
const LEAST_STEP = 8_192; // rows that are added before sums are moved
const ROWS_OF_GROUP = 256; // at least, so that moving takes little time
const MOST_POWER = 900; // beyond it, or below its negative, a place could overflow or lose bits

/** Whether a measure is made of the sum of a group alone. */
export function isTotal({ aggregation }: AskedMeasure): boolean {
  return aggregation === "sum" || aggregation === "avg";
}

/** Computes the sum or the mean of each group, rounded once. */
export function computeTotals({ aggregation }: AskedMeasure, column: Doubles, grouped: Grouped): readonly Computed[] {
  const { sums, nulls } = addByGroup(column, grouped);
  return Array.from(grouped.counts, (rows, group) => {
    const left = nulls[group] ?? 0;
    const sum = sums[group] ?? 0;
    if (rows === left) return { value: null, nulls: left };
    if (typeof sum === "number") return { value: sum, nulls: left };
    const [top, bottom] = powerToRatio(sum);
    return { value: roundRatio(top, aggregation === "avg" ? bottom * BigInt(rows - left) : bottom), nulls: left };
  });
}

/** The sum of each group: exact, or what IEEE 754 makes of values that are not finite. */
interface Sums {
  readonly sums: readonly (BinarySum | number)[];
  readonly nulls: Int32Array;
}

function addByGroup(column: Doubles, grouped: Grouped): Sums {
  const count = grouped.counts.length;
  const step = Math.min(Math.max(LEAST_STEP, ROWS_OF_GROUP * count), grouped.rows.length);
  const places = findPlaces(column, step);
  const work: Work = {
    parts: places.map(() => new Float64Array(count)),
    totals: places.map(() => Array.from({ length: count }, () => 0n)),
    left: new Map<number, number[]>(),
    nulls: new Int32Array(count),
  };
  for (let start = 0; start < grouped.rows.length; start += step) {
    const span = [start, Math.min(start + step, grouped.rows.length)] as const;
    if (places.length === 0) leaveRows(work, column, grouped, span);
    else addRows(work, column, grouped, span, places);
    for (const [level, place] of places.entries()) moveParts(work, level, place);
  }
  const sums = Array.from({ length: count }, (_, group) => {
    const others = Float64Array.from(work.left.get(group) ?? []);
    const isFinite = REST.addAll(others);
    const rest = REST.finish();
    if (!isFinite) return addNonfinite(others);
    const parts = places.map((place, level) => ({ top: work.totals[level]?.[group] ?? 0n, power: place - BITS }));
    return joinSums([rest, ...parts]);
  });
  return { sums, nulls: work.nulls };
}

/** The first of some rows, and the one behind the last. */
type Span = readonly [number, number];

/** What one pass keeps of each group. */
interface Work {
  /** Sums of parts at each place, in doubles: of so few rows that nothing is lost. */
  readonly parts: readonly Float64Array[];
  /** Sums of parts at each place, in units of the place. */
  readonly totals: readonly bigint[][];
  /** What is left of values below the last place. */
  readonly left: Map<number, number[]>;
  readonly nulls: Int32Array;
}

function addRows(work: Work, column: Doubles, grouped: Grouped, [start, end]: Span, places: Places): void {
  const [first, second, third] = places.map((power) => 2 ** power);
  const [high, middle, low] = work.parts;
  if (first === undefined || second === undefined || third === undefined) return;
  if (high === undefined || middle === undefined || low === undefined) return;
  const { rows, numbers } = grouped;
  const { values, nulls } = column;
  const isWhole = rows.length === values.length; // and row `at` is the row of that number
  const picked = isWhole ? values.subarray(start, end) : Float64Array.from(rows.subarray(start, end), (row) => values[row] ?? 0); // prettier-ignore
  for (let at = start; at < end; at += 1) {
    const group = numbers[at] ?? 0;
    if (nulls?.[rows[at] ?? 0] === 1) {
      work.nulls[group] = (work.nulls[group] ?? 0) + 1;
      continue;
    }
    const value = picked[at - start] ?? 0;
    const top = first + value - first;
    const rest = value - top;
    const next = second + rest - second;
    const last = rest - next;
    high[group] = (high[group] ?? 0) + top;
    middle[group] = (middle[group] ?? 0) + next;
    if (last !== 0) {
      const part = third + last - third;
      low[group] = (low[group] ?? 0) + part;
      if (last !== part) leave(work, group, last - part);
    }
  }
}

/** Leaves all values of rows to be added one by one. */
function leaveRows(work: Work, { values, nulls }: Doubles, grouped: Grouped, [start, end]: Span): void {
  for (let at = start; at < end; at += 1) {
    const [row, group] = [grouped.rows[at] ?? 0, grouped.numbers[at] ?? 0];
    if (nulls?.[row] === 1) work.nulls[group] = (work.nulls[group] ?? 0) + 1;
    else leave(work, group, values[row] ?? 0);
  }
}

function leave({ left }: Work, group: number, value: number): void {
  const others = left.get(group);
  if (others === undefined) left.set(group, [value]);
  else others.push(value);
}

/** Moves the sums of one place from doubles to whole numbers. */
function moveParts({ parts, totals }: Work, level: number, place: number): void {
  const [from, to] = [parts[level], totals[level]];
  if (from === undefined || to === undefined) return;
  for (let group = 0; group < from.length; group += 1) {
    const part = from[group] ?? 0;
    if (part === 0) continue;
    to[group] = (to[group] ?? 0n) + BigInt(part * 2 ** (BITS - place));
    from[group] = 0;
  }
}

const REST = new DoubleSum();
const LARGEST = new WeakMap<Column, number>();

/** The powers of two at which values are split, from the highest; none where no splitting is exact. */
type Places = readonly number[];

/** Finds the places for a column, of which so many rows are added before their sums are moved. */
function findPlaces(column: Doubles, step: number): Places {
  const largest = LARGEST.get(column) ?? findLargest(column);
  LARGEST.set(column, largest);
  const power = largest === 0 ? 0 : Math.ceil(Math.log2(largest)) + 1;
  if (!(Math.abs(power) < MOST_POWER)) return [];
  const spare = Math.ceil(Math.log2(step + 2)) + 1;
  return [0, 1, 2].map((level) => power + spare - level * (BITS - spare));
}

function findLargest({ values, nulls }: Doubles): number {
  let largest = 0;
  for (let row = 0; row < values.length; row += 1) {
    if (nulls?.[row] === 1) continue;
    const size = Math.abs(values[row] ?? 0);
    if (Number.isNaN(size)) return size;
    if (size > largest) largest = size;
  }
  return largest;
}
