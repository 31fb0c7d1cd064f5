/**
 * Reads a caller's spec into a well-formed `QuerySpec`: its shape is checked here; sources and meaning are for `resolve`.
 *
 * A fault here is the caller's (`invalid_intent`); a well-formed question that cannot be answered is an outcome.
 */

import { isObject } from "@service-nb/records";
import { readHaving, readFilter } from "./spec-conditions.js";
import { Decimal, dropZeros, findMagnitude, readWritten, type Written } from "./decimal.js";
import { invalidIntent, limitExceeded } from "./faults.js";
import { formSeries, sameKey, sameMeasure, spellMeasure } from "./measures.js";
import {
  checkSize,
  type Members,
  misfitError,
  readChoice,
  readMembers,
  readName,
  readOptionalName,
} from "./reading.js";
import { AGGREGATIONS, DATE_UNITS, GROUP_KEYS, LIMITS, MEASURE_KEYS, SPEC_KEYS } from "./tables.js";
import { describeValue, foldCase, quoteText } from "./text.js";
import { type AggregationName, type AskedMeasure, type GroupKey, type Order, type Question } from "./types.js";
import { countChars } from "../values/order.js";
import { hasZone, listZones, UTC } from "../values/zones.js";
import { findNearest } from "./matching.js";
import { RealNumber } from "./values.js";

const AGGREGATION_NAMES = Object.keys(AGGREGATIONS) as AggregationName[];
const ORDERS: readonly Order[] = ["asc", "desc"];
const MOST_NEAR_ZONES = 5;
const SHORTENED = 27; // digits of a width whose zeros at the end are dropped

/**
 * Checks the shape of a QuerySpec, and returns it typed.
 *
 * @throws {ServiceError} `invalid_intent` of an unknown key, a wrong type or choice; `limit_exceeded` of too much.
 */
export function parseSpec(raw: unknown): Question {
  const spec = readMembers(raw, "spec", SPEC_KEYS);
  const { conditions, timeFilter } = readFilter(spec.filter);
  const asked = readMeasures(spec);
  const groupBy = readGroupBy(spec.group_by);
  const limit = readLimit(spec.limit);
  const orderBy = readOptionalName(spec.order_by, "order_by");
  const isOpen = orderBy !== undefined || formSeries(groupBy, limit); // by what, and from which end
  return {
    ...asked,
    groupBy,
    conditions,
    timeFilter,
    having: readHaving(spec.having, readMeasure),
    variables: {},
    orderBy,
    order: spec.order === undefined ? (isOpen ? undefined : "desc") : readChoice(spec.order, "order", ORDERS),
    limit,
    sourceName: readOptionalName(spec.source_name, "source_name"),
  };
}

type Asked = Pick<Question, "aggregation" | "metric" | "percent" | "more">;

/** What is asked for: `aggregation` and `metric`, or `measures` in their place, of which one is the first. */
function readMeasures(spec: Members<(typeof SPEC_KEYS)[number]>): Asked {
  const { aggregation, metric, percent, measures } = spec;
  if (measures === undefined) {
    const name = aggregation === undefined ? undefined : readChoice(aggregation, "aggregation", AGGREGATION_NAMES);
    const share = readPercent(percent, "percent", name);
    return { aggregation: name, metric: readOptionalName(metric, "metric"), percent: share, more: [] };
  }
  const both = (["aggregation", "metric", "percent"] as const).find((key) => spec[key] !== undefined);
  if (both !== undefined) {
    const details = { path: "measures", met: both };
    throw invalidIntent(`The spec has \`measures\` and \`${both}\`.`, details, "Put them all into `measures`.");
  }
  if (!Array.isArray(measures) || measures.length === 0) throw misfitError("measures", measures, "a list of measures");
  checkSize(measures.length, LIMITS.measures, "measures", "measures");
  const [first, ...more] = Array.from(measures, (each: unknown, at) =>
    readMeasure(each, `measures[${String(at)}]`),
  ) as [AskedMeasure];
  (more as AskedMeasure[]).forEach((each, at) => {
    if (![first, ...(more as AskedMeasure[]).slice(0, at)].some((other) => sameMeasure(each, other))) return;
    const met = spellMeasure(each);
    throw invalidIntent(`measures names ${quoteText(met)} twice.`, { path: `measures[${String(at + 1)}]`, met });
  });
  return { aggregation: first.aggregation, metric: first.metric, percent: first.percent, more };
}

function readMeasure(raw: unknown, path: string): AskedMeasure {
  const parts = readMembers(raw, path, MEASURE_KEYS);
  const aggregation = readChoice(parts.aggregation, `${path}.aggregation`, AGGREGATION_NAMES);
  const metric = readOptionalName(parts.metric, `${path}.metric`);
  return { aggregation, metric, percent: readPercent(parts.percent, `${path}.percent`, aggregation) };
}

/** The percent of a percentile: a decimal from 0 to 100 of few digits. */
function readPercent(raw: unknown, path: string, aggregation: AggregationName | undefined): Decimal | undefined {
  if (raw === undefined) return undefined;
  if (aggregation === undefined || !AGGREGATIONS[aggregation].takesPercent)
    throw invalidIntent(
      `${path} belongs to percentiles; the aggregation is ${aggregation ?? "missing"}.`,
      { path, met: describeValue(raw), expected: "no percent" },
      'Ask for {"aggregation": "percentile", "percent": 90}, or leave `percent` out.',
    );
  const written = readNumeral(raw);
  const percent = written === undefined || isBeyond(written) ? undefined : Decimal.fromWritten(written);
  if (written === undefined || percent === undefined || percent.units < 0n || percent.compare(Decimal.of(100n)) > 0)
    throw misfitError(path, raw, "a number from 0 to 100");
  const places = written.digits.length <= LIMITS.widthDigits ? percent.scale : -written.exponent;
  if (places > LIMITS.percentPlaces)
    throw limitExceeded(`${path} has more than ${String(LIMITS.percentPlaces)} digits behind its point.`, {
      path,
      limit: LIMITS.percentPlaces,
      limit_name: "digits",
    });
  return percent;
}

/** Whether a number is far beyond every percent, so that nobody writes it out. */
function isBeyond(written: Written): boolean {
  return written.digits !== "0" && findMagnitude(written) > LIMITS.digits;
}

/** A number as it is written, in a text or as a number; undefined of anything else. */
function readNumeral(raw: unknown): Written | undefined {
  if (raw instanceof RealNumber) return readWritten(String(raw.value));
  if (typeof raw === "number" || typeof raw === "bigint") return readWritten(String(raw));
  return typeof raw === "string" && raw.length <= LIMITS.digits ? readWritten(raw) : undefined;
}

function readGroupBy(raw: unknown): readonly GroupKey[] {
  if (raw === undefined) return [];
  const keys: unknown = typeof raw === "string" || (isObject(raw) && Object.hasOwn(raw, "column")) ? [raw] : raw;
  if (!Array.isArray(keys)) throw misfitError("group_by", raw, "a column name or a list of them");
  checkSize(keys.length, LIMITS.groupBy, "group_by", "columns");
  const checked = Array.from(keys, (key: unknown, at) => readKey(key, `group_by[${String(at)}]`));
  const twice = checked.find((key) => checked.filter((other) => sameKey(key, other)).length > 1);
  if (twice === undefined) return checked;
  const met = typeof twice === "string" ? twice : twice.column;
  throw invalidIntent(`group_by names ${quoteText(met)} twice.`, { path: "group_by", met });
}

function readKey(raw: unknown, path: string): GroupKey {
  if (!isObject(raw)) return readName(raw, path);
  const parts = readMembers(raw, path, GROUP_KEYS);
  const column = readName(parts.column, `${path}.column`);
  const { unit, width, zone } = parts;
  if ((unit === undefined) === (width === undefined))
    throw invalidIntent(
      `${path} takes either \`unit\` or \`width\`.`,
      { path, expected: "unit or width" },
      `Give a unit (${DATE_UNITS.join(", ")}) to group a date, or a width to group numbers into bins.`,
    );
  if (width === undefined) {
    const named = readChoice(unit, `${path}.unit`, DATE_UNITS);
    return { column, unit: named, ...(zone !== undefined && { zone: readZone(zone, `${path}.zone`) }) };
  }
  if (zone !== undefined)
    throw invalidIntent(`${path}: a zone belongs to a \`unit\`.`, { path, met: "zone", expected: "no zone" });
  return { column, width: readWidth(width, `${path}.width`) };
}

/** The zones that a name may stand for: another case, the city alone, or a few letters off. */
function findNearZones(name: string): readonly string[] {
  const names = listZones();
  const wanted = foldCase(name).replaceAll(" ", "_");
  const same = names.filter((zone) => {
    const folded = foldCase(zone);
    return wanted === folded || wanted === folded.slice(folded.lastIndexOf("/") + 1);
  });
  return (same.length > 0 ? same : findNearest(name, names)).slice(0, MOST_NEAR_ZONES);
}

/** The name of a time zone; of one that is unknown, what is expected are those that it may stand for. */
function readZone(raw: unknown, path: string): string {
  if (typeof raw === "string" && hasZone(raw)) return raw;
  const near = typeof raw === "string" && countChars(raw) <= LIMITS.zone ? findNearZones(raw) : [];
  const [first] = near;
  throw invalidIntent(
    `${describeValue(raw)} is no time zone of the tz database.`,
    {
      path,
      met: describeValue(raw),
      expected: near.length > 0 ? near : [UTC],
      ...(near.length > 0 && { did_you_mean: near }),
    },
    first === undefined
      ? "Write it as Europe/Berlin, or leave it out: then it is UTC."
      : `Did you mean ${quoteText(first)}?`,
  );
}

/** The width of bins: a positive decimal of few digits. */
function readWidth(raw: unknown, path: string): Decimal {
  const written = readNumeral(raw);
  if (written === undefined || written.isNegative || written.digits === "0")
    throw misfitError(path, raw, "a number above 0");
  const shown = written.digits.length <= SHORTENED ? dropZeros(written) : written;
  if (Math.max(shown.digits.length, findMagnitude(shown) + 1, -shown.exponent) > LIMITS.widthDigits)
    throw limitExceeded(`${path} has more than ${String(LIMITS.widthDigits)} digits.`, {
      path,
      limit: LIMITS.widthDigits,
      limit_name: "digits",
    });
  return Decimal.fromWritten(shown);
}

function readLimit(raw: unknown): number | undefined {
  if (raw === undefined) return undefined;
  const isWhole = typeof raw === "bigint" || (typeof raw === "number" && Number.isSafeInteger(raw));
  if (!isWhole || raw < 1) throw misfitError("limit", raw, "a positive integer");
  checkSize(raw, LIMITS.rows, "limit", "rows");
  return Number(raw);
}
