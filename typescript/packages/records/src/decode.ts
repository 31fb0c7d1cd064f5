import { isObject, own } from "./json.js";

/** Narrows what came from outside to a record, or throws where it is something else. */
export type Decoder<T> = (value: unknown, path: string) => T;

export type ShapeFault = "malformed" | "unknown_version" | "unknown_kind";

/** A value that does not have the shape of its record; the message says where, and never repeats the value. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
  readonly reason: ShapeFault;

  constructor(path: string, expected: string, reason: ShapeFault = "malformed") {
    super(`${path} is not ${expected}.`);
    this.reason = reason;
  }
}

/** An object with exactly these keys, but for those that are optional. */
export function object<T>(
  fields: { readonly [K in keyof T]-?: Decoder<Exclude<T[K], undefined>> },
  optional: readonly (keyof T)[] = [],
): Decoder<T> {
  const keys = Object.keys(fields) as (keyof T & string)[];
  return (value, path) => {
    if (!isObject(value)) throw new ShapeError(path, "an object");
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined) throw new ShapeError(path, `without keys that are not known (it has ${shown(unknown)})`);
    const held = keys.filter((key) => Object.hasOwn(value, key));
    const missing = keys.find((key) => !optional.includes(key) && !held.includes(key));
    if (missing !== undefined) throw new ShapeError(path, `complete: ${missing} is missing`);
    return Object.fromEntries(held.map((key) => [key, fields[key](value[key], `${path}.${key}`)])) as T;
  };
}

/** One of several shapes, by the value of a member; what has none of the values is read as the last shape. */
export function tagged<T>(
  tag: string,
  shapes: readonly (readonly [values: readonly unknown[], shape: Decoder<T>])[],
  otherwise: Decoder<T>,
): Decoder<T> {
  return (value, path) => {
    const met = own(anyObject(value, path), tag);
    const found = shapes.find(([values]) => values.includes(met));
    return (found === undefined ? otherwise : found[1])(value, path);
  };
}

/** A shape of what holds a member, and another of what does not. */
export function holding<One, Other>(key: string, shape: Decoder<One>, otherwise: Decoder<Other>): Decoder<One | Other> {
  return (value, path) => (Object.hasOwn(anyObject(value, path), key) ? shape : otherwise)(value, path);
}

/** A text of one shape, or an object of another. */
export function textOr<T>(text: Decoder<string>, other: Decoder<T>): Decoder<string | T> {
  return (value, path) => (typeof value === "string" ? text(value, path) : other(value, path));
}

/** An object of any keys whose values are alike. */
export function mapOf<T>(item: Decoder<T>): Decoder<Readonly<Record<string, T>>> {
  return (value, path) => {
    if (!isObject(value)) throw new ShapeError(path, "an object");
    const members = Object.create(null) as Record<string, T>;
    for (const key of Object.keys(value)) members[key] = item(value[key], `${path}.${shown(key)}`);
    return members;
  };
}

export function arrayOf<T>(item: Decoder<T>, least = 0, most = Infinity): Decoder<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, "an array");
    if (value.length < least) throw new ShapeError(path, `of ${String(least)} or more`);
    if (value.length > most) throw new ShapeError(path, `of ${String(most)} or fewer`);
    return value.map((each: unknown, index) => item(each, `${path}[${String(index)}]`));
  };
}

export function nullable<T>(item: Decoder<T>): Decoder<T | null> {
  return (value, path) => (value === null ? null : item(value, path));
}

export function literal<const T extends string | number>(expected: T): Decoder<T> {
  return (value, path) => {
    if (value !== expected) throw new ShapeError(path, JSON.stringify(expected));
    return expected;
  };
}

export const text: Decoder<string> = (value, path) => {
  if (typeof value !== "string") throw new ShapeError(path, "a text");
  return value;
};

export function oneOf<const T extends string>(...choices: readonly T[]): Decoder<T> {
  return (value, path) => {
    if (!(choices as readonly unknown[]).includes(value)) throw new ShapeError(path, `one of ${choices.join(", ")}`);
    return value as T;
  };
}

/** A text that is not empty. */
export const name: Decoder<string> = (value, path) => {
  if (typeof value !== "string" || value === "") throw new ShapeError(path, "a name");
  return value;
};

export function textLike(pattern: RegExp, expected: string): Decoder<string> {
  return (value, path) => {
    if (typeof value !== "string" || !pattern.test(value)) throw new ShapeError(path, expected);
    return value;
  };
}

/** A whole number within ±(2^53-1), however it was written: 1.0 is one, because front ends write it as 1. */
export const whole: Decoder<number> = (value, path) => {
  if (!Number.isSafeInteger(value)) throw new ShapeError(path, "a whole number");
  return value as number;
};

/** A whole number from 0. */
export const count: Decoder<number> = (value, path) => {
  const number = whole(value, path);
  if (number < 0) throw new ShapeError(path, "a whole number from 0");
  return number;
};

/** A value of a condition; whole numbers may be of any size. */
export type Scalar = string | number | bigint | boolean;

export const scalar: Decoder<Scalar> = (value, path) => {
  if (!["string", "number", "bigint", "boolean"].includes(typeof value)) throw new ShapeError(path, "a value");
  return value as Scalar;
};

export const anyObject: Decoder<Readonly<Record<string, unknown>>> = (value, path) => {
  if (!isObject(value)) throw new ShapeError(path, "an object");
  return value;
};

export const anything: Decoder<unknown> = (value) => value;

function shown(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key);
}
