/** Checks of names, declared types and sizes, the same for every reader. */

import { beyondLimit, ServiceError, sourceMalformed } from "../errors.js";
import { findDecimalSize } from "../values/columns.js";
import { countChars } from "../values/order.js";
import { findNearest } from "../query/matching.js";
import { describeValue, writeCount } from "../query/text.js";
import { FREE_CELLS } from "./rules.js";
import { type Limits } from "./options.js";

const CONTROLS = /[\p{Cc}\p{Cs}]/u;
const PHYSICAL = ["int64", "float64", "string", "boolean", "date", "datetime", "number"];
const HEADS = { columns: "Raise limits.columns.", nameChars: "Shorten it.", cellChars: "Raise limits.cellChars." };

/** Writes a name or a value in a message: in quotes, short, nothing in it that misleads the eye. */
export function quote(text: string): string {
  return describeValue(text);
}

/** Builds the error of an input beyond the limit of that name; `met` says how much of it there is. */
export function limitError(
  name: keyof typeof HEADS,
  limit: number,
  value: number,
  met: string,
  details: Readonly<Record<string, unknown>> = {},
): ServiceError {
  const facts = { limit, limit_name: name, value, ...details };
  return beyondLimit(`${met}; at most ${writeCount(limit)} are read.`, facts, HEADS[name]);
}

/**
 * Checks the names of columns: each is text of its own.
 *
 * @throws {ServiceError} `source_malformed`, `limit_exceeded`
 */
export function checkNames(names: readonly string[], limits: Limits): void {
  if (names.length === 0) throw sourceMalformed("There are no columns.", { expected: "at least one named column" });
  if (names.length > limits.columns)
    throw limitError("columns", limits.columns, names.length, `There are ${writeCount(names.length)} columns`);
  const seen = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    checkName(name, at + 1, limits);
    const first = seen.get(name);
    if (first !== undefined) {
      const message = `Columns ${String(first)} and ${String(at + 1)} have the same name ${quote(name)}.`;
      throw sourceMalformed(message, { column: name, position: at + 1 }, "Give each column a unique name.");
    }
    seen.set(name, at + 1);
  }
}

function checkName(name: string, position: number, limits: Limits): void {
  const which = `The name of column ${String(position)}`;
  if (name.trim() === "")
    throw sourceMalformed(`${which} is empty.`, { position, expected: "text" }, "Name every column.");
  const length = countChars(name);
  if (length > limits.nameChars)
    throw limitError("nameChars", limits.nameChars, length, `${which} has ${writeCount(length)} characters`, {
      position,
    });
  if (CONTROLS.test(name))
    throw sourceMalformed(`${which} holds a control character.`, { position, expected: "printable text" });
}

/**
 * Checks the declared types, and writes each in its one form.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function checkTypes(types: ReadonlyMap<string, string>, names: readonly string[]): ReadonlyMap<string, string> {
  const known = new Set(names);
  const checked = new Map<string, string>();
  for (const [name, kind] of types) {
    if (!known.has(name)) {
      const message = `types names ${quote(name)}, which is not a column.`;
      const near = findNearest(name, names);
      const details = { path: "types", met: quote(name), did_you_mean: near.length > 0 ? near : undefined };
      throw new ServiceError("invalid_intent", message, { details });
    }
    checked.set(name, checkType(name, kind));
  }
  return checked;
}

function checkType(name: string, kind: string): string {
  if (PHYSICAL.includes(kind)) return kind;
  const written = kind.replace(/,\s*/, ",");
  const size = findDecimalSize(written);
  if (size !== undefined && size.precision >= 1 && size.precision <= 38 && size.scale <= size.precision)
    return `decimal(${String(size.precision)},${String(size.scale)})`;
  throw new ServiceError("invalid_intent", `\`types[${quote(name)}]\` is ${quote(kind)}.`, {
    hint: "It may be string, number, boolean, date, datetime, int64, float64 or decimal(p,s) with p up to 38.",
    details: { path: "types", met: quote(kind) },
  });
}

/**
 * Checks how many cells a table has; with `values`, how many are written, also whether nearly all are missing.
 *
 * @throws {ServiceError} `limit_exceeded`
 */
export function checkCells(rows: number, columns: number, limits: Limits, values?: number): void {
  const cells = rows * columns;
  const size = `${writeCount(rows)} rows of ${writeCount(columns)} columns`;
  if (cells > limits.cells) {
    const message = `${size} have ${writeCount(cells)} cells; at most ${writeCount(limits.cells)} are read.`;
    throw beyondLimit(message, { limit: limits.cells, limit_name: "cells", value: cells });
  }
  if (values === undefined || cells <= FREE_CELLS || cells <= limits.inflateRatio * values) return;
  throw beyondLimit(
    `${size} hold only ${writeCount(values)} values; the others are missing.`,
    { limit: limits.inflateRatio, limit_name: "inflateRatio", value: Math.floor(cells / Math.max(values, 1)) },
    "Reshape it to columns for name and value.",
  );
}
