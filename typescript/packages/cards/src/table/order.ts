/** The order of rows by a column: exact texts by what they mean, nulls last, equals in the order of the answer. */

import type { Rows } from "../blocks.js";
import { compareParts, isNumber, partsOf } from "../number.js";
import { asAnswered } from "./rows.js";

/** How a column is sorted; `none` is the order in which the rows were answered. */
export type Direction = "ascending" | "descending" | "none";

/** The cells of a column as what sorts them. `near` has the doubles nearest to its numbers, NaN where there is none. */
interface Keys {
  readonly texts: readonly (string | null)[];
  readonly near: Float64Array;
  readonly numbers: readonly number[]; // rows
  readonly others: readonly number[]; // rows of texts that are no numbers
  readonly nulls: readonly number[]; // rows
}

const NEXT: Readonly<Record<Direction, Direction>> = {
  none: "ascending",
  ascending: "descending",
  descending: "none",
};

/** The direction that one press more asks for. */
export function nextDirection(direction: Direction): Direction {
  return NEXT[direction];
}

/** The rows of a table by one column or another; what sorts a column is written out once. */
export class Ordering {
  readonly #rows: Rows;
  readonly #keys = new Map<number, Keys>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** The rows in the order asked for; a column that is numeric is compared by its values. */
  by(column: number, isNumeric: boolean, direction: Direction): Uint32Array {
    if (direction === "none") return asAnswered(this.#rows);
    const keys = this.#keys.get(column) ?? readKeys(this.#rows, column, isNumeric);
    this.#keys.set(column, keys);
    const sign = direction === "ascending" ? 1 : -1;
    // Sorting is stable, so equal cells stay as they were answered.
    const numbers = Uint32Array.from(keys.numbers).sort((a, b) => sign * compareNumbers(keys, a, b));
    const compare = keys.others.some((row) => SURROGATE.test(keys.texts[row] ?? "")) ? compareTexts : compareUnits;
    const others = Uint32Array.from(keys.others).sort(
      (a, b) => sign * compare(keys.texts[a] ?? "", keys.texts[b] ?? ""),
    );
    return joined(numbers, others, keys.nulls);
  }
}

const SURROGATE = /[\ud800-\udfff]/;

function joined(...parts: readonly ArrayLike<number>[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function readKeys(rows: Rows, column: number, isNumeric: boolean): Keys {
  const texts: (string | null)[] = [];
  const near = new Float64Array(rows.size);
  const [numbers, others, nulls]: [number[], number[], number[]] = [[], [], []];
  for (let row = 0; row < rows.size; row += 1) {
    const text = rows.exact(row, column);
    texts.push(text);
    if (text === null) nulls.push(row);
    else if (!isNumeric || !isNumber(text)) others.push(row);
    else {
      near[row] = Number(text);
      numbers.push(row);
    }
  }
  return { texts, near, numbers, others, nulls };
}

/** To round keeps the order, so that numbers are as their doubles are, and only equal doubles are looked at digit by digit. */
function compareNumbers({ texts, near }: Keys, a: number, b: number): number {
  const [left = NaN, right = NaN] = [near[a], near[b]];
  if (left < right) return -1;
  if (left > right) return 1;
  const [one, other] = [texts[a] ?? "", texts[b] ?? ""];
  if (one === other) return 0;
  const [parts, others] = [partsOf(one), partsOf(other)];
  return parts === null || others === null ? 0 : compareParts(parts, others);
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compare texts by their code points, as data bases do, and not by UTF-16. */
export function compareTexts(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at += 1) {
    const difference = pointOrder(a.charCodeAt(at)) - pointOrder(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs stand for characters beyond all others. */
function pointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
