import type { Field, Source } from "@service-nb/client";
import type { JsonObject, JsonValue } from "./json.js";
import { AGGREGATIONS } from "./aggregations.js";
import { operand } from "./operands.js";

export type Aggregation = keyof typeof AGGREGATIONS;
export const AGGREGATION_NAMES = Object.keys(AGGREGATIONS) as readonly Aggregation[];

export const PERIODS = ["this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year"] as const;

export type Operator =
  | "eq"
  | "ne"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "between"
  | "in"
  | "not_in"
  | "contains"
  | "starts_with"
  | "during"
  | "is_null"
  | "is_not_null";

/** How many values an operator takes; `many` are one or more. */
export type Arity = "none" | "one" | "two" | "many" | "period";

const EQUAL: readonly Operator[] = ["eq", "ne"];
const ORDER: readonly Operator[] = ["gt", "gte", "lt", "lte", "between"];
const SETS: readonly Operator[] = ["in", "not_in"];
const NULLS: readonly Operator[] = ["is_null", "is_not_null"];

export interface Condition {
  readonly column: string | null;
  readonly operator: Operator | null;
  readonly operands: readonly string[];
}

export interface Question {
  readonly source: string | null;
  readonly aggregation: Aggregation | null;
  readonly metric: string | null;
  readonly groups: readonly string[];
  readonly conditions: readonly Condition[];
  readonly order: "desc" | "asc";
  readonly limit: string;
}

export interface Fault {
  readonly place: number | "limit"; // a condition by its place
  readonly message: string;
}

/** Whether a column can be aggregated so. */
export function suits(aggregation: Aggregation | null, field: Field): boolean {
  const accepts: readonly string[] | null = aggregation && AGGREGATIONS[aggregation].accepts;
  return accepts === null || accepts.includes(field.type);
}

/** The operators that mean something for a column. */
export function operators(field: Field): readonly Operator[] {
  const nulls = field.nullable ? NULLS : [];
  switch (field.type) {
    case "boolean":
      return [...EQUAL, ...nulls];
    case "string":
      return [...EQUAL, ...SETS, "contains", "starts_with", ...ORDER, ...nulls];
    case "date":
    case "datetime":
      return [...EQUAL, ...ORDER, "during", ...SETS, ...nulls];
    default:
      return [...EQUAL, ...ORDER, ...SETS, ...nulls];
  }
}

export function arity(operator: Operator): Arity {
  switch (operator) {
    case "is_null":
    case "is_not_null":
      return "none";
    case "between":
      return "two";
    case "in":
    case "not_in":
      return "many";
    case "during":
      return "period";
    case "eq":
    case "ne":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "contains":
    case "starts_with":
      return "one";
  }
}

/** The spec that a question is so far, and what keeps it from being sent. What is not chosen is not in it. */
export function specOf(
  question: Question,
  source: Source | null,
): { readonly spec: JsonObject; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const conditions: JsonValue[] = [];
  const spec: Record<string, JsonValue> = {};
  let period: JsonObject | null = null;
  for (const [place, condition] of question.conditions.entries()) {
    const written = conditionOf(condition, source);
    if ("misfit" in written) faults.push({ place, message: written.misfit });
    else if ("period" in written) period = written.period;
    else conditions.push(written.condition);
  }
  if (question.source !== null) spec["source_name"] = question.source;
  if (question.aggregation !== null) spec["aggregation"] = question.aggregation;
  if (question.metric !== null) spec["metric"] = question.metric;
  if (question.groups.length > 0) spec["group_by"] = question.groups;
  const filter = { ...(conditions.length > 0 && { conditions }), ...(period !== null && { time_filter: period }) };
  if (Object.keys(filter).length > 0) spec["filter"] = filter;
  if (question.order === "asc") spec["order"] = "asc";
  const limit = limitOf(question.limit.trim());
  if (typeof limit === "string") faults.push({ place: "limit", message: limit });
  else if (limit !== null) spec["limit"] = limit;
  return { spec, faults };
}

type Written = { readonly condition: JsonObject } | { readonly period: JsonObject } | { readonly misfit: string };

function conditionOf({ column, operator, operands }: Condition, source: Source | null): Written {
  const field = source?.fields.find(({ name }) => name === column);
  if (column === null || field === undefined) return { misfit: "A column is missing." };
  if (operator === null) return { misfit: "A comparison is missing." };
  const kind = arity(operator);
  if (kind === "none") return { condition: { column, op: operator } };
  if (kind === "period") {
    const [period] = operands;
    return period === undefined ? { misfit: "A period is missing." } : { period: { column, period } };
  }
  const texts = kind === "many" ? operands.filter((text) => field.type === "string" || text.trim() !== "") : operands;
  if (texts.length < (kind === "two" ? 2 : 1)) return { misfit: "A value is missing." };
  const values: JsonValue[] = [];
  for (const text of texts) {
    if (text === "" && (field.type !== "string" || kind === "many")) return { misfit: "A value is missing." };
    const written = operand(text, field.type);
    if ("misfit" in written) return written;
    values.push(written.value);
  }
  const [value = null] = values;
  return { condition: kind === "one" ? { column, op: operator, value } : { column, op: operator, values } };
}

function limitOf(text: string): number | string | null {
  if (text === "") return null;
  const limit = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return limit > 0 ? limit : "A whole number above 0 is expected, or nothing.";
}
