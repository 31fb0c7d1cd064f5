/** The chart of a table; what draws it is loaded when there is something to draw. */

import type { Table } from "../blocks.js";

/** What a chart needs of the page around it. */
export interface ChartEnvironment {
  say(text: string): string;
}

/** The chart, or null where one would say nothing that the table does not. */
export async function chartElement(table: Table, environment: ChartEnvironment): Promise<SVGSVGElement | null> {
  const { draw } = await import("./draw.js");
  return draw(table, (text) => environment.say(text));
}
