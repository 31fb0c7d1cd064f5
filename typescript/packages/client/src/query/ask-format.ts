/** Writes a spec as its canonical ask line. */

import { type AskedSpec } from "../inputs.js";
import { type AskCondition, type AskForm, type AskKey, type AskMeasure, type AskSpec, type AskValue, isVariable, joinerOf, partsOf } from "./ask-spec.js"; // prettier-ignore
import { OPERATORS } from "./tables.js";
import { writeName, writeReal, writeZone } from "./text.js";
import { type Joiner } from "./types.js";
import { isInteger, type Operand, RealNumber } from "./values.js";

/** What stands between the parts of a group. */
export const JOINING_WORDS: Readonly<Record<Joiner, string>> = { all: " and ", any: " or " };
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?)?$/;

/** The canonical ask line of a spec; a missing aggregation shows as `<aggregation>`. */
export function formatAsk(asked: AskSpec | AskedSpec): string {
  const spec = asked as AskSpec;
  const period = spec.filter?.time_filter;
  const during = period === undefined ? [] : [`${writeName(period.column)} during ${period.period}`];
  const where = formatConditions(spec.filter?.conditions ?? [], during);
  const having = formatConditions(spec.having?.conditions ?? []);
  const keys = spec.group_by ?? [];
  const parts = [
    (spec.measures ?? [spec]).map(formatMeasure).join(", "),
    keys.length > 0 ? `by ${keys.map(formatKey).join(", ")}` : "",
    spec.source_name === undefined ? "" : `from ${writeName(spec.source_name)}`,
    where === "" ? "" : `where ${where}`,
    having === "" ? "" : `having ${having}`,
    formatOrder(spec),
    spec.limit === undefined ? "" : `limit ${String(spec.limit)}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function formatMeasure(measure: AskMeasure): string {
  const name = measure.aggregation ?? "<aggregation>";
  const words = measure.percent === undefined ? name : `${name} ${measure.percent} of`;
  return measure.metric === undefined ? words : `${words} ${writeName(measure.metric)}`;
}

function formatKey(key: AskKey): string {
  if (typeof key === "string") return writeName(key);
  const column = writeName(key.column);
  if (!("unit" in key)) return `${column} in bins of ${key.width}`;
  return `${key.unit} of ${column}${key.zone === undefined ? "" : ` in ${writeZone(key.zone)}`}`;
}

function formatOrder(spec: AskSpec): string {
  const by = spec.order_by === undefined ? [] : ["by", writeName(spec.order_by)];
  const words = ["order", ...by, ...(spec.order === undefined ? [] : [spec.order])];
  return words.length > 1 ? words.join(" ") : "";
}

/** A value as it stands in an ask line: a number as canonical JSON has it, a whole double with its point. */
export function formatValue(value: AskValue): string {
  if (isVariable(value)) return `$${value.variable}`;
  if (typeof value === "string") return DATE.test(value) ? value : quote(value);
  const text = writePlain(value);
  return typeof value === "number" && !Number.isFinite(value) ? quote(text) : text;
}

/** A value without quotes, which a text needs, and any value in a place of text. */
function writePlain(value: Operand): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return String(value);
  const number = value instanceof RealNumber ? value.value : value;
  if (isInteger(value)) return String(number + 0);
  return Number.isFinite(number) && !Number.isInteger(number) ? String(number) : writeReal(number);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Conditions that all hold; an *or* needs brackets where something else has to hold, too. */
function formatConditions(forms: readonly AskForm[], more: readonly string[] = []): string {
  const isAlone = forms.length + more.length === 1;
  return [...forms.map((form) => formatTree(form, !isAlone)), ...more].join(" and ");
}

function formatTree(form: AskForm, needsBrackets: boolean): string {
  const joiner = joinerOf(form);
  if (joiner === undefined) return formatCondition(form as AskCondition);
  const parts = partsOf(form, joiner);
  const isAlone = parts.length === 1;
  const text = parts
    .map((part) => formatTree(part, isAlone ? needsBrackets : joiner === "all"))
    .join(JOINING_WORDS[joiner]);
  return needsBrackets && joiner === "any" && !isAlone ? `(${text})` : text;
}

function formatCondition(condition: AskCondition): string {
  const record = OPERATORS[condition.op];
  const left = condition.column === undefined ? formatMeasure(condition) : writeName(condition.column);
  const words = `${left} ${record.ask[0]}`;
  const { value, values } = condition;
  const listed = values === undefined || isVariable(values) ? [] : values.map(formatValue);
  switch (record.takes) {
    case "none":
      return words;
    case "two":
      return `${words} ${values !== undefined && isVariable(values) ? formatValue(values) : listed.join(" and ")}`;
    case "list":
      return `${words} ${values !== undefined && isVariable(values) ? formatValue(values) : `(${listed.join(", ")})`}`;
    case "text":
      // Always quoted: the grammar asks for text here, and a date would otherwise stand bare.
      return `${words} ${isVariable(value) ? formatValue(value) : quote(writePlain(value ?? ""))}`;
    case "one":
      return `${words} ${formatValue(value ?? "")}`;
  }
}
