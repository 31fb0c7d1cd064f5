/** A call and its value in words, as cards show them. */

import { canonicalText } from "@service-nb/records";
import { countChars } from "../values/order.js";
import { cut, writeCount, writeName } from "../query/text.js";
import { type Bound } from "./binding.js";
import { type Checked } from "./call.js";
import { type Tier, type TypeEntry } from "./contract.js";
import { type Value, type ValueRecord } from "./executor.js";
import { writeValue } from "./identity.js";

const PROMISES: Readonly<Record<Tier, string>> = {
  certified:
    "The value is proven to be the correctly rounded result of the formula for exactly these arguments: " +
    "the same on every machine.",
  pinned: "The value has the same bits wherever the pinned runtime runs.",
  seeded: "The value has the same bits wherever the pinned runtime runs with this seed.",
};
const UNPINNED = "This run was not inside the pinned runtime: the last digits may depend on libraries and processor.";
const MOST_ITEMS = 8; // of an array that is written out
const MOST_CHARS = 60; // of a text or a number
const KEPT_CHARS = 20; // at each end of a longer one
const SHOWN_VALUES = 20; // of an array in a card's view

/** The promise of a tier for a value. */
export function describePromise(tier: Tier, isPinned: boolean): string {
  return tier === "certified" || isPinned ? PROMISES[tier] : `${PROMISES[tier]} ${UNPINNED}`;
}

/**
 * The call for people: `finance.npv(rate=0.1, cashflows=budget.flow)`. Columns that are given as they are written stand
 * in place of those that were bound.
 */
export function formatCall(
  { capability, args, kwargs, seed }: Checked,
  bound: readonly Bound[],
  columns: ReadonlyMap<string, string> = new Map(),
): string {
  const { names } = capability;
  const said = new Map<string, string>(args.map((value, at) => [names[at] ?? "", formatLiteral(value)]));
  for (const [name, value] of kwargs) said.set(name, formatLiteral(value));
  for (const { binding, fields, filter } of bound)
    for (const [at, name] of binding.parameters.entries()) {
      const column = `${writeName(binding.source)}.${writeName(fields[at] ?? "")}`;
      said.set(name, `${column}${filter === undefined ? "" : " (filtered)"}`);
    }
  for (const [name, column] of columns) said.set(name, column);
  const parts = names.map((name) => `${name}=${said.get(name) ?? ""}`);
  return `${capability.id}(${[...parts, ...(seed === undefined ? [] : [`seed=${String(seed)}`])].join(", ")})`;
}

function formatLiteral(value: Value): string {
  if (isList(value)) {
    const isShort = value.length <= MOST_ITEMS;
    const items = Array.from(value.slice(0, isShort ? MOST_ITEMS : 3), (each: Value) => formatLiteral(each)).join(", ");
    return isShort ? `[${items}]` : `[${items}, … ${writeCount(value.length)} items]`;
  }
  const text = writeValue(value);
  const chars = countChars(text);
  return chars <= MOST_CHARS ? text : `${cut(text, KEPT_CHARS)}…${Array.from(text).slice(-KEPT_CHARS).join("")}`;
}

type List = Float64Array | readonly Value[];

function isList(value: Value): value is List {
  return value instanceof Float64Array || Array.isArray(value);
}

function isRecord(value: Value): value is ValueRecord {
  return typeof value === "object" && !isList(value);
}

/** The value of a computation: a number, text, true or false, lists of them, or an object by the names of the result. */
export type ComputedValue =
  string | number | boolean | readonly ComputedValue[] | { readonly [name: string]: ComputedValue };

/** A value as JSON carries it without loss: whole numbers beyond 2**53 - 1 are texts of their digits. */
export function encodeValue(value: Value): ComputedValue {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Float64Array) return Array.from(value);
  if (isList(value)) return value.map(encodeValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, encodeValue(each)]));
}

/** The names of the columns in which a card shows a result. */
export function listResultColumns({ type }: TypeEntry): readonly string[] {
  if (type === "record") return ["name", "value", "unit"];
  if (type.endsWith("[][]")) return []; // as many as the matrix has
  return type.endsWith("[]") ? ["item", "value"] : ["value", "unit", "about"];
}

/** The rows in which a card shows a value: exact texts, and of an array the first items. */
export function listResultRows(value: Value, result: TypeEntry): readonly (readonly string[])[] {
  if (isRecord(value))
    return Object.keys(value)
      .sort()
      .map((name) => [name, showValue(value[name] ?? 0), result.fields?.[name]?.unit ?? "1"]);
  if (!isList(value)) return [[showValue(value), result.unit ?? "1", result.about ?? ""]];
  const shown = Array.from<Value>(value.slice(0, SHOWN_VALUES));
  if (!result.type.endsWith("[][]")) return shown.map((item, at) => [String(at), showValue(item)]);
  return shown.map((row) => Array.from<Value>(isList(row) ? row.slice(0, SHOWN_VALUES) : [row]).map(showValue));
}

/** How many rows a value has. */
export function countResultRows(value: Value): number {
  if (isList(value)) return value.length;
  return isRecord(value) ? Object.keys(value).length : 1;
}

/** The exact text of a value: its canonical JSON, without quotes; long lists are cut. */
function showValue(value: Value): string {
  if (isList(value)) {
    const shown = Array.from<Value>(value.slice(0, SHOWN_VALUES)).map(showValue).join(", ");
    return `[${shown}${value.length > SHOWN_VALUES ? ", …]" : "]"}`;
  }
  const ready = encodeValue(value);
  if (typeof ready === "string") return ready;
  return typeof ready === "number" && !Number.isFinite(ready) ? canonicalText(ready) : writeValue(value);
}
