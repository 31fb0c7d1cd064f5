/** The columns of a result, as they follow from its plan: what they are called, and which one orders the rows. */

import type { Column, MeasureText, PlanText, SpecText } from "./shapes.js";

/** What is asked for: one aggregation, or several. */
export function measuresOf(asked: SpecText | PlanText): readonly MeasureText[] {
  const { measures, aggregation, metric, percent } = asked;
  if (measures !== undefined) return measures;
  if (aggregation === undefined) return [];
  return [{ aggregation, ...(metric === undefined ? {} : { metric }), ...(percent === undefined ? {} : { percent }) }];
}

/** The columns of a result in order: the keys, one for each measure of a column, the count of rows. */
export function resultColumns(plan: PlanText): readonly Pick<Column, "name" | "role">[] {
  const keys = keyNames(plan);
  const taken = new Set(keys);
  const free = (first: string, second: string): string => {
    const name = freeName(taken, taken.has(first) ? second : first);
    taken.add(name);
    return name;
  };
  const metrics = measuresOf(plan).flatMap(({ aggregation, metric, percent }) => {
    if (metric === undefined) return [];
    const long = `${percent === undefined ? aggregation : `p${percent.replace(".", "_")}`}_${metric}`;
    return [free(plan.measures === undefined ? metric : long, long)];
  });
  return [
    ...keys.map((name) => ({ name, role: "key" as const })),
    ...metrics.map((name) => ({ name, role: "metric" as const })),
    { name: free("count", "row_count"), role: "count" },
  ];
}

/** What the keys are called: columns as they are, periods and bins after their columns. */
export function keyNames({ group_by = [] }: PlanText): readonly string[] {
  const taken = new Set(group_by.filter((key) => typeof key === "string"));
  return group_by.map((key) => {
    if (typeof key === "string") return key;
    const name = freeName(taken, `${key.column}_${key.unit ?? "bin"}`);
    taken.add(name);
    return name;
  });
}

function freeName(taken: ReadonlySet<string>, first: string): string {
  let name = first;
  while (taken.has(name)) name += "_";
  return name;
}

/** The place of the column that orders a result: the one that is named, or that of the first measure. */
export function orderPlace(plan: PlanText): number {
  const columns = resultColumns(plan);
  if (plan.order_by !== undefined) return columns.findIndex(({ name }) => name === plan.order_by);
  return measuresOf(plan)[0]?.metric === undefined ? columns.length - 1 : (plan.group_by ?? []).length;
}
