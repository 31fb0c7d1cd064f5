/** Conditions on groups: what they may be on, and whether the rows of a result meet them. */

import {
  type Column,
  type HavingCondition,
  measuresOf,
  type MeasureText,
  type PlanText,
  type Scalar,
  ShapeError,
} from "@service-nb/records";
import type { Row } from "./answer.js";
import { Differs } from "./comparing.js";
import { compareValues, isHeld } from "./order.js";
import { scalarText } from "./words.js";

/** Conditions on measures that are asked for, of groups; the rows are always counted. */
export function requireHaving(plan: PlanText): void {
  const asked = [...measuresOf(plan), { aggregation: "count" as const }].map(spelled);
  const compared = measuredLeaves(plan.having?.conditions ?? []).map(spelled);
  if (!compared.every((each) => asked.includes(each))) throw new ShapeError("having", "of measures that are asked for");
  if (compared.length > 0 && (plan.group_by ?? []).length === 0) throw new ShapeError("having", "of groups");
}

function measuredLeaves(trees: readonly HavingCondition[]): readonly MeasureText[] {
  return trees.flatMap((tree) => {
    if ("any" in tree) return measuredLeaves(tree.any);
    return "all" in tree ? measuredLeaves(tree.all) : [tree];
  });
}

function spelled({ aggregation, metric, percent }: MeasureText): string {
  return JSON.stringify([aggregation, metric ?? null, percent ?? null]);
}

type Leaf = Exclude<HavingCondition, { readonly any: unknown } | { readonly all: unknown }>;
type Comparison = Exclude<Leaf["op"], "is_null" | "is_not_null">;
type Test = (row: Row) => boolean;

/** Each group meets the conditions, by the values that its row has. */
export function requireKept(rows: readonly Row[], plan: PlanText, columns: readonly Column[]): void {
  const tests = (plan.having?.conditions ?? []).map((tree) => testOf(tree, plan, columns));
  const other = rows.findIndex((row) => !tests.every((test) => test(row)));
  if (other >= 0) throw new Differs("having", "met by each group", `not by row ${String(other + 1)}`);
}

function testOf(tree: HavingCondition, plan: PlanText, columns: readonly Column[]): Test {
  if ("any" in tree) {
    const tests = tree.any.map((each) => testOf(each, plan, columns));
    return (row) => tests.some((test) => test(row));
  }
  if ("all" in tree) {
    const tests = tree.all.map((each) => testOf(each, plan, columns));
    return (row) => tests.every((test) => test(row));
  }
  const metrics = measuresOf(plan).filter(({ metric }) => metric !== undefined);
  const among = metrics.map(spelled).indexOf(spelled(tree));
  const at = tree.metric === undefined ? columns.length - 1 : (plan.group_by ?? []).length + among;
  const column = columns[at];
  if (column === undefined) throw new ShapeError("having", "of a column of the result");
  return leafTest(tree, at, column);
}

/** A null meets `is_null` alone, and NaN equals nothing. */
function leafTest(leaf: Leaf, at: number, column: Column): Test {
  switch (leaf.op) {
    case "is_null":
      return (row) => (row[at] ?? null) === null;
    case "is_not_null":
      return (row) => (row[at] ?? null) !== null;
    case "in":
    case "not_in":
    case "between":
      return comparison(leaf.op, leaf.values, at, column);
    default:
      return comparison(leaf.op, [leaf.value], at, column);
  }
}

function comparison(op: Comparison, values: readonly Scalar[], at: number, column: Column): Test {
  const operands = values.map((value) => operandText(value, column));
  if ((op === "contains" || op === "starts_with") && column.type !== "string")
    throw new ShapeError("having", "of a text");
  return (row) => {
    const value = row[at] ?? null;
    if (value === null) return false;
    if (column.type === "number" && value === "NaN") return op === "ne" || op === "not_in";
    return holds(op, value, operands, column.type);
  };
}

function holds(op: Comparison, value: string, operands: readonly string[], type: string): boolean {
  const [first = "", second = ""] = operands;
  const to = (operand: string): number => compareValues(value, operand, type, 1);
  switch (op) {
    case "eq":
      return to(first) === 0;
    case "ne":
      return to(first) !== 0;
    case "gt":
      return to(first) > 0;
    case "gte":
      return to(first) >= 0;
    case "lt":
      return to(first) < 0;
    case "lte":
      return to(first) <= 0;
    case "between":
      return to(first) >= 0 && to(second) <= 0;
    case "in":
      return operands.some((operand) => to(operand) === 0);
    case "not_in":
      return operands.every((operand) => to(operand) !== 0);
    case "contains":
      return value.includes(first);
    case "starts_with":
      return value.startsWith(first);
  }
}

/** What a value is compared with: of doubles a number, of exact numbers its digits or a whole one. */
function operandText(value: Scalar, { type, physical }: Column): string {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const isDouble = physical === "float64" && isNumber;
  const isWhole = physical !== "float64" && type === "number" && Number.isSafeInteger(value);
  const isText = physical !== "float64" && typeof value === "string" && isHeld(value, physical);
  if (!isDouble && !isWhole && !isText) throw new ShapeError("having", "compared with the type of its column");
  return scalarText(value);
}
