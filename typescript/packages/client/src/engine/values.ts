/** Values of results as they are held, each by the physical type of its column; their JSON and their order. */

import { type Column, findDecimalSize } from "../values/columns.js";
import { writeDay, writeMoment } from "../values/calendar.js";
import { compareTexts } from "../values/order.js";

/** int64 and units of decimals: bigint; float64: number; date: days; datetime: microseconds (bigint). */
export type Held = null | boolean | string | number | bigint;

/** Builds the function that reads a column's value of a row. */
export function buildReader(column: Column): (row: number) => Held {
  if (column.kind === "string") return (row) => column.values[row] ?? null;
  const { values, nulls } = column;
  if (column.kind === "boolean") return (row) => (nulls?.[row] === 1 ? null : values[row] === 1);
  if (nulls === undefined) return (row) => values[row] ?? null;
  return (row) => (nulls[row] === 1 ? null : (values[row] ?? null));
}

/** A value as JSON carries it without loss: long integers, decimals, dates and non-finite numbers as text. */
export function toJson(value: Held, physical: string): null | boolean | string | number {
  if (typeof value === "bigint") return writeWhole(value, physical);
  if (typeof value !== "number") return value;
  if (physical === "date") return writeDay(value);
  return Number.isFinite(value) ? value + 0 : String(value);
}

function writeWhole(value: bigint, physical: string): string | number {
  if (physical === "datetime") return writeMoment(value);
  const size = findDecimalSize(physical);
  if (size !== undefined) return writeUnits(value, size.scale);
  const safe = Number(value);
  return Number.isSafeInteger(safe) ? safe : String(value);
}

/** The decimal `units / 10**scale` with all of its places. */
export function writeUnits(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const sign = units < 0n ? "-" : "";
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The value as JavaScript's own types have it: what is not exact as a number is text. */
export function toExactText(value: Held, physical: string): string | null {
  return value === null ? null : String(toJson(value, physical));
}

/** Whether a value takes part in an order: not null, not NaN. */
export function isComparable(value: Held): value is Exclude<Held, null> {
  return value !== null && !(typeof value === "number" && Number.isNaN(value));
}

/** Less than, equal to or greater than zero, of two values of one column. */
export function compareHeld(one: Exclude<Held, null>, other: Exclude<Held, null>): number {
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}
