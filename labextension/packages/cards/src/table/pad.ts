/** Alignment at the decimal point: how much blank stands behind a number so that the points come below each other. */

import type { Table } from "../blocks.js";
import { tailOf } from "../number.js";

const WIDEST = 20; // a longer tail is shown as it is, and no blank is made for it

/** The blank behind each cell of a column, row by row, as classes: it is for the eye, and never a part of the text. */
export function blanksOf(table: Table, column: number): string[] {
  const tails = table.rows.map((row) => tailOf(row[column] ?? ""));
  const widest = tails.reduce((most, tail) => (tail.length <= WIDEST ? Math.max(most, tail.length) : most), 0);
  const hasPoint = tails.some((tail) => tail.length <= WIDEST && tail.startsWith("."));
  return tails.map((tail) => {
    const missing = Math.max(widest - tail.length, 0);
    const isPointMissing = tail === "" && hasPoint;
    const digits = isPointMissing ? missing - 1 : missing;
    return (isPointMissing ? " service-blank-point" : "") + (digits > 0 ? ` service-blank-${String(digits)}` : "");
  });
}
