/** The result of a plan: its groups in their total order, as rows, and the texts that are hashed. */

import { canonicalText } from "@service-nb/records";
import { digestTexts } from "../digests.js";
import { sameMeasure } from "../query/measures.js";
import { buildResultColumns, listResultFields } from "../query/plan.js";
import { type Plan } from "../query/types.js";
import { type Field } from "../values/columns.js";
import { type Answer, type Group } from "./evaluate.js";
import { buildPredicate, buildTest } from "./predicates.js";
import { compareHeld, type Held, isComparable, toExactText, toJson } from "./values.js";

const RESULT_DOMAIN = "service:result:v1";

/** A row of a result: numbers that a double holds are numbers, what is longer is text. */
export type ResultRow = Readonly<Record<string, null | boolean | string | number>>;

export interface Result {
  readonly columns: readonly Field[];
  readonly rows: readonly ResultRow[];
  /** The exact texts of the values of each row. */
  readonly texts: readonly (readonly (string | null)[])[];
  readonly text: string;
  readonly hash: string;
}

/** Orders the groups of an answer, cuts them to the plan's limit, and hashes them. */
export function buildResult(plan: Plan, fields: ReadonlyMap<string, Field>, answer: Answer): Result {
  const names = buildResultColumns(plan);
  const columns = listResultFields(plan, fields);
  const values = sortGroups(answer.groups, plan, columns).map((group) => {
    const measured = group.values.filter((_, at) => names.measures[at] !== names.count);
    return [...group.keys, ...measured, group.rows];
  });
  // A column may be called `__proto__`: entries become members of their own.
  const rows = values.map((row) =>
    Object.fromEntries(columns.map(({ name, physical }, at) => [name, toJson(row[at] ?? null, physical)])),
  );
  const text = canonicalText(rows);
  return {
    columns,
    rows,
    texts: values.map((row) => row.map((value, at) => toExactText(value, columns[at]?.physical ?? "string"))),
    text,
    hash: digestTexts(RESULT_DOMAIN, plan.planHash, text),
  };
}

/** The groups that meet `having`, by what the plan orders by; NaN after numbers, null last, ties by their keys. */
function sortGroups(groups: readonly Group[], plan: Plan, columns: readonly Field[]): readonly Group[] {
  const get = buildOrderReader(plan);
  const side = plan.order === "desc" ? -1 : 1;
  const kept = plan.having.length === 0 ? [...groups] : groups.filter(buildGroupTest(plan, columns));
  kept.sort((one, other) => compareInOrder(get(one), get(other), side) || compareKeys(one.keys, other.keys));
  return plan.limit === undefined ? kept : kept.slice(0, plan.limit);
}

function buildGroupTest(plan: Plan, columns: readonly Field[]): (group: Group) => boolean {
  const names = buildResultColumns(plan);
  return buildTest<Group>(plan.having, "all", (condition) => {
    const { measure } = condition;
    if (measure?.metric === undefined) {
      const holds = buildPredicate(condition, "int64");
      return (group) => holds(group.rows);
    }
    const at = plan.measures.findIndex((each) => sameMeasure(each, measure));
    const physical = columns.find(({ name }) => name === names.measures[at])?.physical ?? "float64";
    const holds = buildPredicate(condition, physical);
    return (group) => holds(group.values[at] ?? null);
  });
}

function buildOrderReader(plan: Plan): (group: Group) => Held {
  const { orderBy } = plan;
  if (orderBy === undefined) return (group) => group.values[0] ?? null;
  const names = buildResultColumns(plan);
  if (orderBy === names.count) return (group) => group.rows;
  const key = names.keys.indexOf(orderBy);
  if (key >= 0) return (group) => group.keys[key] ?? null;
  const at = names.measures.indexOf(orderBy);
  return (group) => group.values[at] ?? null;
}

function rank(value: Held): number {
  return value === null ? 2 : isComparable(value) ? 0 : 1;
}

function compareInOrder(one: Held, other: Held, side: number): number {
  if (isComparable(one) && isComparable(other)) return compareHeld(one, other) * side;
  return rank(one) - rank(other);
}

function compareKeys(one: readonly Held[], other: readonly Held[]): number {
  for (const [at, key] of one.entries()) {
    const apart = compareInOrder(key, other[at] ?? null, 1);
    if (apart !== 0) return apart;
  }
  return 0;
}

/** How many rows met the conditions, and of the nulls among them those that each measured column leaves out. */
export interface UsedRows {
  readonly count: number;
  readonly nulls: Readonly<Record<string, number>>;
}

export function countUsedRows(plan: Plan, { groups }: Answer): UsedRows {
  const nulls = new Map<string, number>();
  for (const [at, { metric }] of plan.measures.entries()) {
    const count = groups.reduce((sum, group) => sum + (group.nulls[at] ?? 0), 0);
    if (metric !== undefined && count > 0) nulls.set(metric, count);
  }
  const count = groups.reduce((sum, group) => sum + Number(group.rows), 0);
  return { count, nulls: Object.fromEntries(nulls) };
}
