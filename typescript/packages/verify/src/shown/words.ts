/** What a question is in words, and as an ask line: as every program writes it. */

import {
  AGGREGATIONS,
  type ConditionText,
  type HavingCondition,
  keyNames,
  type KeyText,
  type LeafText,
  measuresOf,
  type MeasureText,
  orderPlace,
  type PlanText,
  resultColumns,
  type Scalar,
  type SpecText,
} from "@service-nb/records";

const NAME = /^[\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_]*$/u;
const KEYWORDS =
  " by from where order limit asc desc and or not in between is null contains starts_with during true false ";
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

const SYMBOLS = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=" };
const SIGNS = { ...SYMBOLS, ne: "≠", lte: "≤", gte: "≥", contains: "contains", starts_with: "starts with" };
const MOST_LISTED = 10;

/** A spec as its ask line. */
export function askLine(spec: SpecText): string {
  const { metric, group_by = [], filter = {}, order_by: orderBy, order, limit, source_name } = spec;
  const { conditions = [], time_filter: period } = filter;
  const kept = spec.having?.conditions ?? [];
  const having = kept.map((each) => treeLine(each, kept.length > 1));
  const isAlone = conditions.length === 1 && period === undefined;
  const told = conditions.map((each) => treeLine(each, !isAlone));
  const measures = measuresOf(spec).map((each) => measureLine(each));
  const ordered = [
    ...(orderBy === undefined ? [] : [`by ${nameWord(orderBy)}`]),
    ...(order === undefined ? [] : [order]),
  ];
  if (period !== undefined) told.push(`${nameWord(period.column)} during ${period.period}`);
  return [
    measures.length === 0 ? measureLine(metric === undefined ? {} : { metric }) : measures.join(", "),
    ...(group_by.length === 0 ? [] : [`by ${group_by.map((key) => keyWords(key, nameWord)).join(", ")}`]),
    ...(source_name === undefined ? [] : [`from ${nameWord(source_name)}`]),
    ...(told.length === 0 ? [] : [`where ${told.join(" and ")}`]),
    ...(having.length === 0 ? [] : [`having ${having.join(" and ")}`]),
    ...(ordered.length === 0 ? [] : [`order ${ordered.join(" ")}`]),
    ...(limit === undefined ? [] : [`limit ${String(limit)}`]),
  ].join(" ");
}

type Asked = Partial<Omit<MeasureText, "aggregation">> & { readonly aggregation?: string };

/** A measure as the ask line has it; what a question does not name has a mark in its place. */
function measureLine({ aggregation = "<aggregation>", metric, percent }: Asked, write = nameWord): string {
  const words = percent === undefined ? aggregation : `${aggregation} ${percent} of`;
  return metric === undefined ? words : `${words} ${write(metric)}`;
}

/** What a condition is about: a column, or a measure. */
function leftOf(condition: LeafText, write: (name: string) => string): string {
  return "column" in condition ? write(condition.column) : measureLine(condition, write);
}

/** A group key as the ask line has it. */
function keyWords(key: string | KeyText, write: (name: string) => string): string {
  if (typeof key === "string") return write(key);
  const column = write(key.column);
  if (key.unit === undefined) return `${column} in bins of ${key.width ?? ""}`;
  return `${key.unit} of ${column}${key.zone === undefined ? "" : ` in ${zoneWord(key.zone)}`}`;
}

/** A time zone as it stands in an ask line: bare where it is Area/City. */
function zoneWord(zone: string): string {
  return /^[A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+$/.test(zone) ? zone : nameWord(zone);
}

/** The question of a plan in one line. */
export function questionOf(plan: PlanText, source: string): string {
  const { group_by = [], limit } = plan;
  const asked = measuresOf(plan).map(({ aggregation, metric = "rows", percent = "" }, at) => {
    const noun = AGGREGATIONS[aggregation].noun.replace("{percent}", percent);
    return `${at === 0 ? noun : noun.charAt(0).toLowerCase() + noun.slice(1)} ${metric}`;
  });
  const by = group_by.length === 0 ? "" : ` by ${group_by.map((key) => keyWords(key, String)).join(", ")}`;
  const first = limit === undefined ? "" : `, first ${separated(limit)}`;
  const kept = `${where(plan.filter, " where ")}${where(plan.having, " having ")}`;
  return `${asked.join(", ")}${by} in ${source}${kept}${first}`;
}

/** The steps of a plan; how many rows a live source has, nobody knows. */
export function stepsOf(plan: PlanText, source: string, rows: number | undefined): readonly string[] {
  const { metric, order, limit } = plan;
  const groups = (plan.group_by ?? []).map((key) => keyWords(key, String)).join(", ");
  const named = plan.measures === undefined ? (metric ?? "count") : resultColumns(plan)[orderPlace(plan)]?.name;
  const size = rows === undefined ? "" : `${separated(rows)} rows, `;
  const kept = where(plan.filter, "Keep the rows where ");
  const keptGroups = where(plan.having, "Keep the groups where ");
  const direction = order === "desc" ? "descending" : "ascending";
  const others = keyNames(plan).filter((name) => name !== plan.order_by); // by which ties are ordered
  return [
    `Read ${source} (${size}schema ${plan.schema_revision.slice(0, 12)})`,
    ...(kept === "" ? [] : [kept]),
    ...(groups === "" ? [] : [`Group by ${groups}`]),
    ...measuresOf(plan).map((measure) => measureStep(measure, groups === "" ? "" : " of each group")),
    ...(keptGroups === "" ? [] : [keptGroups]),
    ...(groups === ""
      ? []
      : [
          `Order by ${plan.order_by ?? named ?? ""} ${direction}, nulls last` +
            (others.length === 0 ? "" : `, ties by ${others.join(", ")} ascending`),
        ]),
    ...(limit === undefined ? [] : [`Keep the first ${separated(limit)} rows`]),
  ];
}

function measureStep({ aggregation: name, metric, percent = "" }: MeasureText, each: string): string {
  const { step, rows_step: rowsStep } = AGGREGATIONS[name];
  return metric === undefined
    ? `${rowsStep ?? ""}${each}`
    : step.replace("{percent}", percent).replace("{of}", () => `${metric}${each}`);
}

function where(kept: { readonly conditions: readonly Tree[] } | undefined, lead: string): string {
  const trees = kept?.conditions ?? [];
  const [only] = trees;
  if (only === undefined) return "";
  return lead + (trees.length === 1 ? treeWords(only) : trees.map(insideWords).join(" and "));
}

type Tree = ConditionText | HavingCondition;

function treeWords(tree: Tree): string {
  if ("any" in tree) return tree.any.map(insideWords).join(" or ");
  return "all" in tree ? tree.all.map(insideWords).join(" and ") : conditionWords(tree);
}

function insideWords(tree: Tree): string {
  return "any" in tree || "all" in tree ? `(${treeWords(tree)})` : conditionWords(tree);
}

/** Conditions as an ask line; `and` binds tighter than `or`. */
function treeLine(tree: Tree, needsBrackets: boolean): string {
  if ("all" in tree) return tree.all.map((each) => treeLine(each, true)).join(" and ");
  if (!("any" in tree)) return conditionLine(tree);
  const line = tree.any.map((each) => treeLine(each, false)).join(" or ");
  return needsBrackets ? `(${line})` : line;
}

function conditionLine(condition: LeafText): string {
  const column = leftOf(condition, nameWord);
  const spaced = condition.op.replaceAll("_", " ");
  switch (condition.op) {
    case "is_null":
    case "is_not_null":
      return `${column} ${spaced}`;
    case "in":
    case "not_in":
      return `${column} ${spaced} (${condition.values.map(valueWord).join(", ")})`;
    case "between":
      return `${column} between ${condition.values.map(valueWord).join(" and ")}`;
    case "contains":
    case "starts_with": // always quoted: a date would otherwise stand bare
      return `${column} ${spaced} ${quoted(scalarText(condition.value))}`;
    default:
      return `${column} ${SYMBOLS[condition.op]} ${valueWord(condition.value)}`;
  }
}

function conditionWords(condition: LeafText): string {
  const column = leftOf(condition, String);
  switch (condition.op) {
    case "is_null":
      return `${column} is null`;
    case "is_not_null":
      return `${column} is not null`;
    case "between":
      return `${column} is between ${condition.values.map(valueWord).join(" and ")}`;
    case "in":
    case "not_in": {
      const { values } = condition;
      const more = values.length > MOST_LISTED ? `, … ${String(values.length - MOST_LISTED)} more` : "";
      const listed = values.slice(0, MOST_LISTED).map(valueWord).join(", ");
      return `${column} is ${condition.op === "in" ? "one" : "none"} of ${listed}${more}`;
    }
    default:
      return `${column} ${SIGNS[condition.op]} ${valueWord(condition.value)}`;
  }
}

/** A column or a source as it stands in an ask line: bare where it can be, else in backticks. */
export function nameWord(name: string): string {
  const isBare = NAME.test(name) && !KEYWORDS.includes(` ${name.toLowerCase()} `);
  return isBare ? name : `\`${name.replaceAll("`", "``")}\``;
}

function valueWord(value: Scalar): string {
  if (typeof value !== "string") return scalarText(value);
  return DATE.test(value) ? value : quoted(value);
}

/** A number as canonical JSON has it; one of more digits than are safe was a float. */
export function scalarText(value: Scalar): string {
  return String(typeof value === "bigint" ? Number(value) : value);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A whole number with its thousands separated. */
export function separated(value: number): string {
  return String(value).replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}
