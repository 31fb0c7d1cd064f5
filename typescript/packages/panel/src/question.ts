import type { Field, Source } from "@service-nb/link";
import type { JsonObject, JsonValue } from "./json.js";
import { AGGREGATIONS } from "./aggregations.js";
import { operand } from "./operands.js";
import { nameColumns } from "./result-names.js";

export type Aggregation = keyof typeof AGGREGATIONS;
export const AGGREGATION_NAMES = Object.keys(AGGREGATIONS) as readonly Aggregation[];

export const PERIODS = ["this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year"] as const;
export const UNITS = ["day", "week", "month", "quarter", "year"] as const;
export type Unit = (typeof UNITS)[number];

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

/** One thing that is asked for. What is not chosen yet is null. */
export interface Measure {
  readonly aggregation: Aggregation | null;
  readonly metric: string | null;
  readonly percent?: string | undefined; // as it was typed, of what takes one
}

/** What a condition can be on: a column, or a measure. */
export interface Subject {
  readonly name: string; // which one of them it is
  readonly label: string;
  readonly type: string;
  readonly nullable: boolean;
}

/** A measure as what conditions on groups are on. */
export interface MeasureSubject extends Subject {
  readonly measure: Measure;
}

/** What an answer is grouped by: the values of a column, the periods of a date, or the bins of a number. */
export interface GroupKey {
  readonly column: string;
  readonly unit?: Unit | undefined;
  readonly width?: string | undefined; // as it was typed
}

export interface Condition {
  readonly subject: string | null; // by its name
  readonly operator: Operator | null;
  readonly operands: readonly string[];
}

export type Joiner = "all" | "any";

/** Conditions of which all have to hold, or any. */
export interface ConditionBranch {
  readonly joiner: Joiner;
  readonly parts: readonly ConditionTree[];
}

export type ConditionTree = Condition | ConditionBranch;

/** A measure or a group, by its place, and which of its values come first. */
export interface Order {
  readonly by: "measure" | "group";
  readonly place: number;
  readonly direction: "desc" | "asc";
}

export interface Question {
  readonly source: string | null;
  readonly measures: readonly Measure[];
  readonly groups: readonly GroupKey[];
  readonly where: ConditionBranch;
  readonly having: ConditionBranch;
  readonly compared: readonly MeasureSubject[]; // what `having` can be on
  readonly order: Order;
  readonly limit: string;
}

/** What keeps a question from being sent: which part, its place among its kind (conditions depth first), and why. */
export interface Fault {
  readonly part: "measure" | "percent" | "group" | "condition" | "having" | "limit";
  readonly place: number;
  readonly message: string;
}

/** Whether a column can be aggregated so. */
export function suits(aggregation: Aggregation | null, field: Field): boolean {
  const accepts: readonly string[] | null = aggregation && AGGREGATIONS[aggregation].accepts;
  return accepts === null || accepts.includes(field.type);
}

/** Whether an aggregation is of a percent. */
export function takesPercent(aggregation: Aggregation | null): boolean {
  return aggregation !== null && AGGREGATIONS[aggregation].takes_percent;
}

/** A percent as the kernel writes it: without zeros that say nothing. */
export function trimPercent(typed: string): string {
  const digits = typed.trim().replace(/^0+(?=\d)/, "");
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}

/** The operators that mean something for a column or a measure. */
export function operators({ type, nullable }: Subject): readonly Operator[] {
  const nulls = nullable ? NULLS : [];
  switch (type) {
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
  const writer = new SpecWriter(source);
  return { spec: writer.write(question), faults: writer.faults };
}

class SpecWriter {
  readonly faults: Fault[] = [];
  readonly #source: Source | null;
  #period: JsonObject | null = null;

  constructor(source: Source | null) {
    this.#source = source;
  }

  write({ source, measures, groups, where, having, compared, order, limit }: Question): JsonObject {
    const keys = groups.map((group, place) => this.#key(group, place));
    const columns = new Map(
      this.#source?.fields.map((field) => [field.name, { subject: field, named: { column: field.name } }]),
    );
    const conditions = this.#conditions("condition", where, columns);
    const asked = new Map(compared.map((one) => [one.name, { subject: one, named: writeMeasure(one.measure) }]));
    const kept = groups.length > 0 ? this.#conditions("having", having, asked) : [];
    const filter = {
      ...(conditions.length > 0 && { conditions }),
      ...(this.#period !== null && { time_filter: this.#period }),
    };
    return {
      ...(source !== null && { source_name: source }),
      ...this.#measures(measures),
      ...(keys.length > 0 && { group_by: keys }),
      ...(Object.keys(filter).length > 0 && { filter }),
      ...(kept.length > 0 && { having: { conditions: kept } }),
      ...orderOf(order, nameColumns(measures, groups), groups),
      ...this.#limit(limit.trim()),
    };
  }

  #blame(part: Fault["part"], place: number, message: string): void {
    this.faults.push({ part, place, message });
  }

  #measures(measures: readonly Measure[]): JsonObject {
    const written = measures.map(writeMeasure);
    const [first = {}] = written;
    for (const [place, { aggregation, percent = "" }] of measures.entries()) {
      const isMissing = percent.trim() === "" && measures.length < 2; // what one measure lacks, the kernel asks for
      if (takesPercent(aggregation) && !isMissing && !isPercent(percent))
        this.#blame("percent", place, "A percent from 0 to 100 is expected, such as 90 or 99.9.");
    }
    if (written.length < 2) return first;
    const texts = written.map((each) => JSON.stringify(each));
    for (const [place, { aggregation, metric }] of measures.entries()) {
      const text = texts[place] ?? "";
      if (aggregation === null) this.#blame("measure", place, "Choose what to compute.");
      else if (metric === null && aggregation !== "count") this.#blame("measure", place, "A column is missing.");
      else if (texts.indexOf(text) < place) this.#blame("measure", place, "This is computed already.");
    }
    return { measures: written };
  }

  #key({ column, unit, width }: GroupKey, place: number): JsonValue {
    if (unit !== undefined) return { column, unit };
    if (width === undefined) return column;
    const typed = width.trim();
    const isWidth = /^\d{1,15}(?:\.\d{1,15})?$/.test(typed) && /[1-9]/.test(typed);
    if (!isWidth) this.#blame("group", place, "A width above 0 is expected, such as 10 or 0.5.");
    return { column, width: typed };
  }

  #conditions(part: "condition" | "having", branch: ConditionBranch, subjects: Subjects): readonly JsonValue[] {
    let place = 0;
    const write = (tree: ConditionTree): JsonValue => {
      if ("parts" in tree) {
        const written = tree.parts.map(write).filter((each) => each !== null);
        const [first = null] = written;
        return written.length > 1 ? { [tree.joiner]: written } : first;
      }
      const known = subjects.get(tree.subject ?? "");
      const none = { misfit: part === "having" ? "A measure is missing." : "A column is missing." };
      const written = known === undefined ? none : conditionOf(tree, known);
      if ("misfit" in written) this.#blame(part, place, written.misfit);
      if ("period" in written) this.#period = written.period;
      place += 1;
      return "condition" in written ? written.condition : null;
    };
    const written = branch.parts.map(write).filter((each) => each !== null);
    return branch.joiner === "any" && written.length > 1 ? [{ any: written }] : written;
  }

  #limit(text: string): JsonObject {
    if (text === "") return {};
    const limit = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (limit > 0) return { limit };
    this.#blame("limit", 0, "A whole number above 0 is expected, or nothing.");
    return {};
  }
}

/** What a condition is on, and how it names that. */
interface Known {
  readonly subject: Pick<Subject, "type">;
  readonly named: JsonObject;
}

type Subjects = ReadonlyMap<string, Known>;

function writeMeasure({ aggregation, metric, percent }: Measure): JsonObject {
  const isOfPercent = takesPercent(aggregation) && percent !== undefined && isPercent(percent);
  return {
    ...(aggregation !== null && { aggregation }),
    ...(metric !== null && { metric }),
    ...(isOfPercent && { percent: trimPercent(percent) }),
  };
}

function isPercent(typed: string): boolean {
  return /^\d{1,3}(?:\.\d{1,4})?$/.test(typed.trim()) && Number(typed) <= 100; // percent are of a hundred
}

type Written = { readonly condition: JsonObject } | { readonly period: JsonObject } | { readonly misfit: string };

function conditionOf({ operator, operands }: Condition, { subject: { type }, named }: Known): Written {
  if (operator === null) return { misfit: "A comparison is missing." };
  const kind = arity(operator);
  if (kind === "none") return { condition: { ...named, op: operator } };
  if (kind === "period") {
    const [period] = operands;
    return period === undefined ? { misfit: "A period is missing." } : { period: { ...named, period } };
  }
  const texts = kind === "many" ? operands.filter((text) => type === "string" || text.trim() !== "") : operands;
  if (texts.length < (kind === "two" ? 2 : 1)) return { misfit: "A value is missing." };
  const values: JsonValue[] = [];
  for (const text of texts) {
    if (text === "" && (type !== "string" || kind === "many")) return { misfit: "A value is missing." };
    const written = operand(text, type);
    if ("misfit" in written) return written;
    values.push(written.value);
  }
  const [value = null] = values;
  return { condition: kind === "one" ? { ...named, op: operator, value } : { ...named, op: operator, values } };
}

/** By the first measure, largest first, needs no word where periods or bins do not order the answer by themselves. */
function orderOf(
  { by, place, direction }: Order,
  names: ReturnType<typeof nameColumns>,
  [first]: readonly GroupKey[],
): JsonObject {
  const isSeries = first?.unit !== undefined || first?.width !== undefined;
  if (by === "measure" && place === 0) return direction === "asc" || isSeries ? { order: direction } : {};
  const name = (by === "measure" ? names.measures : names.groups)[place];
  return name === undefined ? {} : { order_by: name, order: direction };
}
