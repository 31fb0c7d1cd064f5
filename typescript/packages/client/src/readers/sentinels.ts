/** Values that may stand for missing: by the rules of `service_nb/readers/sentinels.py`. */

import { type ReadingNote } from "@service-nb/records";
import { toExactText } from "../engine/values.js";
import { DAY_MICROS, findDayOf, readDay, writeDay } from "../values/calendar.js";
import { type Column, describePhysical, type Table } from "../values/columns.js";
import { FAR_DAYS, MARKED_DAYS, SENTINELS } from "./rules.js";

const NULL_TEXT = /^(?:-?[0-9.]{1,12}(?:[eE][+-]?[0-9]{1,3})?|[0-9]{4}-[0-9]{2}-[0-9]{2})$/;
const FILLS: ReadonlySet<number> = new Set(SENTINELS.fills);
const NUMBERS: ReadonlySet<number> = new Set([...SENTINELS.nines, ...SENTINELS.fills, ...SENTINELS.codes]);
const DAYS: ReadonlySet<number> = new Set(MARKED_DAYS.flatMap((text) => readDay(text) ?? []));

type Numbers = Extract<Column, { kind: "float64" | "int64" | "decimal" }>;
type Moments = Extract<Column, { kind: "date" | "datetime" }>;
type Value = number | bigint;
type ReadCell = (row: number, column: number) => string | null;

/** A value that may stand for missing, its rows, and the ends of all others. */
interface Found {
  readonly value: Value;
  readonly rows: readonly number[];
  readonly least: Value;
  readonly most: Value;
}

/** Notes numbers and days that may stand for missing, by column; `read` is the text of a cell as it stands in a file. */
export function noteSentinels({ fields, columns, rowCount }: Table, read?: ReadCell): readonly ReadingNote[] {
  return columns.flatMap((column, at) => {
    const isMoments = column.kind === "date" || column.kind === "datetime";
    const found = isMoments ? listDays(column, rowCount) : isNumbers(column) ? listNumbers(column, rowCount) : [];
    return found.map(({ value, rows, least, most }) => {
      const write = (each: Value): string => toExactText(each, describePhysical(column)) ?? "";
      const facts = { count: String(rows.length), first: write(value), least: write(least), most: write(most) };
      const spelt = new Set(read === undefined ? [] : rows.map((row) => read(row, at) ?? ""));
      const [text = ""] = spelt;
      const isText = spelt.size === 1 && NULL_TEXT.test(text);
      const columns = [fields[at]?.name ?? ""];
      return {
        kind: isMoments ? "placeholder" : "sentinel",
        columns,
        facts: isText ? { ...facts, null: text } : facts,
      };
    });
  });
}

function isNumbers(column: Column): column is Numbers {
  return column.kind === "float64" || column.kind === "int64" || column.kind === "decimal";
}

// --- numbers -----------------------------------------------------------------------------------------------------------

function listNumbers(column: Numbers, rowCount: number): readonly Found[] {
  const unit = column.kind === "float64" ? 1 : 10n ** BigInt(column.kind === "decimal" ? column.scale : 0);
  const physical = describePhysical(column);
  const toNumber = (value: Value): number =>
    typeof value === "number" ? value : Number(toExactText(value, physical) ?? "");
  const { met, ends } = peel(column, rowCount, (value) => (NUMBERS.has(toNumber(value)) ? value : undefined));
  if (ends === undefined) return [];
  const [least, most] = ends;
  return [...met.keys()].flatMap((value) => {
    const rows = listRows(column, rowCount, (each) => each === value);
    const range = { value, least, most, unit, numbers: [value, least, most].map(toNumber) };
    const isDoubtful = isFar(range) && (rows.length > 1 || isDoubtfulOnce(range));
    return isDoubtful ? [{ value, rows, least, most }] : [];
  });
}

/** Takes values that may stand for missing from the ends of a column, each by its key, until none is there. */
function peel(
  column: Numbers | Moments,
  rowCount: number,
  findKey: (value: Value) => Value | undefined,
): { readonly met: ReadonlyMap<Value, Value>; readonly ends: readonly [Value, Value] | undefined } {
  const met = new Map<Value, Value>();
  for (;;) {
    const ends = findEnds(column, rowCount, (value) => {
      const key = met.size === 0 ? undefined : findKey(value);
      return key !== undefined && met.has(key);
    });
    const found = new Map<Value, Value>();
    for (const end of met.size < SENTINELS.marks ? (ends ?? []) : []) {
      const key = findKey(end);
      if (key !== undefined) found.set(key, end);
    }
    if (found.size === 0) return { met, ends: met.size === 0 ? undefined : ends };
    for (const [key, end] of found) met.set(key, end);
  }
}

function findEnds(
  { values, nulls }: Numbers | Moments,
  rowCount: number,
  isLeftOut: (value: Value) => boolean,
): readonly [Value, Value] | undefined {
  let [least, most]: [Value | undefined, Value | undefined] = [undefined, undefined];
  for (let row = 0; row < rowCount; row += 1) {
    if (nulls?.[row] === 1) continue;
    const value = values[row] ?? 0;
    const isInside = least !== undefined && most !== undefined && value >= least && value <= most;
    if (isInside || Number.isNaN(value) || isLeftOut(value)) continue;
    if (least === undefined || value < least) least = value;
    if (most === undefined || value > most) most = value;
  }
  return least === undefined || most === undefined ? undefined : [least, most];
}

function listRows(
  { values, nulls }: Numbers | Moments,
  rowCount: number,
  isMet: (value: Value) => boolean,
): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < rowCount; row += 1) if (nulls?.[row] !== 1 && isMet(values[row] ?? 0)) rows.push(row);
  return rows;
}

/** A value and the ends of all others: as they are held, and as numbers. */
interface Range {
  readonly value: Value;
  readonly least: Value;
  readonly most: Value;
  readonly unit: Value;
  readonly numbers: readonly number[];
}

/** Whether it is farther from the others than they are from each other; or below zero, as none of them is. */
function isFar({ value, least, most, unit, numbers: [number = 0, low = 0, high = 0] }: Range): boolean {
  if (least === most) return false;
  if (Math.abs(number) >= SENTINELS.huge)
    return Math.abs(number) >= SENTINELS.farTimes * Math.max(Math.abs(low), Math.abs(high));
  if (value > most) return subtract(value, most) > subtract(most, least);
  const times = (factor: number): Value => (typeof unit === "bigint" ? BigInt(factor) * unit : factor);
  if (SENTINELS.codes.some((code) => value === times(code))) return subtract(least, value) >= times(SENTINELS.farAbove);
  return value < least && (least >= 0 || subtract(least, value) > subtract(most, least));
}

/** Whether a value that is far from all others is doubtful though it stands there once. */
function isDoubtfulOnce({ value, least, most, numbers: [number = 0] }: Range): boolean {
  if (!FILLS.has(number)) return number <= SENTINELS.once && least >= 0;
  const isBelow = value < least && subtract(least, value) > subtract(most, least);
  return Math.abs(number) >= SENTINELS.huge || isBelow;
}

function subtract(high: Value, low: Value): Value {
  return typeof high === "bigint" ? high - (low as bigint) : high - (low as number);
}

// --- days --------------------------------------------------------------------------------------------------------------

function listDays(column: Moments, rowCount: number): readonly Found[] {
  const toDay = (value: Value): number => (typeof value === "bigint" ? findDayOf(value) : value);
  const { met, ends } = peel(column, rowCount, (value) => (DAYS.has(toDay(value)) ? toDay(value) : undefined));
  if (ends === undefined) return [];
  const [least, most] = ends;
  return [...met].flatMap(([key, value]) => {
    const day = Number(key);
    if (!isFarDay(day, toDay(least), toDay(most))) return [];
    const [first, last] = [BigInt(day) * DAY_MICROS, BigInt(day + 1) * DAY_MICROS];
    const isOn = (each: Value): boolean => (typeof each === "bigint" ? each >= first && each < last : each === day);
    return [{ value, rows: listRows(column, rowCount, isOn), least, most }];
  });
}

/** Whether a day is farther from the others than they are from each other, by a year at least, and no row of years. */
function isFarDay(day: number, least: number, most: number): boolean {
  const [ofYear, ...others] = [day, least, most].map((each) => writeDay(each).slice(5));
  if (least === most || others.every((each) => each === ofYear)) return false;
  const apart = day > most ? day - most : least - day;
  return apart > most - least && apart >= FAR_DAYS;
}
