/** The order of rows by a column: exact texts by what they mean, nulls last, equals in the order of the answer. */

import type { Table } from "../blocks.js";
import { compareParts, partsOf, type Odd, type Parts } from "../number.js";

/** How a column is sorted; `none` is the order in which the rows were answered. */
export type Direction = "ascending" | "descending" | "none";

type Key =
  | { readonly kind: "null" }
  | { readonly kind: "number"; readonly parts: Parts | Odd }
  | { readonly kind: "text"; readonly text: string };

const RANKS = { number: 0, text: 1, null: 2 } as const;
const NEXT: Readonly<Record<Direction, Direction>> = {
  none: "ascending",
  ascending: "descending",
  descending: "none",
};

/** The direction that one press more asks for. */
export function nextDirection(direction: Direction): Direction {
  return NEXT[direction];
}

/** The indices of the rows in the order asked for. */
export function orderBy(table: Table, column: number, direction: Direction): number[] {
  const indices = Array.from(table.exact.keys());
  if (direction === "none") return indices;
  const isNumeric = table.heads[column]?.type === "number";
  const keys = table.exact.map((row) => keyOf(row[column] ?? null, isNumeric));
  const sign = direction === "ascending" ? 1 : -1;
  // Sorting is stable, so equal cells stay as they were answered.
  return indices.sort((a, b) => compareKeys(keys[a], keys[b], sign));
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

function keyOf(cell: string | null, isNumeric: boolean): Key {
  if (cell === null) return { kind: "null" };
  const parts = isNumeric ? partsOf(cell) : null;
  return parts === null ? { kind: "text", text: cell } : { kind: "number", parts };
}

function compareKeys(a: Key | undefined, b: Key | undefined, sign: 1 | -1): number {
  if (a === undefined || b === undefined) return 0;
  if (a.kind === "number" && b.kind === "number") return sign * compareParts(a.parts, b.parts);
  if (a.kind === "text" && b.kind === "text") return sign * compareTexts(a.text, b.text);
  return RANKS[a.kind] - RANKS[b.kind];
}

/** Halves of surrogate pairs stand for characters beyond all others. */
function pointOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
