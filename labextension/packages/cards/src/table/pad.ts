/** Alignment at the decimal point: how much blank stands behind a number so that the points come below each other. */

import type { Table } from "../blocks.js";
import { tailOf } from "../number.js";

const FIGURE_SPACE = "\u2007"; // as wide as a digit
const POINT_SPACE = "\u2008"; // as wide as a point
const WIDEST = 20; // a longer tail is shown as it is, and no blank is made for it

/** The blank behind each cell of a column, row by row. It is for the eye, and never a part of the text. */
export function padsOf(table: Table, column: number): string[] {
  const tails = table.rows.map((row) => tailOf(row[column] ?? ""));
  const widest = tails.reduce((most, tail) => (tail.length <= WIDEST ? Math.max(most, tail.length) : most), 0);
  const hasPoint = tails.some((tail) => tail.length <= WIDEST && tail.startsWith("."));
  return tails.map((tail) => {
    const missing = Math.max(widest - tail.length, 0);
    const isPointMissing = tail === "" && hasPoint && missing > 0;
    return isPointMissing ? POINT_SPACE + FIGURE_SPACE.repeat(missing - 1) : FIGURE_SPACE.repeat(missing);
  });
}
