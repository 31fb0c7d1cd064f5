/** The shapes of the query plane. */

import { type AGGREGATIONS, type DATE_UNITS, type JOINERS, type OPERATORS, type PERIODS } from "./tables.js"; // prettier-ignore
import { type Decimal } from "./decimal.js";
import { type BoundValue, type Operand } from "./values.js";

export type AggregationName = keyof typeof AGGREGATIONS;
export type Op = keyof typeof OPERATORS;
export type Period = (typeof PERIODS)[number];
export type DateUnit = (typeof DATE_UNITS)[number];
export type Joiner = (typeof JOINERS)[number];
export type Order = "asc" | "desc";
export type Status = "ok" | "needs_clarification" | "rejected";
export type DecisionPath = "exact_spec" | "normalized_name" | "alias";

/** One aggregation of a question; `percent` belongs to percentiles. */
export interface AskedMeasure {
  readonly aggregation: AggregationName;
  readonly metric?: string | undefined;
  readonly percent?: Decimal | undefined;
}

/** A group key: a column, the period of a date, or the bin of a number. */
export type GroupKey = string | DateKey | BinKey;

export interface DateKey {
  readonly column: string;
  readonly unit: DateUnit;
  /** Whose days they are, of instants; undefined is UTC. */
  readonly zone?: string | undefined;
}

export interface BinKey {
  readonly column: string;
  readonly width: Decimal;
}

/** One condition. The operand is a list for in, not_in and between, and absent for is_null and is_not_null. */
export interface Condition<V> {
  readonly column: string;
  readonly op: Op;
  readonly operand?: V | readonly V[] | undefined;
  readonly measure?: AskedMeasure | undefined;
}

/** Conditions of which all have to hold, or any. */
export interface ConditionGroup<V> {
  readonly joiner: Joiner;
  readonly parts: readonly ConditionTree<V>[];
}

export type ConditionTree<V> = Condition<V> | ConditionGroup<V>;

export interface TimeFilter {
  readonly column: string;
  readonly period: Period;
}

/** A typed question, well-formed but not yet resolved against any source. */
export interface Question {
  readonly metric: string | undefined;
  readonly aggregation: AggregationName | undefined;
  readonly percent: Decimal | undefined;
  readonly more: readonly AskedMeasure[];
  readonly groupBy: readonly GroupKey[];
  readonly conditions: readonly ConditionTree<Operand>[];
  readonly timeFilter: TimeFilter | undefined;
  readonly having: readonly ConditionTree<Operand>[];
  readonly variables: Readonly<Record<string, string>>;
  readonly orderBy: string | undefined;
  readonly order: Order | undefined;
  readonly limit: number | undefined;
  readonly sourceName: string | undefined;
}

/** A question resolved against one schema: relative dates and defaults are resolved. */
export interface Plan {
  readonly measures: readonly [AskedMeasure, ...AskedMeasure[]];
  readonly groupBy: readonly GroupKey[];
  readonly conditions: readonly ConditionTree<BoundValue>[];
  readonly having: readonly ConditionTree<BoundValue>[];
  /** Undefined where the first measure orders the result. */
  readonly orderBy: string | undefined;
  readonly order: Order;
  readonly limit: number | undefined;
  readonly sourceName: string;
  readonly schemaRevision: string;
  readonly decisionPath: DecisionPath;
  readonly planHash: string;
  readonly notes: Readonly<Record<string, string>>;
}
