/** Columns of numbers straight from the characters of their cells; whatever is unusual is left to the rules of texts. */

import { type Column } from "../values/columns.js";
import { type Cells, type Units } from "./cells.js";

const [ZERO, NINE, MINUS, POINT, QUOTE] = [48, 57, 45, 46, 34];
const MOST_SHORT = 15; // digits that every double holds
const MOST_DIGITS = 19; // so that two doubles hold the number
const MOST_POWER = 22; // of ten that is a double
const POWERS = Float64Array.from({ length: MOST_POWER + 1 }, (_, power) => Number(`1e${String(power)}`));
const SPLITTER = 2 ** 27 + 1;
const BEYOND = 1 + 2 ** -40; // far more than the error of a quotient of two doubles, in units of its last place
const WORD = 2 ** 32;
const IS_LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** What one cell holds: a plain number, nothing, or something else. */
type Held = "number" | "nothing" | "other";

/** Reads numbers of one cell after the other; of each its digits and its places. */
export class NumberScanner {
  readonly units: Units;
  isNegative = false;
  head = 0; // the first digits, at most 15
  tail = 0; // those behind them
  digits = 0; // without leading zeros
  places = 0; // behind the point
  hasPoint = false;

  constructor(units: Units) {
    this.units = units;
  }

  /** Reads the number between two places: `-?(0|[1-9]\d*)(\.\d*)?` or `-?\.\d+`, of at most 19 digits. */
  read(from: number, to: number): Held {
    const { units } = this;
    let [at, end] = [from, to];
    if (at === end) return "nothing";
    if (units[at] === QUOTE) {
      at += 1;
      end -= 1;
      if (at === end) return "nothing";
    }
    this.isNegative = units[at] === MINUS;
    if (this.isNegative) at += 1;
    const start = at;
    let [head, tail, digits] = [0, 0, 0];
    let point = -1;
    for (; at < end; at += 1) {
      const unit = units[at] ?? 0;
      if (unit >= ZERO && unit <= NINE) {
        if (digits < MOST_SHORT) head = head * 10 + (unit - ZERO);
        else tail = tail * 10 + (unit - ZERO);
        if (digits > 0 || unit !== ZERO) digits += 1;
      } else if (unit === POINT && point < 0) point = at;
      else return "other";
    }
    const whole = (point < 0 ? end : point) - start;
    const isWritten = whole > 0 ? units[start] !== ZERO || whole === 1 : point >= 0 && end > point + 1;
    if (!isWritten || digits > MOST_DIGITS) return "other";
    this.head = head;
    this.tail = tail;
    this.digits = digits;
    this.hasPoint = point >= 0;
    this.places = point < 0 ? 0 : end - point - 1;
    return "number";
  }

  /** The nearest double of what was read; undefined where the shortcuts cannot tell. */
  findDouble(): number | undefined {
    const { head, tail, places } = this;
    if (places > MOST_POWER) return undefined;
    const power = POWERS[places] ?? 1;
    const size = this.digits <= MOST_SHORT ? head / power : divide(head, this.digits - MOST_SHORT, tail, power);
    return this.isNegative && size !== undefined ? -size : size;
  }
}

/**
 * The double nearest to (head * 10**more + tail) / power: a quotient in two doubles, whose sum is rounded once.
 *
 * Undefined where the quotient is so near to the middle of two doubles that its error could decide.
 */
function divide(head: number, more: number, tail: number, power: number): number | undefined {
  const factor = POWERS[more] ?? 1;
  const product = head * factor;
  const high = product + tail;
  const rest = multiplyRest(head, factor, product) + (tail - (high - product));
  const quotient = high / power;
  const back = quotient * power;
  const left = high - back - multiplyRest(quotient, power, back) + rest;
  const second = left / power;
  const sum = quotient + second;
  const error = second - (sum - quotient);
  return sum + error * BEYOND === sum ? sum : undefined;
}

/** What a product of two doubles has beyond its rounded one. */
function multiplyRest(one: number, other: number, product: number): number {
  const [a, b] = [SPLITTER * one, SPLITTER * other];
  const oneHigh = a - (a - one);
  const otherHigh = b - (b - other);
  const [oneLow, otherLow] = [one - oneHigh, other - otherHigh];
  return oneHigh * otherHigh - product + oneHigh * otherLow + oneLow * otherHigh + oneLow * otherLow;
}

/** Marks of nulls that are made with the first one. */
class NullMarks {
  marks: Uint8Array | undefined;
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  mark(row: number): void {
    this.marks ??= new Uint8Array(this.#size);
    this.marks[row] = 1;
  }
}

/** Reads a column of doubles; undefined where none is finite, or a cell that is unusual is no double. */
export function readDoubles(
  cells: Cells,
  column: number,
  readOther: (text: string) => number | undefined,
): Column | undefined {
  const { places, width, rowCount } = cells;
  const scanner = new NumberScanner(cells.units);
  const values = new Float64Array(rowCount);
  const nulls = new NullMarks(rowCount);
  let hasFinite = false;
  for (let row = 0, at = 2 * column; row < rowCount; row += 1, at += 2 * width) {
    const held = scanner.read(places[at] ?? 0, places[at + 1] ?? 0);
    if (held === "nothing") {
      nulls.mark(row);
      continue;
    }
    const found = held === "number" ? scanner.findDouble() : undefined;
    const value = found ?? readOther(cells.readText(row, column) ?? "");
    if (value === undefined) return undefined;
    values[row] = value;
    hasFinite ||= Number.isFinite(value);
  }
  return hasFinite ? { kind: "float64", values, nulls: nulls.marks } : undefined;
}

/** Reads a column of whole numbers of at most 15 digits; undefined where there are others. */
export function readWhole(cells: Cells, column: number): Column | undefined {
  const found = readUnits(cells, column, undefined);
  return found && { kind: "int64", ...found };
}

/** Reads a column of decimals with exactly that many places, of at most 15 digits; undefined where there are others. */
export function readFixed(cells: Cells, column: number, precision: number, scale: number): Column | undefined {
  const found = readUnits(cells, column, scale);
  return found && { kind: "decimal", ...found, precision, scale };
}

interface UnitColumn {
  readonly values: BigInt64Array;
  readonly nulls: Uint8Array | undefined;
}

function readUnits(cells: Cells, column: number, scale: number | undefined): UnitColumn | undefined {
  if (!IS_LITTLE) return undefined;
  const { places, width, rowCount } = cells;
  const scanner = new NumberScanner(cells.units);
  const values = new BigInt64Array(rowCount);
  const words = new Uint32Array(values.buffer); // a bigint for each row would have to be made, and collected
  const nulls = new NullMarks(rowCount);
  for (let row = 0, at = 2 * column; row < rowCount; row += 1, at += 2 * width) {
    const held = scanner.read(places[at] ?? 0, places[at + 1] ?? 0);
    if (held === "nothing") {
      nulls.mark(row);
      continue;
    }
    if (held === "other" || scanner.digits > MOST_SHORT) return undefined;
    if (scale === undefined ? scanner.hasPoint : !scanner.hasPoint || scanner.places !== scale) return undefined;
    writeWords(words, 2 * row, scanner.head, scanner.isNegative);
  }
  return { values, nulls: nulls.marks };
}

/** Writes a whole number below 2**53 as 64 bits in two's complement. */
function writeWords(words: Uint32Array, at: number, size: number, isNegative: boolean): void {
  const high = Math.floor(size / WORD);
  const low = size - high * WORD;
  words[at] = isNegative ? -low : low;
  words[at + 1] = isNegative ? ~high + (low === 0 ? 1 : 0) : high;
}
