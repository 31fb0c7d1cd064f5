/** Rows of a table that are written out cell by cell, when somebody looks at them. */

import type { Rows, Table } from "../blocks.js";

/** The rows that a table holds as texts. */
export function heldRows({ rows, exact }: Pick<Table, "rows" | "exact">): Rows {
  return {
    size: rows.length,
    exact: (row, column) => exact[row]?.[column] ?? null,
    shown: (row, column) => rows[row]?.[column] ?? "",
  };
}

/** All rows that are at hand: those of the whole answer where the card holds it, else those that it shows. */
export function rowsAtHand(table: Table): Rows {
  const held = heldRows(table);
  const text = table.recorded?.text;
  if (text === undefined || held.size >= (table.total ?? 0)) return held;
  const all = table.recorded?.read(text) ?? null;
  // What a card shows first is what its rows begin with. If it is not, the verdict says so, and what is shown stays.
  return all !== null && all.size === table.total && beginsWith(all, table) ? all : held;
}

function beginsWith(rows: Rows, { heads, exact }: Table): boolean {
  return exact.every((cells, row) => heads.every((_, column) => (cells[column] ?? null) === rows.exact(row, column)));
}

/** A table of some of the rows in an order of their own, all of them written out. */
export function writtenOut(table: Table, rows: Rows, order: ArrayLike<number>): Table {
  const write = <Cell>(cell: (row: number, column: number) => Cell): Cell[][] =>
    Array.from(order, (row) => table.heads.map((_, column) => cell(row, column)));
  return { ...table, rows: write(rows.shown), exact: write(rows.exact) };
}

/** The rows as they were answered. */
export function asAnswered({ size }: Rows): Uint32Array {
  return Uint32Array.from({ length: size }, (_, row) => row);
}
