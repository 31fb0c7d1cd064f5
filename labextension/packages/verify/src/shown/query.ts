import {
  AGGREGATIONS,
  type AnswerProvenance,
  type Column,
  decodeText,
  isObject,
  type PlanText,
  ShapeError,
} from "@service-nb/records";
import { type Derived, Differs, expectSame } from "./comparing.js";
import { answerLeaves, type Row, without } from "./answer.js";
import { deriveInspection, isInspection } from "./inspection.js";
import { compareValues, exactText, isHeld, typeOfHeld } from "./order.js";
import { askLine, questionOf, stepsOf } from "./words.js";

/**
 * What the view of an answered question must be.
 *
 * @throws {ShapeError | Differs}
 */
export function deriveQuery(texts: Readonly<Record<string, unknown>>): Derived {
  if (isInspection(texts["plan"])) return deriveInspection(texts);
  const { plan, how } = { plan: decodeText.plan(texts["plan"]), how: decodeText.answer(texts["provenance"]) };
  const [source, ...more] = how.sources;
  if (source === undefined || more.length > 0) throw new ShapeError("sources", "a list of one");
  if (plan.metric === undefined && AGGREGATIONS[plan.aggregation].rows_step === null)
    throw new ShapeError("plan", "one with a metric");
  requireColumns(plan, how.columns);
  expectSame("schema of the source", plan.schema_revision, source.schema_revision);
  const { order, ...asked } = without(plan, "schema_revision");
  const isLive = source.content["algorithm"] === "live";
  const hasRows = Object.hasOwn(texts, "result");
  const rows = hasRows ? rowsOf(texts["result"], plan, how) : [];
  return {
    hasRows,
    leaves: {
      ...answerLeaves(how, source, rows),
      question: questionOf(plan, source.name),
      // The order that a question has by itself is not written out.
      ask: askLine({ ...asked, source_name: source.name, ...(order === "desc" ? {} : { order }) }),
      plan: stepsOf(plan, source.name, isLive ? undefined : source.row_count),
    },
  };
}

/** Names, roles and types that follow from the plan; how averages and counts are held is no choice. */
function requireColumns(plan: PlanText, columns: readonly Column[]): void {
  const keys = plan.group_by ?? [];
  const taken = new Set(keys);
  const free = (first: string, second: string): string => {
    let name = taken.has(first) ? second : first;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return name;
  };
  const { metric, aggregation } = plan;
  const due = [
    ...keys.map((name) => ({ name, role: "key", held: undefined })),
    ...(metric === undefined
      ? []
      : [{ name: free(metric, `${aggregation}_${metric}`), role: "metric", held: heldAs(plan) }]),
    { name: free("count", "row_count"), role: "count", held: "int64" },
  ];
  const recorded = due.map(({ name, role, held }, at) => {
    const physical = held ?? columns[at]?.physical ?? "";
    return { name, role, physical, type: typeOfHeld(physical) ?? null };
  });
  expectSame("columns", recorded, columns);
  if (metric !== undefined && heldAs(plan) === undefined) {
    const type = columns.at(-2)?.type ?? "";
    const accepts: readonly string[] = AGGREGATIONS[aggregation].accepts;
    if (!accepts.includes(type)) throw new Differs(`type of the ${aggregation}`, accepts.join(" or "), type);
  }
}

/** How a result is held, where that does not depend on the column. */
function heldAs({ aggregation }: PlanText): string | undefined {
  const { held } = AGGREGATIONS[aggregation];
  return held === "exact" || held === "as column" ? undefined : held;
}

/** The rows of a result, which has what its plan gives: columns and their types, number of rows, order, no key twice. */
function rowsOf(result: unknown, plan: PlanText, how: AnswerProvenance): readonly Row[] {
  if (!Array.isArray(result)) throw new ShapeError("result", "a list of rows");
  const rows = result.map((row: unknown) => rowOf(row, how.columns));
  expectSame("row_count", rows.length, how.row_count);
  const keys = plan.group_by?.length ?? 0;
  if (keys === 0) expectSame("rows without groups", 1, rows.length);
  if (plan.limit !== undefined && rows.length > plan.limit) expectSame("limit", plan.limit, rows.length);
  const groups = new Set(rows.map((row) => JSON.stringify(row.slice(0, keys))));
  if (groups.size < rows.length) throw new Differs("groups", "each once", "one twice");
  requireOrder(rows, plan, how.columns);
  return rows;
}

function rowOf(row: unknown, columns: readonly Column[]): Row {
  const isRow = isObject(row) && Object.keys(row).length === columns.length;
  return columns.map(({ name, physical }) => {
    const value = isRow && Object.hasOwn(row, name) ? row[name] : undefined;
    if (!isHeld(value, physical)) throw new ShapeError(`result: ${name}`, "a value of its column");
    return exactText(value);
  });
}

function requireOrder(rows: readonly Row[], { group_by = [], order }: PlanText, columns: readonly Column[]): void {
  // What is ordered by stands after the keys: the aggregate, or the count where rows alone are counted.
  const sign = order === "desc" ? -1 : 1;
  const places = [group_by.length, ...group_by.keys()];
  const compare = (one: Row, other: Row): number => {
    for (const at of places) {
      const by = at === group_by.length ? sign : 1;
      const found = compareValues(one[at] ?? null, other[at] ?? null, columns[at]?.type ?? "", by);
      if (found !== 0) return found;
    }
    return 0;
  };
  const late = rows.findIndex((row, at) => at > 0 && compare(rows[at - 1] ?? row, row) > 0);
  if (late > 0) throw new Differs("order of the result", order, `row ${String(late + 1)} stands too late`);
}
