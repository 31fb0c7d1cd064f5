/** Group keys: the values of a column, the first days of periods, the lower edges of bins. */

import { beyondLimit } from "../errors.js";
import { type BinKey, type DateUnit, type GroupKey } from "../query/types.js";
import { writeName } from "../query/text.js";
import { quote } from "../readers/names.js";
import { countDays, findDay, findDayOf, FIRST_DAY, floorDivide, LAST_DAY } from "../values/calendar.js";
import { type Field, findScale } from "../values/columns.js";
import { LEAST_INT64, MOST_INT64 } from "../readers/conversions.js";
import { listSpans } from "../values/zones.js";
import { type Held } from "./values.js";

const MOST_DECIMAL = 10n ** 38n;
const MICROS = 1_000_000n;
const MONTHS: Readonly<Record<"month" | "quarter" | "year", number>> = { month: 1, quarter: 3, year: 12 };

/** Builds the function that makes the key of a value: equal keys are one, and so are all NaN, and -0 and 0. */
export function buildKeyReader(key: GroupKey, field: Field, extremes: Extremes = NONE): (value: Held) => Held {
  if (typeof key === "string") return (value) => (value === 0 ? 0 : value);
  if ("unit" in key) {
    const { unit, zone } = key;
    if (zone !== undefined) return buildZonedReader(zone, unit, field, extremes);
    return (value) => (value === null ? null : findFirstDay(typeof value === "bigint" ? findDayOf(value) : Number(value), unit)); // prettier-ignore
  }
  const read = findScale(field.physical) === undefined ? buildDoubleBins(key, field) : buildExactBins(key, field);
  return (value) => (value === null ? null : read(value));
}

/** The least and the largest moment of a column, in microseconds; those of periods of a zone have to be known. */
export type Extremes = readonly [bigint, bigint];
const NONE: Extremes = [0n, 0n];

/** Reads the periods of a zone: by its offsets in the column's time, which are looked up by halves. */
function buildZonedReader(zone: string, unit: DateUnit, field: Field, [low, high]: Extremes): (value: Held) => Held {
  const spans = listSpans(zone, Number(floorDivide(low, MICROS)), Number(floorDivide(high, MICROS)));
  const read = (value: Held): Held => {
    if (value === null) return null;
    const moment = value as bigint;
    const second = Number(floorDivide(moment, MICROS));
    let [first, last] = [0, spans.length - 1];
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      if ((spans[middle]?.[0] ?? 0) <= second) first = middle;
      else last = middle - 1;
    }
    const day = findFirstDay(findDayOf(moment + BigInt(spans[first]?.[1] ?? 0) * MICROS), unit);
    if (day < FIRST_DAY || day > LAST_DAY || countDaysBeyond(moment, spans[first]?.[1] ?? 0))
      throw calendarError(zone, field);
    return day;
  };
  for (const moment of [low, high]) read(moment);
  return read;
}

function countDaysBeyond(moment: bigint, offset: number): boolean {
  const day = findDayOf(moment + BigInt(offset) * MICROS);
  return day < FIRST_DAY || day > LAST_DAY;
}

function calendarError(zone: string, field: Field): Error {
  return beyondLimit(
    `${quote(field.name)} holds a time that is beyond the calendar in ${zone}.`,
    { column: field.name, limit_name: "calendar" },
    `Add a condition such as ${writeName(field.name)} >= 1900-01-01.`,
  );
}

/** The first day of the period in which a day lies. */
function findFirstDay(days: number, unit: DateUnit): number {
  if (unit === "day") return days;
  if (unit === "week") return days - ((((days + 3) % 7) + 7) % 7); // 1970-01-01 was a Thursday
  const { year, month } = findDay(days);
  return countDays(year, month - ((month - 1) % MONTHS[unit]), 1) ?? days;
}

function buildExactBins(key: BinKey, field: Field): (value: Held) => Held {
  const step = key.width.units * 10n ** BigInt((findScale(field.physical) ?? 0) - key.width.scale);
  return (value) => {
    const edge = floorDivide(value as bigint, step) * step;
    const isBeyond =
      field.physical === "int64"
        ? edge < LEAST_INT64 || edge > MOST_INT64
        : edge <= -MOST_DECIMAL || edge >= MOST_DECIMAL;
    if (isBeyond) throw binError(key, field);
    return edge;
  };
}

/** Edges are `place * top / bottom`, one division of two whole doubles, exact below 2**50/bottom. */
function buildDoubleBins(key: BinKey, field: Field): (value: Held) => Held {
  const [top, bottom] = reduce(key.width.units, 10n ** BigInt(key.width.scale)).map(Number) as [number, number];
  const bound = 2 ** 50 / bottom;
  return (held) => {
    const value = held as number;
    if (Number.isNaN(value) || Math.abs(value) === Infinity) return value;
    if (Math.abs(value) >= bound) throw binError(key, field);
    let place = Math.floor((value * bottom) / top);
    if (value < (place * top) / bottom) place -= 1;
    else if (value >= ((place + 1) * top) / bottom) place += 1;
    const edge = (place * top) / bottom + 0;
    if (Math.abs(edge) >= bound) throw binError(key, field);
    return edge;
  };
}

function reduce(top: bigint, bottom: bigint): readonly [bigint, bigint] {
  let [a, b] = [top, bottom];
  while (b !== 0n) [a, b] = [b, a % b];
  return [top / a, bottom / a];
}

function binError(key: BinKey, field: Field): Error {
  const message = `${quote(field.name)} holds a number that is too large for exact bins of ${key.width.toString()}.`;
  return beyondLimit(
    message,
    { column: field.name, limit_name: "bins" },
    `Use wider bins, or add a condition such as ${writeName(field.name)} < 1000000.`,
  );
}
