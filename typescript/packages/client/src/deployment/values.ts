/** Values of rows, read back exactly by the physical type of their column; and JSON as bytes. */

import { decodeUtf8 } from "@service-nb/records";
import { type Held, toJson } from "../engine/values.js";
import { readDay, readMoment } from "../values/calendar.js";
import { type Column, findDecimalSize } from "../values/columns.js";

const MOST_DIGITS = 4_000; // of a number that is text
const WHOLE = /^-?(?:0|[1-9][0-9]*)$/;
const DECIMAL = /^-?[0-9]+(?:\.[0-9]+)?$/;
const NOT_FINITE: ReadonlyMap<unknown, number> = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** A value that does not have its column's type. */
export class UnreadableError extends Error {}

/** @throws {SyntaxError} The bytes are no JSON in UTF-8. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new SyntaxError("The bytes are not UTF-8.");
  return JSON.parse(text) as unknown;
}

/**
 * Reads a value of a physical type, null among them. Each value has one spelling, in which it was hashed.
 *
 * @throws {UnreadableError} The value has another type.
 */
export function readHeld(value: unknown, physical: string): Held {
  if (value === null) return null;
  const held = readSome(value, physical);
  if (held === undefined || (typeof value === "string" && toJson(held, physical) !== value))
    throw new UnreadableError();
  return held;
}

function readSome(value: unknown, physical: string): Held | undefined {
  switch (physical) {
    case "string":
      return typeof value === "string" ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "float64":
      return typeof value === "number" && Number.isFinite(value) ? value : NOT_FINITE.get(value);
    case "date":
      return typeof value === "string" ? readDay(value) : undefined;
    case "datetime":
      return typeof value === "string" ? readMoment(value, false) : undefined;
    default:
      return readExact(value, physical);
  }
}

function readExact(value: unknown, physical: string): bigint | undefined {
  const size = findDecimalSize(physical);
  if (size === undefined && physical !== "int64") return undefined;
  if (Number.isSafeInteger(value) && (size?.scale ?? 0) === 0) return BigInt(value as number);
  if (typeof value !== "string" || value.length > MOST_DIGITS) return undefined;
  if (size === undefined) return WHOLE.test(value) ? BigInt(value) : undefined;
  return DECIMAL.test(value) ? BigInt(value.replace(".", "")) : undefined;
}

/**
 * Builds a column of values that were read.
 *
 * @throws {UnreadableError} A whole number has more than 64 bits.
 */
export function buildColumn(values: readonly Held[], physical: string): Column {
  const nulls = values.includes(null) ? Uint8Array.from(values, (value) => (value === null ? 1 : 0)) : undefined;
  const numbers = (): number[] => values.map((value) => (typeof value === "number" ? value : 0));
  const integers = (): bigint[] => values.map((value) => (typeof value === "bigint" ? value : 0n));
  switch (physical) {
    case "string":
      return { kind: "string", values: values.map((value) => (typeof value === "string" ? value : null)) };
    case "boolean":
      return { kind: "boolean", values: Uint8Array.from(values, (value) => (value === true ? 1 : 0)), nulls };
    case "float64":
      return { kind: "float64", values: Float64Array.from(numbers()), nulls };
    case "date":
      return { kind: "date", values: Int32Array.from(numbers()), nulls };
    case "datetime":
      return { kind: "datetime", values: BigInt64Array.from(integers()), nulls };
    case "int64":
      if (integers().some((value) => BigInt.asIntN(64, value) !== value)) throw new UnreadableError();
      return { kind: "int64", values: BigInt64Array.from(integers()), nulls };
    default:
      return { kind: "decimal", values: integers(), nulls, ...requireSize(physical) };
  }
}

function requireSize(physical: string): { readonly precision: number; readonly scale: number } {
  const size = findDecimalSize(physical);
  if (size === undefined) throw new UnreadableError();
  return size;
}
