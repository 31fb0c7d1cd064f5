/** Values of rows, read back exactly by the physical type of their column; and JSON as bytes. */

import { decodeUtf8 } from "@service-nb/records";
import { type Held, toJson } from "../engine/values.js";
import { readDay, readMoment } from "../values/calendar.js";
import { findDecimalSize } from "../values/columns.js";

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
