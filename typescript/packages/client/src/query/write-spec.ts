/** Writes a spec as the object that a caller would write, without absent parts. */

import { type AskFilter, type AskSpec } from "./ask-spec.js";
import { writeTree } from "./condition-groups.js";
import { formSeries, writeKey, writeMeasure } from "./measures.js";
import { type AskedMeasure, type Question } from "./types.js";

/** The members of a spec or plan that say what is asked for: one measure needs no list. */
export function writeMeasures(measures: readonly [AskedMeasure, ...AskedMeasure[]]): AskSpec {
  return measures.length > 1 ? { measures: measures.map(writeMeasure) } : writeMeasure(measures[0]);
}

/** The spec with the keys of a QuerySpec; doubles stay as they were written. */
export function writeSpec(spec: Question): AskSpec {
  const { aggregation, metric, percent, groupBy, order, orderBy, limit, sourceName } = spec;
  const isSaid = order !== undefined && (orderBy !== undefined || order !== "desc" || formSeries(groupBy, limit));
  const filter = writeFilter(spec);
  return {
    ...(aggregation === undefined
      ? metric !== undefined && { metric }
      : writeMeasures([{ aggregation, metric, percent }, ...spec.more])),
    ...(limit !== undefined && { limit }),
    ...(sourceName !== undefined && { source_name: sourceName }),
    ...(orderBy !== undefined && { order_by: orderBy }),
    ...(groupBy.length > 0 && { group_by: groupBy.map(writeKey) }),
    ...(isSaid && { order }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(spec.having.length > 0 && {
      having: { conditions: spec.having.map((tree) => writeTree(tree, (value) => value)) },
    }),
  };
}

function writeFilter(spec: Question): AskFilter {
  return {
    ...(spec.conditions.length > 0 && { conditions: spec.conditions.map((tree) => writeTree(tree, (value) => value)) }),
    ...(spec.timeFilter !== undefined && { time_filter: { ...spec.timeFilter } }),
  };
}
