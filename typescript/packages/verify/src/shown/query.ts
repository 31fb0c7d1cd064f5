import {
  AGGREGATIONS,
  type AnswerProvenance,
  type Column,
  decodeText,
  isObject,
  type KeyText,
  measuresOf,
  type MeasureText,
  orderPlace,
  type PlanText,
  resultColumns,
  ShapeError,
} from "@service-nb/records";
import { type Derived, Differs, expectSame } from "./comparing.js";
import { answerLeaves, type Row, without } from "./answer.js";
import { deriveInspection, isInspection } from "./inspection.js";
import { requireHaving, requireKept } from "./having.js";
import { compareValues, exactText, isHeld, typeOfHeld } from "./order.js";
import { askLine, questionOf, stepsOf } from "./words.js";

/**
 * What the view of an answered question must be.
 *
 * @throws {ShapeError | Differs}
 */
export function deriveQuery(texts: Readonly<Record<string, unknown>>, shown?: unknown): Derived {
  if (isInspection(texts["plan"])) return deriveInspection(texts);
  const { plan, how } = { plan: decodeText.plan(texts["plan"]), how: decodeText.answer(texts["provenance"]) };
  const [source, ...more] = how.sources;
  if (source === undefined || more.length > 0) throw new ShapeError("sources", "a list of one");
  requirePlan(plan);
  requireColumns(plan, how.columns);
  expectSame("schema of the source", plan.schema_revision, source.schema_revision);
  const isLive = source.content["algorithm"] === "live";
  const hasRows = Object.hasOwn(texts, "result");
  const rows = hasRows ? rowsOf(texts["result"], plan, how) : [];
  requireUsedRows(plan, how, hasRows ? rows : undefined);
  return {
    hasRows,
    leaves: {
      ...answerLeaves(how, source, rows),
      question: questionOf(plan, source.name),
      ask: askLineOf(plan, source.name, shown),
      plan: stepsOf(plan, source.name, isLive ? undefined : source.row_count),
    },
  };
}

/**
 * The ask line of a plan: without the order by the first measure, which a question has by itself.
 *
 * Of a first key that is a period or a bin, and no limit, the default is the order of the keys, so the line says so.
 * Older cards, of a time when it was not, leave it out there, too.
 */
function askLineOf(plan: PlanText, source: string, shown: unknown): string {
  const { order, ...asked } = without(plan, "schema_revision");
  const short = askLine({ ...asked, source_name: source });
  const whole = askLine({ ...asked, source_name: source, order });
  if (order !== "desc" || plan.order_by !== undefined) return whole;
  const [first] = plan.group_by ?? [];
  const isSeries = typeof first === "object" && plan.limit === undefined;
  return isSeries && shown !== short ? whole : short;
}

/** The form of a plan: one aggregation or several measures, and of a computed key a unit or a width. */
function requirePlan(plan: PlanText): void {
  const { aggregation, metric, percent, measures, group_by = [] } = plan;
  const isOne = measures === undefined && aggregation !== undefined;
  const hasFirst = aggregation !== undefined || metric !== undefined || percent !== undefined;
  const isSeveral = measures !== undefined && measures.length > 1 && !hasFirst;
  if (!isOne && !isSeveral) throw new ShapeError("plan", "one with an aggregation, or several measures");
  const isAsked = measuresOf(plan).every(
    (each) => each.metric !== undefined || AGGREGATIONS[each.aggregation].rows_step !== null,
  );
  if (!isAsked) throw new ShapeError("plan", "one with a metric");
  const hasPercents = measuresOf(plan).every(
    (each) => (each.percent !== undefined) === AGGREGATIONS[each.aggregation].takes_percent,
  );
  if (!hasPercents) throw new ShapeError("plan", "one with a percent for each percentile, and for nothing else");
  const isKey = group_by.every(
    (key) =>
      typeof key === "string" ||
      ((key.unit === undefined) !== (key.width === undefined) && (key.zone === undefined || key.unit !== undefined)),
  );
  if (!isKey) throw new ShapeError("plan", "one whose group keys have a unit or a width");
  requireHaving(plan);
  if (plan.order_by !== undefined && orderPlace(plan) < 0)
    throw new ShapeError("plan", "ordered by a column of its result");
}

/** Names, roles and types that follow from the plan; how averages and counts are held is no choice. */
function requireColumns(plan: PlanText, columns: readonly Column[]): void {
  const keys = plan.group_by ?? [];
  const asked = measuresOf(plan).filter(({ metric }) => metric !== undefined);
  const held = [...keys.map(heldAsKey), ...asked.map(heldAs), "int64"];
  const recorded = resultColumns(plan).map(({ name, role }, at) => {
    const physical = held[at] ?? columns[at]?.physical ?? "";
    const zone = zoneOf(keys[at], physical, columns[at]?.zone);
    return { name, role, physical, type: typeOfHeld(physical) ?? null, ...(zone !== undefined && { zone }) };
  });
  expectSame("columns", recorded, columns);
  keys.forEach((key, at) => {
    const type = columns[at]?.type ?? "";
    if (typeof key !== "string" && key.width !== undefined && type !== "number")
      throw new Differs(`type of the bins of ${key.column}`, "number", type);
  });
  asked.forEach((measure, at) => {
    if (heldAs(measure) !== undefined) return;
    const type = columns[keys.length + at]?.type ?? "";
    const accepts: readonly string[] = AGGREGATIONS[measure.aggregation].accepts;
    if (!accepts.includes(type)) throw new Differs(`type of the ${measure.aggregation}`, accepts.join(" or "), type);
  });
}

/** How a key is held, where that does not depend on the column. */
function heldAsKey(key: string | KeyText): string | undefined {
  return typeof key !== "string" && key.unit !== undefined ? "date" : undefined;
}

/** Whose clocks show a column: what its period names, or UTC of instants, which no plan tells. */
function zoneOf(key: string | KeyText | undefined, physical: string, shown: string | undefined): string | undefined {
  if (typeof key === "object" && key.zone !== undefined) return key.zone;
  const isOfTimes = physical === "datetime" || (typeof key === "object" && key.unit !== undefined);
  return isOfTimes && shown !== undefined ? "UTC" : undefined;
}

/** How a result is held, where that does not depend on the column. */
function heldAs({ aggregation }: MeasureText): string | undefined {
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
  requireKept(rows, plan, how.columns);
  return rows;
}

/** How many rows were used, and how many nulls left out, as the plan, its source and its result have it. */
function requireUsedRows(plan: PlanText, how: AnswerProvenance, rows: readonly Row[] | undefined): void {
  const { used_rows: used, dropped = {}, sources } = how;
  const counts = Object.entries(dropped);
  if (used === undefined) {
    if (counts.length > 0) throw new ShapeError("dropped", "nulls of rows that are counted");
    return;
  }
  const total = sources[0]?.row_count ?? 0;
  if (used > total && sources[0]?.content["algorithm"] !== "live") throw new Differs("used_rows", total, used);
  if (rows !== undefined) {
    const counted = rows.reduce((sum, row) => sum + Number(row.at(-1)), 0);
    const isCut = plan.limit !== undefined || plan.having !== undefined;
    if (isCut ? counted > used : counted !== used) throw new Differs("used_rows", counted, used);
  }
  const metrics = measuresOf(plan).map(({ metric }) => metric);
  const isNullCount = counts.every(([name, count]) => metrics.includes(name) && count > 0 && count <= used);
  if (!isNullCount) throw new ShapeError("dropped", "nulls of measured columns");
}

function rowOf(row: unknown, columns: readonly Column[]): Row {
  const isRow = isObject(row) && Object.keys(row).length === columns.length;
  return columns.map(({ name, physical }) => {
    const value = isRow && Object.hasOwn(row, name) ? row[name] : undefined;
    if (!isHeld(value, physical)) throw new ShapeError(`result: ${name}`, "a value of its column");
    return exactText(value);
  });
}

function requireOrder(rows: readonly Row[], plan: PlanText, columns: readonly Column[]): void {
  const { group_by = [], order } = plan;
  const places = [orderPlace(plan), ...group_by.keys()];
  const compare = (one: Row, other: Row): number => {
    for (const [place, at] of places.entries()) {
      const by = place === 0 && order === "desc" ? -1 : 1;
      const found = compareValues(one[at] ?? null, other[at] ?? null, columns[at]?.type ?? "", by);
      if (found !== 0) return found;
    }
    return 0;
  };
  const late = rows.findIndex((row, at) => at > 0 && compare(rows[at - 1] ?? row, row) > 0);
  if (late > 0) throw new Differs("order of the result", order, `row ${String(late + 1)} stands too late`);
}
