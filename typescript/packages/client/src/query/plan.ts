/** The plan: its JSON form, its hash, the columns of its result, and its description in words. */

import { canonicalText } from "@service-nb/records";
import { digestTexts } from "../digests.js";
import { type Field } from "../values/columns.js";
import { TZ_DATABASE } from "../values/zones.js";
import { formatValue } from "./ask-format.js";
import { describeConditions, isList, listLeaves, writeTree } from "./condition-groups.js";
import { writeValue } from "./conditions.js";
import { buildKeyField, buildMeasureField, columnOf, describeKeys, formSeries, nameKeys, writeKey } from "./measures.js"; // prettier-ignore
import { AGGREGATIONS, OPERATORS, PLAN_DOMAIN, PLAN_VERSION } from "./tables.js";
import { writeCount } from "./text.js";
import { type AskedMeasure, type Condition, type Plan, type Question } from "./types.js";
import { type BoundValue } from "./values.js";
import { writeMeasures } from "./write-spec.js";

const MOST_LISTED = 10;
const SHOWN_DIGITS = 12; // of a schema's revision

/** The object that `plan_hash` covers: the resolved question and its schema, without nulls. */
export function buildHashedForm(plan: Plan): Record<string, unknown> {
  const { groupBy, orderBy, conditions, having, limit } = plan;
  return {
    ...writeMeasures(plan.measures),
    order: plan.order,
    schema_revision: plan.schemaRevision,
    ...(groupBy.length > 0 && { group_by: groupBy.map(writeKey) }),
    ...(orderBy !== undefined && { order_by: orderBy }),
    ...(conditions.length > 0 && { filter: { conditions: conditions.map((each) => writeTree(each, writeValue)) } }),
    ...(having.length > 0 && { having: { conditions: having.map((each) => writeTree(each, writeValue)) } }),
    ...(limit !== undefined && { limit }),
  };
}

/**
 * The hashed form of a plan as a question has it: without an order that the question has by itself.
 *
 * The order of a series is written out, also where it is by its keys: its recorded line says what it was ordered by.
 */
export function dropDefaultOrder<T extends Readonly<Record<string, unknown>>>(form: T): T {
  const { order, ...asked } = form;
  const groups = Array.isArray(form["group_by"]) ? form["group_by"] : [];
  const isDefault = order === "desc" && form["order_by"] === undefined && !formSeries(groups, form["limit"]);
  return (isDefault ? asked : form) as T;
}

/** The canonical text that is hashed. */
export function writePlanText(plan: Plan): string {
  return canonicalText(buildHashedForm(plan));
}

/** The plan with its hash filled in. */
export function sealPlan(plan: Plan): Plan {
  return { ...plan, planHash: digestTexts(PLAN_DOMAIN, writePlanText(plan)) };
}

/** The plan as JSON: it can be stored, sent and replayed. Whole numbers beyond 2^53-1 are texts, as in the hash. */
export function planToJson(plan: Plan): Record<string, unknown> {
  return {
    version: PLAN_VERSION,
    source_name: plan.sourceName,
    ...(carry(buildHashedForm(plan)) as Record<string, unknown>),
    decision_path: plan.decisionPath,
    plan_hash: plan.planHash,
    notes: { ...plan.notes },
  };
}

function carry(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(carry);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, carry(each as unknown)]));
}

/** Every column that a question names, each once. */
export function listNamedColumns(asked: Question): string[] {
  const named = [
    ...asked.groupBy.map(columnOf),
    ...[asked.metric, ...asked.more.map((each) => each.metric)],
    ...listLeaves(asked.conditions).map((condition) => condition.column),
    ...listLeaves(asked.having).map((condition) => condition.measure?.metric),
  ];
  return [...new Set(named.filter((name) => name !== undefined))];
}

/** Every column that a plan uses, each once. */
export function listUsedColumns({ groupBy, measures, conditions, having }: Plan): string[] {
  const used = [
    ...groupBy.map(columnOf),
    ...measures.map(({ metric }) => metric),
    ...listLeaves(conditions).map(({ column }) => column),
    ...listLeaves(having).map(({ measure }) => measure?.metric),
  ];
  return [...new Set(used.filter((name) => name !== undefined))];
}

// --- the columns of the result -----------------------------------------------------------------------------------------

/** The columns of a result, in order: group keys, one for each measure, the row count. */
export interface ResultColumns {
  readonly keys: readonly string[];
  /** A measure that counts rows has the row count's column. */
  readonly measures: readonly string[];
  readonly count: string;
  readonly names: readonly string[];
}

type Named = Pick<Plan, "measures" | "groupBy">;

/** The names of the result's columns, each different. */
export function buildResultColumns(plan: Named): ResultColumns {
  const keys = nameKeys(plan.groupBy);
  const taken = new Set(keys);
  const named = plan.measures.map((each) => {
    if (each.metric === undefined) return undefined;
    const long = nameMeasure(each);
    const name = findFreeName(taken, plan.measures.length > 1 ? long : each.metric, long);
    taken.add(name);
    return name;
  });
  const count = findFreeName(taken, "count", "row_count");
  const measures = named.map((name) => name ?? count);
  return { keys, measures, count, names: [...keys, ...named.filter((name) => name !== undefined), count] };
}

/** A measure by its aggregation and its column: a percentile as `p90_delay`, and `p99_9_delay`. */
function nameMeasure({ aggregation, metric, percent }: AskedMeasure): string {
  const short = percent === undefined ? aggregation : `p${percent.toString().replace(".", "_")}`;
  return `${short}_${metric ?? ""}`;
}

function findFreeName(taken: ReadonlySet<string>, first: string, second: string): string {
  let name = taken.has(first) ? second : first;
  while (taken.has(name)) name += "_";
  return name;
}

/** The result's columns with their types, in their order; `fields` are those of the source. */
export function listResultFields(plan: Named, fields: ReadonlyMap<string, Field>): Field[] {
  const names = buildResultColumns(plan);
  const keys = plan.groupBy.flatMap((key, at) => {
    const field = fields.get(columnOf(key));
    return field === undefined ? [] : [{ ...buildKeyField(key, field), name: names.keys[at] ?? field.name }];
  });
  const measures = plan.measures.flatMap((each, at) =>
    each.metric === undefined ? [] : [buildMeasureField(names.measures[at] ?? each.metric, each, fields)],
  );
  return [...keys, ...measures, { name: names.count, type: "number", physical: "int64" }];
}

/** What computed a plan, with the version of the tz database whose rules it took; a deployment tells it itself. */
export function nameEngine({ groupBy }: Plan, engine: string): string {
  const hasZone = groupBy.some((key) => typeof key !== "string" && "unit" in key && key.zone !== undefined);
  return hasZone && !engine.includes(", tz ") ? `${engine}, tz ${TZ_DATABASE}` : engine;
}

// --- words --------------------------------------------------------------------------------------------------------------

/** The plan in words, one step a line, in the order of execution. */
export function describeSteps(plan: Plan, rows?: number): string[] {
  const size = rows === undefined ? "" : `${writeCount(rows)} rows, `;
  const isGrouped = plan.groupBy.length > 0;
  const { conditions, having, limit } = plan;
  return [
    `Read ${plan.sourceName} (${size}schema ${plan.schemaRevision.slice(0, SHOWN_DIGITS)})`,
    ...(conditions.length > 0 ? [`Keep the rows where ${describeConditions(conditions, describeCondition)}`] : []),
    ...(isGrouped ? [`Group by ${describeKeys(plan.groupBy)}`] : []),
    ...plan.measures.map((each) => describeMeasure(each, isGrouped)),
    ...(having.length > 0 ? [`Keep the groups where ${describeConditions(having, describeCondition)}`] : []),
    ...(isGrouped ? [describeOrder(plan)] : []),
    ...(limit === undefined ? [] : [`Keep the first ${writeCount(limit)} rows`]),
  ];
}

function describeMeasure({ aggregation, metric, percent }: AskedMeasure, isGrouped: boolean): string {
  const { rowsStep, step } = AGGREGATIONS[aggregation];
  const each = isGrouped ? " of each group" : "";
  if (metric === undefined) return `${rowsStep ?? "None"}${each}`;
  return fillIn(step, percent?.toString()).replaceAll("{of}", () => `${metric}${each}`);
}

function fillIn(words: string, percent: string | undefined): string {
  return percent === undefined ? words : words.replaceAll("{percent}", percent);
}

function describeOrder(plan: Plan): string {
  const names = buildResultColumns(plan);
  const direction = plan.order === "desc" ? "descending" : "ascending";
  const first = plan.measures.length > 1 ? (names.measures[0] ?? "") : (plan.measures[0].metric ?? "count");
  const others = names.keys.filter((name) => name !== plan.orderBy); // by which ties are ordered
  const ties = others.length > 0 ? `, ties by ${others.join(", ")} ascending` : "";
  return `Order by ${plan.orderBy ?? first} ${direction}, nulls last${ties}`;
}

function describeCondition(condition: Condition<BoundValue>): string {
  const { operand } = condition;
  const { takes, words } = OPERATORS[condition.op];
  const said = `${condition.column} ${words}`;
  if (operand === undefined) return said;
  if (!isList(operand)) return `${said} ${formatOperand(operand)}`;
  if (takes === "two") return `${said} ${operand.map(formatOperand).join(" and ")}`;
  const more = operand.length > MOST_LISTED ? `, … ${String(operand.length - MOST_LISTED)} more` : "";
  return `${said} ${operand.slice(0, MOST_LISTED).map(formatOperand).join(", ")}${more}`;
}

/** An operand as the ask line of the recorded plan has it, in which a whole double is a whole number. */
function formatOperand(value: BoundValue): string {
  if (typeof value === "number" && Number.isInteger(value)) return String(value);
  const written = writeValue(value);
  return formatValue(typeof written === "bigint" && !Number.isSafeInteger(Number(written)) ? String(written) : written);
}

/** The question in one line of words, as a card shows it. */
export function describeQuestion(plan: Plan): string {
  const [first = "", ...more] = plan.measures.map(describeAsked);
  const { conditions, having, groupBy, limit } = plan;
  return [
    [first, ...more.map((each) => each.charAt(0).toLowerCase() + each.slice(1))].join(", "),
    groupBy.length > 0 ? ` by ${describeKeys(groupBy)}` : "",
    ` in ${plan.sourceName}`,
    conditions.length > 0 ? ` where ${describeConditions(conditions, describeCondition)}` : "",
    having.length > 0 ? ` having ${describeConditions(having, describeCondition)}` : "",
    limit === undefined ? "" : `, first ${writeCount(limit)}`,
  ].join("");
}

function describeAsked({ aggregation, metric, percent }: AskedMeasure): string {
  return `${fillIn(AGGREGATIONS[aggregation].noun, percent?.toString())} ${metric ?? "rows"}`;
}
