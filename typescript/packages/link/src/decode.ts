import { isObject, own } from "@service-nb/records";

/** Narrows what a kernel sent, or throws where it is something else. Keys that are not known are left behind. */
export type Decoder<T> = (value: unknown, path: string) => T;

export const MAX_TEXT = 1_000_000; // characters
export const MAX_ITEMS = 100_000; // of one list

/** An answer that does not have its shape. The message says where, and never repeats the value. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";

  constructor(path: string, expected: string) {
    super(`${path} is not ${expected}.`);
  }
}

/** An object with these keys of its own. */
export function object<T>(fields: { readonly [K in keyof T]-?: Decoder<T[K]> }): Decoder<T> {
  const keys = Object.keys(fields) as (keyof T & string)[];
  return (value, path) => {
    if (!isObject(value)) throw new AnswerError(path, "an object");
    return Object.fromEntries(keys.map((key) => [key, fields[key](own(value, key), `${path}.${key}`)])) as T;
  };
}

export function listOf<T>(item: Decoder<T>): Decoder<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new AnswerError(path, "a list");
    if (value.length > MAX_ITEMS) throw new AnswerError(path, `of at most ${String(MAX_ITEMS)} items`);
    return Array.from(value, (each: unknown, index) => item(each, `${path}[${String(index)}]`));
  };
}

export function nullable<T>(item: Decoder<T>): Decoder<T | null> {
  return (value, path) => (value === null ? null : item(value, path));
}

/** What later versions, or few answers, have. */
export function given<T>(item: Decoder<T>): Decoder<T | undefined> {
  return (value, path) => (value === undefined ? undefined : item(value, path));
}

export function oneOf<const T extends string>(...words: readonly T[]): Decoder<T> {
  return (value, path) => {
    const met = words.find((word) => word === value);
    if (met === undefined) throw new AnswerError(path, words.join(" or "));
    return met;
  };
}

export const text: Decoder<string> = (value, path) => {
  if (typeof value !== "string") throw new AnswerError(path, "a text");
  if (value.length > MAX_TEXT) throw new AnswerError(path, `a text of at most ${String(MAX_TEXT)} characters`);
  if (!value.isWellFormed()) throw new AnswerError(path, "a text of whole characters");
  return value;
};

export const flag: Decoder<boolean> = (value, path) => {
  if (typeof value !== "boolean") throw new AnswerError(path, "true or false");
  return value;
};

/** A whole number from 0. */
export const count: Decoder<number> = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new AnswerError(path, "a whole number from 0");
  return value as number;
};
