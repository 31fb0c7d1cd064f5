/**
 * Sums and means of doubles by group, exact, in one pass over the rows.
 *
 * A value is split at places that are the same for the whole column (S. M. Rump, T. Ogita, S. Oishi, "Accurate
 * floating-point summation part I", SIAM J. Sci. Comput. 31, 2008, algorithm 3.2): each part is a multiple of one unit,
 * and so few parts are added that every sum is a whole number of units up to 2**53, which a double holds.
 *
 * Adding 1.5 * 2**(unit + 52) to a value and subtracting it again leaves the nearest multiple of 2**unit; the rest is at
 * most half of it. Let all values be below 2**most and multiples of 2**least, and 2**bits rows be added before sums are
 * moved. The units of the first parts are 2**(most + bits - 53), so the rests add up to at most 2**(most + 2 bits - 54),
 * and they are exact in units of 2**least where this is at most 2**(least + 53). That is so for most columns, and two
 * parts are enough. Where it is not there are three, and what is left below the third is added by `DoubleSum`.
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
const USUAL_STEP = 13; // the power of two of the rows that are added before sums are moved
const LEAST_STEP = 9;
const ROWS_OF_GROUP = 32; // at least, so that moving takes little time
const MOST_POWER = 800; // of the largest value: beyond it, or below its negative, a unit could overflow or be lost
const HALF = 2 ** 26; // sums that were moved are kept in halves, each a whole number far below 2**53

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
  const { step, units } = planSplit(column, grouped);
  const parts = units.map((unit) => new PartSums(count, unit));
  const left = new Left(count);
  const picked = new Float64Array(isWhole(column, grouped) ? 0 : step);
  for (let start = 0; start < grouped.rows.length; start += step) {
    const end = Math.min(start + step, grouped.rows.length);
    const values = pickValues(column, grouped, [start, end], picked, left.nulls);
    const numbers = grouped.numbers.subarray(start, end);
    const [first, second, third] = parts;
    if (first === undefined || second === undefined) leaveRows(left, column, grouped, [start, end]);
    else if (third === undefined) addPairs(values, numbers, first, second);
    else addTriples(values, numbers, [first, second, third], left);
    for (const part of parts) part.move();
  }
  const sums = Array.from({ length: count }, (_, group) => left.finish(group, parts));
  return { sums, nulls: left.nulls };
}

/** Whether all rows are added, in their order, and none of them is null. */
function isWhole({ values, nulls }: Doubles, { rows }: Grouped): boolean {
  return nulls === undefined && rows.length === values.length;
}

/** The first of some rows, and the one behind the last. */
type Span = readonly [number, number];

/** The values of some rows; for nulls, which are counted, there is zero. */
function pickValues(
  column: Doubles,
  grouped: Grouped,
  [start, end]: Span,
  picked: Float64Array,
  counts: Int32Array,
): Float64Array {
  const { values, nulls } = column;
  if (isWhole(column, grouped)) return values.subarray(start, end);
  const { rows, numbers } = grouped;
  for (let at = start; at < end; at += 1) {
    const row = rows[at] ?? 0;
    const isNull = nulls?.[row] === 1;
    picked[at - start] = isNull ? 0 : (values[row] ?? 0);
    if (!isNull) continue;
    const group = numbers[at] ?? 0;
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return picked.subarray(0, end - start);
}

/** The sums of parts that are multiples of one unit, by group. */
class PartSums {
  /** What is added to a value so that it is rounded to the unit. */
  readonly rounder: number;
  /** Sums of the rows since the last move. */
  readonly sums: Float64Array;
  readonly #unit: number;
  readonly #perUnit: number;
  readonly #upper: Float64Array;
  readonly #lower: Float64Array;

  constructor(count: number, unit: number) {
    this.rounder = 1.5 * 2 ** (unit + BITS - 1);
    this.sums = new Float64Array(count);
    this.#unit = unit;
    this.#perUnit = 2 ** -unit;
    this.#upper = new Float64Array(count);
    this.#lower = new Float64Array(count);
  }

  /** Moves the sums to whole numbers of units, in halves. */
  move(): void {
    const [from, upper, lower, perUnit] = [this.sums, this.#upper, this.#lower, this.#perUnit];
    for (let group = 0; group < from.length; group += 1) {
      const whole = (from[group] ?? 0) * perUnit;
      const top = Math.floor(whole / HALF);
      upper[group] = (upper[group] ?? 0) + top;
      lower[group] = (lower[group] ?? 0) + (whole - top * HALF);
      from[group] = 0;
    }
  }

  finish(group: number): BinarySum {
    const top = BigInt(this.#upper[group] ?? 0) * BigInt(HALF) + BigInt(this.#lower[group] ?? 0);
    return { top, power: this.#unit };
  }
}

/** Adds values in two parts of which the second loses nothing. */
function addPairs(values: Float64Array, numbers: Int32Array, { rounder, sums }: PartSums, second: PartSums): void {
  const rests = second.sums;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    const group = numbers[at] ?? 0;
    const top = rounder + value - rounder;
    sums[group] = (sums[group] ?? 0) + top;
    rests[group] = (rests[group] ?? 0) + (value - top);
  }
}

/** Adds values in three parts, and leaves what is below the third. */
function addTriples(
  values: Float64Array,
  numbers: Int32Array,
  [first, second, third]: readonly [PartSums, PartSums, PartSums],
  left: Left,
): void {
  const [high, middle, low] = [first.sums, second.sums, third.sums];
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    const group = numbers[at] ?? 0;
    const top = first.rounder + value - first.rounder;
    const rest = value - top;
    const next = second.rounder + rest - second.rounder;
    const last = rest - next;
    high[group] = (high[group] ?? 0) + top;
    middle[group] = (middle[group] ?? 0) + next;
    if (last === 0) continue;
    const part = third.rounder + last - third.rounder;
    low[group] = (low[group] ?? 0) + part;
    if (last !== part) left.add(group, last - part);
  }
}

/** Leaves all values of rows to be added one by one; their nulls are counted already. */
function leaveRows(left: Left, { values, nulls }: Doubles, grouped: Grouped, [start, end]: Span): void {
  for (let at = start; at < end; at += 1) {
    const row = grouped.rows[at] ?? 0;
    if (nulls?.[row] !== 1) left.add(grouped.numbers[at] ?? 0, values[row] ?? 0);
  }
}

const REST = new DoubleSum();

/** What is left to be added one by one, by group, and how many nulls each group has. */
class Left {
  readonly nulls: Int32Array;
  readonly #values = new Map<number, number[]>();

  constructor(count: number) {
    this.nulls = new Int32Array(count);
  }

  add(group: number, value: number): void {
    const others = this.#values.get(group);
    if (others === undefined) this.#values.set(group, [value]);
    else others.push(value);
  }

  /** The sum of a group with what was added in parts. */
  finish(group: number, parts: readonly PartSums[]): BinarySum | number {
    const others = Float64Array.from(this.#values.get(group) ?? []);
    const isFinite = REST.addAll(others);
    const rest = REST.finish();
    return isFinite ? joinSums([rest, ...parts.map((part) => part.finish(group))]) : addNonfinite(others);
  }
}

/** How values are split: the rows that are added before sums are moved, and the powers of two of the parts' units. */
interface Split {
  readonly step: number;
  /** Two if the second part loses nothing, three if something may be left, none if no splitting is exact. */
  readonly units: readonly number[];
}

function planSplit(column: Doubles, { rows, counts }: Grouped): Split {
  const extent = EXTENTS.get(column) ?? findExtent(column);
  EXTENTS.set(column, extent);
  const { most, least } = extent;
  const fewest = Math.max(LEAST_STEP, Math.ceil(Math.log2(Math.min(ROWS_OF_GROUP * counts.length, rows.length) + 1)));
  const usual = Math.max(USUAL_STEP, fewest);
  if (!(Math.abs(most) < MOST_POWER)) return { step: 2 ** usual, units: [] };
  const spare = Math.floor((2 * BITS + 1 - (most - least)) / 2);
  if (spare >= fewest) {
    const bits = Math.min(spare, usual);
    return { step: 2 ** bits, units: [most + bits - BITS, least] };
  }
  return { step: 2 ** usual, units: [1, 2, 3].map((level) => most + level * (usual - BITS) - (level - 1)) };
}

/** All values of a column are below `2**most`, and multiples of `2**least`. */
interface Extent {
  /** Not a number where a value is not finite. */
  readonly most: number;
  readonly least: number;
}

const EXTENTS = new WeakMap<Column, Extent>();
const [HIGH, LOW] = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? [1, 0] : [0, 1];

function findExtent({ values, nulls }: Doubles): Extent {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  let [most, least] = [0, Infinity]; // as exponents are written
  for (let row = 0; row < values.length; row += 1) {
    if (nulls?.[row] === 1) continue;
    const [high, low] = [words[2 * row + HIGH] ?? 0, words[2 * row + LOW] ?? 0];
    const written = (high >>> 20) & 0x7ff;
    if (written === 0x7ff) return { most: Number.NaN, least };
    const [exponent, top] = written === 0 ? [1, high & 0xfffff] : [written, (high & 0xfffff) | 0x100000];
    if ((top | low) === 0) continue;
    if (exponent > most) most = exponent;
    if (exponent < least) least = Math.min(least, exponent + (low === 0 ? 32 + countZeros(top) : countZeros(low)));
  }
  return most === 0 ? { most: 0, least: 0 } : { most: most - 1_022, least: least - 1_075 };
}

/** Counts the zeros below the lowest bit of a word that has one. */
function countZeros(word: number): number {
  return 31 - Math.clz32(word & -word);
}
