/** The options of a source, and the limits on what is read. */

import { ServiceError } from "../errors.js";
import { findNearest } from "../query/matching.js";
import { DECIMALS, LIMITS, THOUSANDS } from "./rules.js";
import { describeValue, quoteText } from "../query/text.js";
import { buildDatePattern, isCurrency, PLAIN, type TextForm } from "./text-forms.js";

/** Bounds on what comes from outside. */
export interface Limits {
  readonly textBytes: number;
  readonly jsonBytes: number;
  readonly columns: number;
  readonly nameChars: number;
  readonly cellChars: number;
  readonly cells: number;
  readonly inflateRatio: number;
  readonly groups: number;
  /** Of a query or a table of SQLite, beside what its size takes. */
  readonly sqlSeconds: number;
}

const MOST_TEXT = 2 ** 29 - 25; // characters that a text of JavaScript can have

export const DEFAULT_LIMITS: Limits = {
  textBytes: Math.min(LIMITS.text_bytes, MOST_TEXT),
  jsonBytes: Math.min(LIMITS.json_bytes, MOST_TEXT),
  columns: LIMITS.columns,
  nameChars: LIMITS.name_chars,
  cellChars: LIMITS.cell_chars,
  cells: LIMITS.cells,
  inflateRatio: LIMITS.inflate_ratio,
  groups: LIMITS.groups,
  sqlSeconds: 30,
};

/** How a source is read; what is left out is found out, or has its default. */
export interface ReadingOptions {
  /** Types by column: string, number, boolean, date, datetime, int64, float64, decimal(p,s). */
  readonly types?: Readonly<Record<string, string>> | undefined;
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  /** What stands for null beside the empty cell. */
  readonly nulls?: readonly string[] | undefined;
  readonly thousands?: string | undefined;
  readonly decimal?: string | undefined;
  readonly dateFormat?: string | undefined;
  readonly percent?: boolean | undefined;
  readonly trim?: boolean | undefined;
  /** The sign that numbers of money carry, as it stands in the file: €, CHF. */
  readonly currency?: string | undefined;
}

/** The options that decide what is read, as they were given: part of a source's id. */
export type Reading = Readonly<Record<string, string | boolean | readonly string[] | Readonly<Record<string, string>>>>;

/** Options that were checked. */
export interface ReadOptions {
  readonly types: ReadonlyMap<string, string>;
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
  readonly nulls: ReadonlySet<string>;
  readonly form: TextForm;
  readonly limits: Limits;
  readonly reading: Reading;
}

/** What only delimited text has. */
export const OF_TEXT = ["delimiter", "encoding", "nulls"] as const;
/** How numbers and dates are written, in texts of any source that is not typed by itself. */
export const OF_FORM = ["decimal", "thousands", "dateFormat", "percent", "trim", "currency"] as const;
const KNOWN: readonly string[] = ["types", ...OF_TEXT, ...OF_FORM];
const MOST_FORMAT = 60; // characters of a date format
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * Checks the options of a source.
 *
 * @throws {ServiceError} `invalid_intent` of an option that holds what it cannot.
 */
export function checkOptions(given: ReadingOptions, limits: Limits): ReadOptions {
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    const near = findNearest(unknown, KNOWN);
    const message = `There is no option ${quoteText(unknown)}; expected one of ${KNOWN.join(", ")}.`;
    const details = {
      path: quoteText(unknown),
      expected: [...KNOWN],
      did_you_mean: near.length > 0 ? near : undefined,
    };
    throw new ServiceError("invalid_intent", message, { details });
  }
  for (const name of ["delimiter", "encoding", "dateFormat"] as const)
    if (given[name] !== undefined && typeof given[name] !== "string") throw optionError(name, given[name], "text");
  for (const name of ["percent", "trim"] as const)
    if (given[name] !== undefined && typeof given[name] !== "boolean")
      throw optionError(name, given[name], "true or false");
  checkSign("thousands", given.thousands, THOUSANDS);
  checkSign("decimal", given.decimal, DECIMALS);
  const types = readTypes(given.types);
  const nulls: unknown = given.nulls ?? [];
  if (!Array.isArray(nulls) || !nulls.every((each) => typeof each === "string"))
    throw optionError("nulls", nulls, "a list of texts");
  return {
    types,
    delimiter: given.delimiter,
    encoding: given.encoding,
    nulls: new Set(nulls),
    form: buildForm(given),
    limits,
    reading: describeReading(given, types),
  };
}

/**
 * Refuses options that an input of a kind does not have.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function refuseOptions(
  given: ReadingOptions,
  options: readonly (typeof OF_TEXT | typeof OF_FORM)[number][],
  kind: string,
): void {
  const name = options.find((each) => isGiven(given[each]));
  if (name === undefined) return;
  const message = `The option ${name} does not apply to this kind of input.`;
  throw new ServiceError("invalid_intent", message, { details: { path: name, met: kind } });
}

function isGiven(value: string | boolean | readonly string[] | undefined): boolean {
  return typeof value === "object" ? value.length > 0 : Boolean(value);
}

function readTypes(given: unknown): ReadonlyMap<string, string> {
  if (given === undefined) return new Map();
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw optionError("types", given, "texts by name");
  const pairs = Object.entries(given as Readonly<Record<string, unknown>>);
  const checked = pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
  if (checked.length < pairs.length) throw optionError("types", given, "texts by name");
  return new Map(checked);
}

function checkSign(name: string, value: unknown, known: readonly string[]): void {
  if (value !== undefined && !known.some((each) => each === value))
    throw optionError(name, value, `one of ${known.map(quoteText).join(", ")}`);
}

function buildForm(given: ReadingOptions): TextForm {
  const decimal = given.decimal ?? PLAIN.decimal;
  if (given.thousands === decimal) {
    const message = `'${decimal}' cannot stand both between thousands and before decimal places.`;
    const hint = `Pass {decimal: "${decimal === "." ? "," : "."}", thousands: "${decimal}"}.`;
    const details = { path: "thousands", met: decimal, expected: "two signs" };
    throw new ServiceError("invalid_intent", message, { hint, details });
  }
  if (given.dateFormat !== undefined) {
    if (given.dateFormat.length > MOST_FORMAT || UNPRINTABLE.test(given.dateFormat))
      throw optionError("dateFormat", given.dateFormat, "a short text such as %d.%m.%Y");
    buildDatePattern(given.dateFormat);
  }
  const { currency } = given;
  if (currency !== undefined && !(typeof currency === "string" && isCurrency(currency)))
    throw optionError("currency", currency, "the sign as it stands in the file, such as '€' or 'CHF'");
  return {
    currency,
    decimal,
    thousands: given.thousands,
    dateFormat: given.dateFormat,
    percent: given.percent ?? false,
    trim: given.trim ?? false,
  };
}

function describeReading(given: ReadingOptions, types: ReadonlyMap<string, string>): Reading {
  const nulls = [...new Set(given.nulls ?? [])].sort();
  const found: Record<string, Reading[string] | undefined> = {
    types: types.size > 0 ? Object.fromEntries(types) : undefined,
    nulls: nulls.length > 0 ? nulls : undefined,
    delimiter: given.delimiter,
    encoding: given.encoding,
    thousands: given.thousands,
    decimal: given.decimal === PLAIN.decimal ? undefined : given.decimal,
    date_format: given.dateFormat,
    percent: given.percent,
    trim: given.trim,
    currency: given.currency,
  };
  const known = Object.entries(found).filter((pair): pair is [string, Reading[string]] => Boolean(pair[1]));
  return Object.fromEntries(known);
}

export function optionError(path: string, value: unknown, expected: string): ServiceError {
  const met = describeValue(value);
  const message = `${path} is ${met}; expected ${expected}.`;
  return new ServiceError("invalid_intent", message, { details: { path, met, expected } });
}
