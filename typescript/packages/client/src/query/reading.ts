/** Reads what callers write: objects with known keys, names, choices, texts. */

import { isObject, own } from "@service-nb/records";
import { type ServiceError } from "../errors.js";
import { countChars } from "../values/order.js";
import { invalidIntent, limitExceeded } from "./faults.js";
import { findNearest } from "./matching.js";
import { LIMITS } from "./tables.js";
import { describeValue, quoteText } from "./text.js";

/** The members of an object that has no other keys. */
export type Members<K extends string> = Readonly<Record<K, unknown>>;

/** The error for a value that is not of the expected form. */
export function misfitError(path: string, met: unknown, expected: string): ServiceError {
  const said = describeValue(met);
  return invalidIntent(`${path} is ${said}; expected ${expected}.`, { path, met: said, expected });
}

/**
 * The members of an object; those that it does not have are undefined, and so is null.
 *
 * @throws {ServiceError} It is no object, or has another key.
 */
export function readMembers<K extends string>(raw: unknown, path: string, keys: readonly K[]): Members<K> {
  if (!isObject(raw)) throw misfitError(path, raw, `an object with the keys ${keys.join(", ")}`);
  for (const key of Object.keys(raw))
    if (!(keys as readonly string[]).includes(key)) throw unknownKeyError(key, path, keys);
  // Without a prototype, so that no key means anything but itself.
  const members = Object.create(null) as Record<K, unknown>;
  for (const key of keys) members[key] = own(raw, key) ?? undefined;
  return members;
}

/**
 * An object with its keys in snake_case as camelCase ones; anything else as it is.
 *
 * @throws {ServiceError} A key stands there in both ways of writing.
 */
export function readKeys(raw: unknown, path: string): unknown {
  if (!isObject(raw)) return raw;
  const keys = Object.keys(raw);
  const read = keys.map((key) => key.replace(/(?<=[a-z])_[a-z]/g, (hump) => hump.charAt(1).toUpperCase()));
  if (new Set(read).size < keys.length)
    throw invalidIntent(`${path} has a key in camelCase and in snake_case.`, { path, met: "a key twice" });
  return Object.fromEntries(keys.map((key, at) => [read[at] ?? key, raw[key]]));
}

function unknownKeyError(key: string, path: string, keys: readonly string[]): ServiceError {
  const near = findNearest(key, keys);
  const met = describeValue(key);
  const hint = near[0] === undefined ? `It takes ${keys.join(", ")}.` : `Did you mean ${quoteText(near[0])}?`;
  const details = { path, met, expected: [...keys], did_you_mean: near.length > 0 ? near : undefined };
  return invalidIntent(`${path} has no key ${met}.`, details, hint);
}

export function readOptionalName(raw: unknown, path: string): string | undefined {
  return raw === undefined ? undefined : readName(raw, path);
}

export function readName(raw: unknown, path: string): string {
  if (typeof raw !== "string" || raw === "") throw misfitError(path, raw, "a name");
  return readText(raw, path, LIMITS.name);
}

/** A text of at most so many characters, none of them half of a pair of surrogates. */
export function readText(raw: string, path: string, longest: number): string {
  checkSize(raw.length > longest ? countChars(raw) : 0, longest, path, "characters");
  if (!raw.isWellFormed()) throw misfitError(path, "a lone surrogate", "text that can be encoded");
  return raw;
}

export function readChoice<C extends string>(raw: unknown, path: string, choices: readonly C[]): C {
  const found = choices.find((choice) => choice === raw);
  if (found !== undefined) return found;
  const near = typeof raw === "string" ? findNearest(raw, choices) : [];
  const met = describeValue(raw);
  throw invalidIntent(
    `${path} is ${met}; it may be ${choices.join(", ")}.`,
    { path, met, expected: [...choices], did_you_mean: near.length > 0 ? near : undefined },
    near[0] === undefined ? undefined : `Did you mean ${quoteText(near[0])}?`,
  );
}

export function checkSize(size: number | bigint, limit: number, path: string, unit: string): void {
  if (size <= limit) return;
  throw limitExceeded(`${path} has ${String(size)} ${unit}; at most ${String(limit)} are taken.`, {
    path,
    limit,
    value: size,
  });
}

/** Whether a value holds nothing: an empty text, list or object, zero, false. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "" || value === 0 || value === 0n)
    return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
