/** Rows and values that may mean something else: by the rules of `service_nb/readers/doubtful_rows.py`. */

import { type ReadingNote } from "@service-nb/records";
import { toExactText } from "../engine/values.js";
import { readDay } from "../values/calendar.js";
import { type Column, describePhysical, type Field, type Table } from "../values/columns.js";
import { type TellPlace } from "./changed-texts.js";
import { PATTERNS, SENTINELS, TOTALS, YEARS } from "./rules.js";

const NUMBER = new RegExp(`^(?:${PATTERNS.float64})$`);
const MOMENT = new RegExp(`^(?:${PATTERNS.datetime})$`);
const NULL_TEXT = /^-?[0-9.]{1,12}$/;
const NINES: ReadonlySet<number> = new Set([...SENTINELS.nines, SENTINELS.alone]);
const MOST_NINES = Math.max(...SENTINELS.nines);
const WORDS: ReadonlySet<string> = new Set(TOTALS.words);
const EVEN = 1e-9;

type Numbers = Extract<Column, { kind: "float64" | "int64" | "decimal" }>;

/** The texts of a file that columns were made of. */
export interface Texts {
  readonly tell: TellPlace;
  /** The text of a cell as it stands in the file; undefined where there are none. */
  readonly read?: (row: number, column: number) => string | null;
}

/** Finds what the rows of a table may mean beside what they say. */
export function findRowNotes(table: Table, texts: Texts): readonly ReadingNote[] {
  if (table.rowCount === 0) return [];
  return [...noteHeader(table.fields), ...noteTotal(table, texts.tell), ...noteSentinels(table, texts)];
}

function isNumbers(column: Column): column is Numbers {
  return column.kind === "float64" || column.kind === "int64" || column.kind === "decimal";
}

function isNull(column: Column, row: number): boolean {
  return column.kind === "string" ? (column.values[row] ?? null) === null : column.nulls?.[row] === 1;
}

function countNulls(column: Column, rows: number): number {
  let count = 0;
  for (let row = 0; row < rows; row += 1) if (isNull(column, row)) count += 1;
  return count;
}

// --- a total -------------------------------------------------------------------------------------------------------

/** A last row that adds up those above it: it says so, or its first cell alone is empty, or all of it are sums. */
function noteTotal({ fields, columns, rowCount }: Table, tell: TellPlace): readonly ReadingNote[] {
  const [first] = columns;
  const last = rowCount - 1;
  if (rowCount <= TOTALS.above || first === undefined) return [];
  const numbers = columns.flatMap((column, at) => {
    const name = fields[at]?.name ?? "";
    const isThere = isNumbers(column) && !isNull(column, last) && Number.isFinite(Number(column.values[last]));
    return isThere ? [{ name, column }] : [];
  });
  const isNamed = columns.some((column) => column.kind === "string" && saysTotal(column.values[last] ?? ""));
  const isBlank = isNull(first, last) && countNulls(first, rowCount) === 1;
  const isBare = isNumbers(first) && numbers.length === columns.length;
  if (numbers.length === 0 || !(isNamed || isBlank || isBare)) return [];
  const sums = numbers.filter(({ column }) => isSum(column, last, isNamed ? TOTALS.named : TOTALS.near));
  const [one, other] = sums;
  if (one === undefined || (!isNamed && sums.length < numbers.length)) return [];
  if (!isNamed && !isBlank && (other === undefined || isSame(one.column, other.column, rowCount))) return [];
  return [{ kind: "total", columns: sums.map(({ name }) => name), facts: { place: tell(rowCount) } }];
}

function saysTotal(text: string): boolean {
  return WORDS.has(text.trim().replace(/:+$/, "").trimEnd().toLowerCase().replaceAll("ς", "σ"));
}

function isSame(one: Numbers, other: Numbers, rows: number): boolean {
  if (describePhysical(one) !== describePhysical(other)) return false;
  for (let row = 0; row < rows; row += 1)
    if (one.values[row] !== other.values[row] || isNull(one, row) !== isNull(other, row)) return false;
  return true;
}

/** Whether the last number is the sum of those above it, or near it; zeros alone add up to nothing. */
function isSum(column: Numbers, last: number, near: number): boolean {
  if (last - countNulls(column, last) < TOTALS.above) return false;
  if (column.kind === "float64") {
    let [total, size] = [0, 0];
    for (let row = 0; row < last; row += 1) {
      if (isNull(column, row)) continue;
      total += column.values[row] ?? 0;
      size += Math.abs(column.values[row] ?? 0);
    }
    return Number.isFinite(size) && size > 0 && Math.abs(total - (column.values[last] ?? 0)) <= near * size;
  }
  let [total, size] = [0n, 0n];
  for (let row = 0; row < last; row += 1) {
    if (isNull(column, row)) continue;
    const value = column.values[row] ?? 0n;
    total += value;
    size += value < 0n ? -value : value;
  }
  const apart = total - (column.values[last] ?? 0n);
  return size > 0n && (apart < 0n ? -apart : apart) * BigInt(Math.round(1 / near)) <= size;
}

// --- numbers for missing -----------------------------------------------------------------------------------------------

/** Numbers that stand there more than once, all in nines or -1, and far from all others. */
function noteSentinels({ fields, columns, rowCount }: Table, { read }: Texts): readonly ReadingNote[] {
  return columns.flatMap((column, at) => {
    if (!isNumbers(column) || !hasNines(column, rowCount)) return [];
    const name = fields[at]?.name ?? "";
    return listFar(column, rowCount).map(({ value, rows, least, most }) => {
      const write = (each: number | bigint): string => toExactText(each, describePhysical(column)) ?? "";
      const facts = { count: String(rows.length), first: write(value), least: write(least), most: write(most) };
      const spelt = new Set(read === undefined ? [] : rows.map((row) => read(row, at) ?? ""));
      const [text = ""] = spelt;
      const isText = spelt.size === 1 && NULL_TEXT.test(text);
      return { kind: "sentinel", columns: [name], facts: isText ? { ...facts, null: text } : facts };
    });
  });
}

/** Whether a value may stand for missing: almost no column has any. */
function hasNines(column: Numbers, rows: number): boolean {
  if (column.kind === "float64") {
    const { values } = column;
    for (let row = 0; row < rows; row += 1) {
      const value = values[row] ?? 0;
      if (value <= MOST_NINES && value >= -MOST_NINES && NINES.has(value) && !isNull(column, row)) return true;
    }
    return false;
  }
  const unit = 10n ** BigInt(column.kind === "decimal" ? column.scale : 0);
  const units = new Set(Array.from(NINES, (each) => BigInt(each) * unit));
  for (let row = 0; row < rows; row += 1) if (units.has(column.values[row] ?? 0n) && !isNull(column, row)) return true;
  return false;
}

interface Far {
  readonly value: number | bigint;
  readonly rows: readonly number[];
  readonly least: number | bigint;
  readonly most: number | bigint;
}

function listFar(column: Numbers, count: number): readonly Far[] {
  const unit = column.kind === "float64" ? 1 : 10n ** BigInt(column.kind === "decimal" ? column.scale : 0);
  const isIn = (value: number | bigint): boolean =>
    typeof unit === "bigint"
      ? (value as bigint) % unit === 0n && NINES.has(Number((value as bigint) / unit))
      : NINES.has(value as number);
  const rows = Array.from({ length: count }, (_, row) => row).filter(
    (row) => !isNull(column, row) && !Number.isNaN(Number(column.values[row])),
  );
  const read = (row: number): number | bigint => column.values[row] ?? 0;
  const ends = findEnds(rows.map(read));
  if (ends === undefined) return [];
  const met = [...new Set(ends)].filter(isIn);
  const others = findEnds(rows.map(read).filter((value) => !met.includes(value)));
  if (others === undefined) return [];
  const [least, most] = others;
  return met.flatMap((value) => {
    const found = rows.filter((row) => read(row) === value);
    return found.length > 1 && isFar(value, least, most, unit) ? [{ value, rows: found, least, most }] : [];
  });
}

function findEnds(values: readonly (number | bigint)[]): readonly [number | bigint, number | bigint] | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  let [least, most] = [first, first];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** Whether it is farther from the others than they are from each other; or below zero, as none of them is. */
function isFar(value: number | bigint, least: number | bigint, most: number | bigint, unit: number | bigint): boolean {
  const apart = (high: number | bigint, low: number | bigint): number | bigint =>
    typeof high === "bigint" ? high - (low as bigint) : high - (low as number);
  if (least === most) return false;
  const range = apart(most, least);
  if (value > most) return apart(value, most) > range;
  if (value === (typeof unit === "bigint" ? BigInt(SENTINELS.alone) * unit : SENTINELS.alone))
    return apart(least, value) >= (typeof unit === "bigint" ? BigInt(SENTINELS.farAbove) * unit : SENTINELS.farAbove);
  return value < least && (least >= 0 || apart(least, value) > range);
}

// --- a row as names ------------------------------------------------------------------------------------------------------

/** Names that are dates of columns of dates, or numbers of columns of numbers and no axis such as years. */
function noteHeader(fields: readonly Field[]): readonly ReadingNote[] {
  const isDay = ({ name, type }: Field): boolean => (type === "date" || type === "datetime") && isDate(name);
  const isNumber = ({ name, type }: Field): boolean => type === "number" && NUMBER.test(name) && /[0-9]/.test(name);
  const days = fields.filter(isDay);
  const numbers = fields.filter(isNumber);
  if (days.length === 0 && (numbers.length === 0 || isAxis(numbers.map(({ name }) => Number(name))))) return [];
  return [{ kind: "header", columns: fields.filter((each) => isDay(each) || isNumber(each)).map(({ name }) => name) }];
}

function isDate(name: string): boolean {
  return MOMENT.test(name) && readDay(name.slice(0, 10)) !== undefined;
}

function isAxis(numbers: readonly number[]): boolean {
  const [low, high] = YEARS;
  if (numbers.every((each) => each >= low && each <= high && Number.isInteger(each))) return true;
  const steps = numbers.slice(1).map((each, at) => each - (numbers[at] ?? 0));
  const [step = 0] = steps;
  const isEven = steps.every((each) => Math.abs(each - step) <= Math.abs(step) * EVEN);
  if (steps.length === 0 || !isEven) return false;
  return steps.length === 1 ? step === 1 : step !== 0;
}
