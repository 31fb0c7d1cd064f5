/** Draws a table as bars or lines. */

import type { Table } from "../blocks.js";
import type { ChartEnvironment } from "./element.js";

/** The chart, or null where one would say nothing. */
export function draw(table: Table, environment: ChartEnvironment): SVGSVGElement | null {
  if (table.rows.length < 2) return null;
  environment.say("");
  return null;
}
