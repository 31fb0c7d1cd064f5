/** Questions with another name, or another choice, in one of their slots. */

import { changeLeaves } from "./condition-groups.js";
import { columnOf, sameKey, spellMeasure } from "./measures.js";
import { AGGREGATIONS } from "./tables.js";
import { type AggregationName, type AskedMeasure, type Condition, type GroupKey, type Question } from "./types.js";
import { type Operand } from "./values.js";

/** The count of rows, which is in every answer. */
export const ROWS: AskedMeasure = { aggregation: "count" };

/** Whether a measure needs no column; where the aggregation is missing too, nobody knows. */
export function isRowCount(measure: {
  readonly aggregation: AggregationName | undefined;
  readonly metric?: string | undefined;
}): boolean {
  const { aggregation, metric } = measure;
  return metric === undefined && aggregation !== undefined && AGGREGATIONS[aggregation].rowsStep !== null;
}

/** The question with another name in a slot, in place of `name`. */
export function replaceName(spec: Question, slot: string, name: string | undefined, other: string): Question {
  switch (slot) {
    case "aggregation":
      return { ...spec, aggregation: other as AggregationName, percent: undefined };
    case "metric": {
      const metric = spec.metric === name && !isRowCount(spec) ? other : spec.metric;
      return { ...spec, metric, more: spec.more.map((each) => replaceMetric(each, name, other)) };
    }
    case "group_by":
      return { ...spec, groupBy: name === undefined ? [other] : replaceKeys(spec.groupBy, name, other) };
    case "having":
      return {
        ...spec,
        having: spec.having.map((tree) => changeLeaves(tree, (leaf) => replaceMeasured(leaf, name, other))),
      };
    default:
      return replaceFiltered(spec, name, other);
  }
}

function replaceMetric(measure: AskedMeasure, name: string | undefined, other: string): AskedMeasure {
  return measure.metric === name && !isRowCount(measure) ? { ...measure, metric: other } : measure;
}

function replaceMeasured(leaf: Condition<Operand>, name: string | undefined, other: string): Condition<Operand> {
  const measure = replaceMetric(leaf.measure ?? ROWS, name, other);
  return { ...leaf, measure, column: spellMeasure(measure) };
}

function replaceKeys(keys: readonly GroupKey[], name: string, other: string): GroupKey[] {
  const replaced = keys.map((key) => {
    if (columnOf(key) !== name) return key;
    return typeof key === "string" ? other : { ...key, column: other };
  });
  return replaced.filter((key, at) => replaced.findIndex((each) => sameKey(each, key)) === at);
}

function replaceFiltered(spec: Question, name: string | undefined, other: string): Question {
  const { timeFilter } = spec;
  return {
    ...spec,
    conditions: spec.conditions.map((tree) =>
      changeLeaves(tree, (leaf) => (leaf.column === name ? { ...leaf, column: other } : leaf)),
    ),
    timeFilter: timeFilter !== undefined && timeFilter.column === name ? { ...timeFilter, column: other } : timeFilter,
  };
}
