/** Descriptors and addresses that were given as data: refused before anything of them is kept, for they hold secrets. */

import { isObject, JsonError, parseJson } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { type Table } from "../values/columns.js";
import { CONNECTOR_TYPES, DESCRIPTOR_KEYS, PLACE_KEYS, SECRET_KEYS, STRING_KEYS } from "./rules.js";

const MOST_ROWS = 100; // of a table that may be a list of descriptors
const MOST_DEPTH = 6;
const MOST_JSON = 100_000; // characters of a text that may be a descriptor
const MOST_PARTS = 10_000; // of one value that are looked at
const MOST_KEY = 100; // characters of a key
const ADDRESS = /^\s*(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]+:\/+/;
const PASSWORD_IN_ADDRESS = /^\s*(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]+:\/+[^/?#\s]*:[^/?#\s]*@/;
const PASSWORD_IN_STRING =
  /(?:^|[;,\s?&])(?:password|passwd|pwd|accountkey|sharedaccess(?:key|signature)|secret|token|sig|api_?key)\s*=/i;
const ORACLE = /^\s*[\w$#]+\/[^/@\s]+@[^/\s]/; // user/password@host
const JSON_TEXT = /^\s*(?:\{\s*["}]|\[\s*[[{"])/;
const SECRETS: ReadonlySet<string> = new Set(SECRET_KEYS);
const STRINGS: ReadonlySet<string> = new Set(STRING_KEYS);
const PLACES: ReadonlySet<string> = new Set(PLACE_KEYS);
const KNOWN: ReadonlySet<string> = new Set([...DESCRIPTOR_KEYS, ...SECRET_KEYS, ...STRING_KEYS, ...PLACE_KEYS]);

type Members = readonly (readonly [string, unknown])[];

/**
 * Refuses a path that is an address, a connection string with a password, or JSON. No part of it is told.
 *
 * @throws {ServiceError} `unsupported_source`
 */
export function refuseAddress(path: string): void {
  const isFile = /\.(?:csv|tsv|tab|psv|txt|json|ndjson|jsonl)$/i.test(path);
  if (JSON_TEXT.test(path)) throw refusal("This is JSON, and no path.", "Pass the value itself.", "JSON");
  if (ADDRESS.test(path))
    throw refusal("An address is not a path to a file; nothing of it was stored.", "Connect a file.", "an address");
  if (PASSWORD_IN_STRING.test(path) || (!isFile && ORACLE.test(path)))
    throw refusal("A connection string is not a path to a file; nothing of it was stored.", "Connect a file.", "a connection string"); // prettier-ignore
}

function refusal(message: string, hint: string, met: string): ServiceError {
  return new ServiceError("unsupported_source", message, { hint, details: { met } });
}

/**
 * Refuses an object or rows that are a connector's descriptor, or hold one.
 *
 * @throws {ServiceError} `unsupported_source`
 */
export function refuseDescriptor(source: unknown): void {
  if (Array.isArray(source)) {
    refuseRows(source);
    return;
  }
  const members = listMembers(source);
  if (members === undefined) return;
  const records = members.find(([key]) => key === "records")?.[1];
  if (records !== undefined && !isDescriptor(members)) {
    if (Array.isArray(records)) refuseRows(records);
    return;
  }
  // Columns as lists are taken at their word, but an object among them is none.
  if (members.length > 0 && members.every(([, values]) => Array.isArray(values))) {
    for (const [, values] of members as readonly (readonly [string, readonly unknown[]])[])
      if (values.length === 1 && isNested(values[0])) refuseRows(values);
    return;
  }
  refuseRows([source]);
}

/** Refuses a file that holds a descriptor. */
export function refuseTable({ fields, columns, rowCount }: Table): void {
  if (rowCount < 1 || rowCount > MOST_ROWS) return;
  const rows = Array.from({ length: rowCount }, (_, row) =>
    Object.fromEntries(
      fields.map(({ name }, at) => {
        const column = columns[at];
        return [name, column?.kind === "string" ? (column.values[row] ?? null) : null];
      }),
    ),
  );
  refuseRows(rows);
}

function isNested(value: unknown): boolean {
  return listMembers(value) !== undefined || (typeof value === "string" && value.trimStart().startsWith("{"));
}

function refuseRows(rows: readonly unknown[]): void {
  const isOne = rows.length === 1 && holdsDescriptor(rows[0]);
  const areAll = rows.length > 1 && rows.length <= MOST_ROWS && rows.every(hasTypeAndSecret);
  if (!isOne && !areAll) return;
  const message = "This looks like a connector's descriptor, not data; nothing of it was stored.";
  const hint = 'Live sources need a deployment. If it is data, give it as columns: {"host": ["db1"], …}.';
  throw refusal(message, hint, "a descriptor");
}

function listMembers(value: unknown): Members | undefined {
  if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)];
  return isObject(value) ? Object.entries(value) : undefined;
}

function holdsDescriptor(value: unknown): boolean {
  const objects = [...listObjects(value, MOST_DEPTH, { left: MOST_PARTS })];
  if (objects.some(isDescriptor)) return true;
  const all = objects.flat();
  const texts = all.filter((pair): pair is readonly [string, string] => typeof pair[1] === "string" && pair[1] !== "");
  const keys = texts.map(([key]) => normaliseKey(key));
  const isTold = keys.some((key) => SECRETS.has(key)) && all.some(([key]) => PLACES.has(normaliseKey(key)));
  return isTold || keys.some((key) => STRINGS.has(key)) || texts.some(([, text]) => PASSWORD_IN_ADDRESS.test(text));
}

/** The members of an object and of those inside of it, in lists and in texts of JSON too. */
function* listObjects(given: unknown, depth: number, parts: { left: number }): Generator<Members, void> {
  const value = typeof given === "string" ? parseText(given) : given;
  parts.left -= 1;
  if (depth === 0 || parts.left < 0) return;
  const members = listMembers(value);
  if (members !== undefined) yield members;
  const inner = members?.map(([, each]) => each) ?? (Array.isArray(value) && value.length <= MOST_ROWS ? value : []);
  for (const each of inner) yield* listObjects(each, depth - 1, parts);
}

function parseText(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.length > MOST_JSON) return undefined;
  try {
    return parseJson(text, { integers: "exact", maxBytes: 4 * MOST_JSON });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Whether an object has a connector's type, and nothing else or a key that connectors have. */
function isDescriptor(members: Members): boolean {
  if (!hasType(members)) return false;
  const others = members.filter(([key]) => key !== "type");
  return others.length === 0 || others.some(([key]) => KNOWN.has(normaliseKey(key)));
}

function hasTypeAndSecret(row: unknown): boolean {
  const members = listMembers(row) ?? [];
  const texts = members.filter(([, value]) => typeof value === "string" && value !== "");
  return hasType(members) && texts.some(([key]) => SECRETS.has(normaliseKey(key)) || STRINGS.has(normaliseKey(key)));
}

function hasType(members: Members): boolean {
  const type = members.find(([key]) => key === "type")?.[1];
  if (typeof type !== "string") return false;
  const name = type
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return Object.hasOwn(CONNECTOR_TYPES, name.slice(0, MOST_KEY));
}

function normaliseKey(key: string): string {
  return key
    .slice(0, MOST_KEY)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "");
}
