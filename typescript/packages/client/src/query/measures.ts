/** Measures and group keys: how they are written and spelled, and what their values are. */

import { type AskKey, type AskMeasure } from "./ask-spec.js";
import { Decimal } from "./decimal.js";
import { AGGREGATIONS } from "./tables.js";
import { writeZone } from "./text.js";
import { type AskedMeasure, type GroupKey } from "./types.js";
import { type Field, findScale } from "../values/columns.js";

const MOST_DIGITS = 38;

/** A measure as specs and plans have it: a percent as decimal text. */
export function writeMeasure(measure: AskedMeasure): AskMeasure {
  const { aggregation, metric, percent } = measure;
  return {
    aggregation,
    ...(metric !== undefined && { metric }),
    ...(percent !== undefined && { percent: percent.toString() }),
  };
}

/** A measure in words: `sum revenue`, `percentile 90 of delay`, and `count` of rows. */
export function spellMeasure({ aggregation, metric, percent }: AskedMeasure): string {
  const words = percent === undefined ? aggregation : `${aggregation} ${percent.toString()} of`;
  return metric === undefined ? words : `${words} ${metric}`;
}

export function sameMeasure(one: AskedMeasure, other: AskedMeasure): boolean {
  const [percent, second] = [one.percent?.toString(), other.percent?.toString()];
  return one.aggregation === other.aggregation && one.metric === other.metric && percent === second;
}

/** The type of a measure's values; `fields` are those of the source. */
export function buildMeasureField(name: string, measure: AskedMeasure, fields: ReadonlyMap<string, Field>): Field {
  const field = measure.metric === undefined ? undefined : fields.get(measure.metric);
  if (field === undefined) return { name, type: "number", physical: "int64" };
  const physical = holdResult(measure, field.physical);
  return physical === field.physical ? { ...field, name } : { name, type: "number", physical };
}

/** The physical type of an aggregation's result over a column of a physical type. */
export function holdResult({ aggregation }: AskedMeasure, physical: string): string {
  const { held } = AGGREGATIONS[aggregation];
  if (held === "as column") return physical;
  if (held === "exact") return physical.endsWith(",0)") ? "int64" : physical;
  return held;
}

// --- group keys ---------------------------------------------------------------------------------------------------------

/** The column that a key is made of. */
export function columnOf(key: GroupKey): string {
  return typeof key === "string" ? key : key.column;
}

/** A group key as specs and plans have it: a width as decimal text. */
export function writeKey(key: GroupKey): AskKey {
  if (typeof key === "string") return key;
  if (!("unit" in key)) return { column: key.column, width: key.width.toString() };
  return { column: key.column, unit: key.unit, ...(key.zone !== undefined && { zone: key.zone }) };
}

/**
 * Whether groups are a series, which its keys order where nobody says what does: their first key is a period or a bin.
 * Of a result that a limit cuts, the measure decides what its first rows are.
 */
export function formSeries([first]: readonly unknown[], limit: unknown): boolean {
  return limit === undefined && first !== undefined && typeof first !== "string";
}

export function sameKey(one: GroupKey, other: GroupKey): boolean {
  if (typeof one === "string" || typeof other === "string") return one === other;
  return describeKey(one) === describeKey(other);
}

/** A key as the ask line has it. */
export function describeKey(key: GroupKey): string {
  if (typeof key === "string") return key;
  if (!("unit" in key)) return `${key.column} in bins of ${key.width.toString()}`;
  return `${key.unit} of ${key.column}${key.zone === undefined ? "" : ` in ${writeZone(key.zone)}`}`;
}

export function describeKeys(keys: readonly GroupKey[]): string {
  return keys.map(describeKey).join(", ");
}

/** The names of the keys in the result, each different: columns as they are called, others after them. */
export function nameKeys(keys: readonly GroupKey[]): string[] {
  const taken = new Set(keys.filter((key) => typeof key === "string"));
  return keys.map((key) => {
    if (typeof key === "string") return key;
    let name = `${key.column}_${"unit" in key ? key.unit : "bin"}`;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return name;
  });
}

/** The field that a key's values have: of a column, made of its `field`. */
export function buildKeyField(key: GroupKey, field: Field): Field {
  if (typeof key === "string") return field;
  if ("unit" in key) {
    const zone = key.zone ?? field.zone;
    return { name: field.name, type: "date", physical: "date", ...(zone !== undefined && { zone }) };
  }
  const scale = findScale(field.physical);
  if (!field.physical.startsWith("decimal") || scale === undefined) return field;
  return { ...field, physical: `decimal(${String(MOST_DIGITS)},${String(scale)})` };
}

/** Why a column cannot be grouped so; undefined where it can. */
export function explainMisfit(key: GroupKey, field: Field): string | undefined {
  if (typeof key === "string") return undefined;
  if ("unit" in key) {
    const fits = field.type === "date" || field.type === "datetime";
    if (!fits) return `${key.unit} needs a date or datetime column; ${field.name} is ${field.type}.`;
    if (key.zone === undefined || field.zone !== undefined) return undefined;
    const holds = field.type === "date" ? "dates, which no zone moves" : "times of which no zone is known";
    return `${key.zone} needs a column of times with a zone; ${field.name} holds ${holds}.`;
  }
  if (field.type !== "number") return `Bins need a number column; ${field.name} is ${field.type}.`;
  const scale = findScale(field.physical);
  if (scale === undefined || key.width.scale <= scale) return undefined;
  const after = scale === 0 ? "whole numbers" : `numbers of ${String(scale)} digits after the point`;
  return `${field.name} holds ${after}; bins of ${key.width.toString()} do not begin at such numbers.`;
}

/** The percents that are offered to a percentile without one. */
export function percentOf(percent: number): Decimal {
  return Decimal.of(BigInt(percent));
}
