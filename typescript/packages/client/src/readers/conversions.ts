/** Texts to the types of columns, each text of a column or none: by the rules of Python's readers. */

import { findDecimalSize, type Column, type Nulls } from "../values/columns.js";
import { readDay, readMoment } from "../values/calendar.js";
import { HEAD, MOST_PERCENT, PATTERNS, PLACES, SPECIAL, WIDER, WIDTHS } from "./rules.js";
import {
  buildNumberPattern,
  isPlainNumber,
  PLAIN,
  rewriteDates,
  rewriteNumber,
  rewritePercents,
  type TextForm,
  type Texts,
} from "./text-forms.js";

/** What texts can be converted to: a physical type, or a moment with a zone. */
export type Kind = string;

const FULL: ReadonlyMap<Kind, RegExp> = new Map(
  Object.entries(PATTERNS).map(([kind, pattern]) => [
    kind,
    new RegExp(`^(?:${pattern})$`, kind === "boolean" ? "i" : ""),
  ]),
);
const SPECIAL_NUMBER = new RegExp(`^(?:${SPECIAL})$`);
const KINDS: readonly Kind[] = ["int64", "float64", "boolean", "date", "datetime", "datetime zoned"];
const LONGEST_SAFE = 15; // digits that every double holds

/** Returns the texts in the narrowest kind that all of them fit, written in that form; undefined if they stay text. */
export function convertFormed(texts: Texts, form: TextForm): Column | undefined {
  const isEmpty = texts.every((text) => text === null);
  if (form.dateFormat !== undefined && !isEmpty) {
    const dates = convertDates(texts, form.dateFormat);
    if (dates !== undefined) return dates;
  }
  if (form.percent && fitsAll(texts, form)) {
    const percents = convertPercents(rewritePercents(texts, { ...form, percent: false }));
    if (percents !== undefined) return percents;
  }
  if (isPlainNumber(form)) return convertNarrowest(texts);
  const numbers = { ...form, percent: false };
  if (fitsAll(texts, numbers)) return convertNarrowest(rewriteAll(texts, numbers));
  const found = convertNarrowest(texts);
  return found !== undefined && ["int64", "float64", "decimal"].includes(found.kind) ? undefined : found;
}

/** Returns texts of that form in a kind; undefined if any of them does not fit it. */
export function convertTo(texts: Texts, kind: Kind, form: TextForm): Column | undefined {
  if (kind.startsWith("date") && form.dateFormat !== undefined) {
    const dates = rewriteDates(texts, form.dateFormat);
    if (dates.every((date, row) => date !== null || texts[row] === null)) return convert(dates, kind);
  }
  if (kind === "int64" || kind === "float64" || kind.startsWith("decimal")) {
    if (form.percent && fitsAll(texts, form)) return convert(rewritePercents(texts, { ...form, percent: false }), kind);
    const numbers = { ...form, percent: false };
    if (!isPlainNumber(numbers)) {
      const isFitting = texts.every((text) => text === null) || fitsAll(texts, numbers);
      return isFitting ? convert(rewriteAll(texts, numbers), kind) : undefined;
    }
  }
  return convert(texts, kind);
}

/** The kinds to try for a declared type. */
export function listKinds(declared: string): readonly Kind[] {
  if (declared === "number") return WIDER.int64;
  return declared === "datetime" ? ["datetime", "datetime zoned"] : [declared];
}

/** Returns the row, from 0, of the first text that does not fit any of the kinds. */
export function findMisfit(texts: Texts, kinds: readonly Kind[], form: TextForm = PLAIN): number {
  const firsts = kinds.map((kind) => texts.findIndex((text) => convertTo([text], kind, form) === undefined));
  return Math.max(0, ...firsts);
}

function rewriteAll(texts: Texts, form: TextForm): Texts {
  return texts.map((text) => (text === null ? null : rewriteNumber(text, form)));
}

function fitsAll(texts: Texts, form: TextForm): boolean {
  const pattern = buildNumberPattern(form);
  let isEmpty = true;
  for (const text of texts) {
    if (text === null) continue;
    isEmpty = false;
    if ((form.percent && text.length > MOST_PERCENT) || !pattern.test(text)) return false;
  }
  return !isEmpty;
}

function convertDates(texts: Texts, format: string): Column | undefined {
  const dates = rewriteDates(texts, format);
  if (dates.some((date, row) => date === null && texts[row] !== null)) return undefined;
  return convert(dates, "date") ?? convert(dates, "datetime");
}

function convertPercents(texts: Texts): Column | undefined {
  const first = texts.find((text) => text !== null) ?? "";
  const places = first.includes(".") ? first.length - 1 - first.indexOf(".") : 0;
  return places > 0 && places <= WIDTHS[1] ? convertToDecimal(texts, places) : undefined;
}

/** Returns the texts in the narrowest kind that all of them fit, as programs write it; undefined if they stay text. */
export function convertNarrowest(texts: Texts): Column | undefined {
  const head = readHead(texts.length, (row) => texts[row] ?? null);
  const proposed = proposeKind(head);
  if (proposed === undefined) return undefined;
  const places = proposed === "float64" ? findHeadPlaces(head) : undefined;
  const fixed = places === undefined ? undefined : convertFixed(texts, places);
  if (fixed !== undefined) return fixed;
  for (const kind of WIDER[proposed]) {
    const converted = convert(texts, kind);
    if (converted === undefined) continue;
    return kind === "float64" && isNoDouble(texts, converted, proposed) ? undefined : converted;
  }
  return undefined;
}

/** Returns the first texts of a column: those of its first rows, or if all of these are null the first there are. */
export function readHead(count: number, readText: (row: number) => string | null): readonly string[] {
  const head: string[] = [];
  for (let row = 0; row < count && head.length < HEAD; row += 1) {
    if (row === HEAD * 5 && head.length > 0) break;
    const text = readText(row);
    if (text !== null) head.push(text);
  }
  return head;
}

/** The kind that the first texts of a column suggest; undefined if none does. */
export function proposeKind(head: readonly string[]): keyof typeof WIDER | undefined {
  if (head.length === 0) return undefined;
  const found = KINDS.find((kind) => head.every((text) => FULL.get(kind)?.test(text) ?? false));
  return found as keyof typeof WIDER | undefined;
}

/** Counts the places that all of these numbers have after the point; undefined where they differ or are not money's. */
export function findHeadPlaces(head: readonly string[]): number | undefined {
  const places = new Set(head.map((text) => (text.includes(".") ? text.length - 1 - text.lastIndexOf(".") : 0)));
  const [only = 0] = places;
  return places.size === 1 && only >= PLACES[0] && only <= PLACES[1] ? only : undefined;
}

function convertFixed(texts: Texts, places: number): Column | undefined {
  const pattern = new RegExp(`^-?(?:0|[1-9][0-9]*)?\\.[0-9]{${String(places)}}$`);
  return texts.every((text) => text === null || pattern.test(text)) ? convertToDecimal(texts, places) : undefined;
}

/** Returns plain numbers of at most that many places as decimals of 18 digits, or else 38; undefined if these are few. */
function convertToDecimal(texts: Texts, places: number): Column | undefined {
  for (const precision of WIDTHS) {
    const converted = convertDecimals(texts, precision, places);
    if (converted !== undefined) return converted;
  }
  return undefined;
}

function isNoDouble(texts: Texts, converted: Column, proposed: Kind): boolean {
  if (converted.kind !== "float64") return false;
  const { values, nulls } = converted;
  if (!values.some((value, row) => nulls?.[row] !== 1 && Number.isFinite(value))) return true;
  return proposed === "int64" && texts.every((text) => text === null || isOfKind(text, "int64"));
}

/** Whether a whole text is of a kind, as programs write it. */
export function isOfKind(text: string, kind: Kind): boolean {
  return FULL.get(kind)?.test(text) ?? false;
}

/** Returns the texts converted; undefined if any of them does not fit the kind's rule. */
export function convert(texts: Texts, kind: Kind): Column | undefined {
  switch (kind) {
    case "int64":
      return convertWhole(texts);
    case "float64":
      return convertDoubles(texts);
    case "boolean":
      return convertBooleans(texts);
    case "date":
      return convertDays(texts);
    case "datetime":
      return convertMoments(texts, false);
    case "datetime zoned":
      return convertMoments(texts, true);
    case "string":
      return { kind: "string", values: texts };
    default: {
      const size = findDecimalSize(kind);
      return size === undefined || !fitsDecimals(texts, size.precision, size.scale)
        ? undefined
        : convertDecimals(texts, size.precision, size.scale);
    }
  }
}

/** Finds out where texts are null. */
export function findNulls(values: readonly unknown[]): Nulls {
  let nulls: Uint8Array | undefined;
  for (let row = 0; row < values.length; row += 1) {
    if (values[row] !== null) continue;
    nulls ??= new Uint8Array(values.length);
    nulls[row] = 1;
  }
  return nulls;
}

export const LEAST_INT64 = -(2n ** 63n);
export const MOST_INT64 = 2n ** 63n - 1n;

function convertWhole(texts: Texts): Column | undefined {
  const values = new BigInt64Array(texts.length);
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row] ?? null;
    if (text === null) continue;
    if (!isOfKind(text, "int64") || text.length > 20) return undefined;
    const value = text.length <= LONGEST_SAFE ? BigInt(Number(text)) : BigInt(text);
    if (value < LEAST_INT64 || value > MOST_INT64) return undefined;
    values[row] = value;
  }
  return { kind: "int64", values, nulls: findNulls(texts) };
}

function convertDoubles(texts: Texts): Column | undefined {
  const values = new Float64Array(texts.length);
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row] ?? null;
    if (text === null) continue;
    const value = readDouble(text);
    if (value === undefined) return undefined;
    values[row] = value;
  }
  return { kind: "float64", values, nulls: findNulls(texts) };
}

/** The double of a text; undefined if it is none, or beyond all of them. */
export function readDouble(text: string): number | undefined {
  if (!isOfKind(text, "float64")) return undefined;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  if (!SPECIAL_NUMBER.test(text)) return undefined;
  return /^nan$/i.test(text) ? Number.NaN : text.startsWith("-") ? -Infinity : Infinity;
}

function fitsDecimals(texts: Texts, precision: number, scale: number): boolean {
  const whole = precision - scale;
  const integer = whole > 0 ? `-?(?:0|[1-9][0-9]{0,${String(whole - 1)}})` : "-?0";
  const places = String(scale);
  const number = `${integer}(?:\\.[0-9]{0,${places}}0*)?|-?\\.[0-9]{1,${places}}0*`;
  const pattern = new RegExp(`^(?:${scale > 0 ? number : integer})$`);
  return texts.every((text) => text === null || pattern.test(text));
}

/** Returns plain numbers in a decimal type; undefined where one has more digits than it holds. */
function convertDecimals(texts: Texts, precision: number, scale: number): Column | undefined {
  const most = 10n ** BigInt(precision);
  const isShort = precision <= WIDTHS[0];
  const values: BigInt64Array | bigint[] = isShort ? new BigInt64Array(texts.length) : [];
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row] ?? null;
    const units = text === null ? 0n : readUnits(text, scale);
    if (units <= -most || units >= most) return undefined;
    values[row] = units;
  }
  return { kind: "decimal", values, nulls: findNulls(texts), precision, scale };
}

/** The number of a text without an exponent, in units of so many places; places beyond them are zeros. */
function readUnits(text: string, scale: number): bigint {
  const point = text.indexOf(".");
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = (point < 0 ? "" : text.slice(point + 1)).padEnd(scale, "0").slice(0, scale);
  const digits = whole + fraction;
  if (digits.length <= LONGEST_SAFE) return BigInt(Number(digits));
  return digits.startsWith("-") ? -BigInt(digits.slice(1)) : BigInt(digits);
}

function convertBooleans(texts: Texts): Column | undefined {
  if (!texts.every((text) => text === null || isOfKind(text, "boolean"))) return undefined;
  const values = Uint8Array.from(texts, (text) => (text?.toLowerCase() === "true" ? 1 : 0));
  return { kind: "boolean", values, nulls: findNulls(texts) };
}

function convertDays(texts: Texts): Column | undefined {
  const values = new Int32Array(texts.length);
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row] ?? null;
    const days = text === null ? 0 : readDay(text);
    if (days === undefined) return undefined;
    values[row] = days;
  }
  return { kind: "date", values, nulls: findNulls(texts) };
}

function convertMoments(texts: Texts, isZoned: boolean): Column | undefined {
  const values = new BigInt64Array(texts.length);
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row] ?? null;
    const micros = text === null ? 0n : readMoment(text, isZoned);
    if (micros === undefined) return undefined;
    values[row] = micros;
  }
  return { kind: "datetime", values, nulls: findNulls(texts), isZoned };
}
