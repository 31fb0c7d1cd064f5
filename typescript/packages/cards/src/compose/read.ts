import { isObject, own, ShapeError } from "@service-nb/records";

/** A view, or a part of one: untrusted, and read one member at a time. */
export type Members = Readonly<Record<string, unknown>>;

/** What makes some of the blocks or facts of a card, or throws where the view does not have what it needs. */
export type Maker<T> = () => readonly T[];

/** What could be made, and the first reason why something could not. */
export interface Made<T> {
  readonly made: readonly T[];
  readonly unread: ShapeError | undefined;
}

/** Makes what can be made: one part without its shape costs that part alone. */
export function attempt<T>(...makers: readonly Maker<T>[]): Made<T> {
  const made: T[] = [];
  let unread: ShapeError | undefined;
  for (const maker of makers) {
    try {
      for (const each of maker()) made.push(each); // spread, there may be more than a call takes
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      unread ??= error;
    }
  }
  return { made, unread };
}

export function textAt(value: Members, key: string): string {
  const text = own(value, key);
  if (typeof text !== "string") throw new ShapeError(key, "a text");
  return text;
}

/** A text, or nothing where there is null, or no such key. */
export function optionalText(value: Members, key: string): string {
  return (own(value, key) ?? null) === null ? "" : textAt(value, key);
}

/** A number from 0, finite. */
export function numberAt(value: Members, key: string): number {
  const number = own(value, key);
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0)
    throw new ShapeError(key, "a number from 0");
  return number;
}

export function countAt(value: Members, key: string): number {
  const number = numberAt(value, key);
  if (!Number.isSafeInteger(number)) throw new ShapeError(key, "a whole number");
  return number;
}

/** A whole number as its text: what is beyond the safe ones stands as a text already. */
export function wholeTextAt(value: Members, key: string): string {
  const number = own(value, key);
  return typeof number === "string" && /^[0-9]{1,400}$/.test(number) ? number : String(countAt(value, key));
}

export function membersAt(value: Members, key: string): Members {
  const members = own(value, key);
  if (!isObject(members)) throw new ShapeError(key, "an object");
  return members;
}

export function listAt(value: Members, key: string): readonly unknown[] {
  const list = own(value, key);
  if (!Array.isArray(list)) throw new ShapeError(key, "an array");
  return list;
}

export function textsAt(value: Members, key: string): readonly string[] {
  return listAt(value, key).map((item) => {
    if (typeof item !== "string") throw new ShapeError(key, "an array of texts");
    return item;
  });
}

export function objectsAt(value: Members, key: string): readonly Members[] {
  return listAt(value, key).map((item) => {
    if (!isObject(item)) throw new ShapeError(key, "an array of objects");
    return item;
  });
}

/** Rows of exact texts, null for a null. */
export function rowsAt(value: Members, key: string): readonly (readonly (string | null)[])[] {
  return listAt(value, key).map((row) => {
    if (!Array.isArray(row)) throw new ShapeError(key, "an array of rows");
    return row.map((cell: unknown) => {
      if (cell !== null && typeof cell !== "string") throw new ShapeError(key, "rows of texts");
      return cell;
    });
  });
}
