/** The parts of an ask line under the keys of a QuerySpec; a part that a line leaves out has no key. */

import { type AggregationName, type DateUnit, type Joiner, type Op, type Order, type Period } from "./types.js";
import { type Operand, RealNumber, type Variable } from "./values.js";

export type AskValue = Operand | Variable;

export interface AskMeasure {
  readonly aggregation?: AggregationName;
  readonly metric?: string;
  readonly percent?: string;
}

export type AskKey =
  | string
  | { readonly column: string; readonly unit: DateUnit; readonly zone?: string | undefined }
  | { readonly column: string; readonly width: string };

/** A condition on a column, or in `having` on a measure. */
export interface AskCondition extends AskMeasure {
  readonly column?: string;
  readonly op: Op;
  readonly value?: AskValue;
  readonly values?: readonly AskValue[] | Variable;
}

/** Conditions of which all have to hold, or any. */
export interface AskGroup {
  readonly all?: readonly AskForm[];
  readonly any?: readonly AskForm[];
}

export type AskForm = AskCondition | AskGroup;

export interface AskFilter {
  readonly conditions?: readonly AskForm[];
  readonly time_filter?: { readonly column: string; readonly period: Period };
}

export interface AskSpec extends AskMeasure {
  readonly measures?: readonly AskMeasure[];
  readonly group_by?: readonly AskKey[];
  readonly filter?: AskFilter;
  readonly having?: { readonly conditions: readonly AskForm[] };
  readonly order_by?: string;
  readonly order?: Order;
  readonly limit?: number | bigint;
  readonly source_name?: string;
}

export function isVariable(value: unknown): value is Variable {
  return typeof value === "object" && value !== null && "variable" in value;
}

/** By what the parts of a group are joined; undefined of a condition. */
export function joinerOf(form: AskForm): Joiner | undefined {
  return "all" in form ? "all" : "any" in form ? "any" : undefined;
}

/** The parts of a group. */
export function partsOf(form: AskForm, joiner: Joiner): readonly AskForm[] {
  return (form as AskGroup)[joiner] ?? [];
}

/** The same spec as plain JSON: a double is a number, whatever its text was. */
export function plainSpec<T>(part: T): T {
  if (part instanceof RealNumber) return part.value as T;
  if (Array.isArray(part)) return part.map((each: unknown) => plainSpec(each)) as T;
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, plainSpec(each as unknown)])) as T;
}
