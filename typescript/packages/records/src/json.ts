/** A JSON value. Whole numbers beyond 2^53-1, where they are let in at all, are `bigint`. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

/** An object without a prototype, so that no key means anything but itself. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is an object with keys; an array is not. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object literal of whatever frame it comes from: nothing between it and the end of the chain but one prototype.
  return !Array.isArray(value) && (prototype === null || Object.getPrototypeOf(prototype) === null);
}

/** What an object has under a key of its own; what it inherits is no part of it. */
export function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
