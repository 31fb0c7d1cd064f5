/** Inputs of `connect`, read to what is registered: paths, bytes, objects, rows, SQLite; and live sources. */

import { isObject } from "@service-nb/records";
import { hashSchema, hashValues, identifySource } from "../digests.js";
import { ServiceError } from "../errors.js";
import { type FileAddress } from "../inputs.js";
import { quote } from "../readers/names.js";
import { type Limits, optionError, type ReadingOptions, type ReadOptions } from "../readers/options.js";
import { type Dataset, findFormat, type Format, readBytes, readObjects } from "../readers/read.js";
import { type Field } from "../values/columns.js";
import { type DataPlace } from "./data-places.js";
import { type Host, type SqliteRequest } from "./host.js";
import { type LiveSource } from "./live.js";
import { type Origin, type Registered } from "./registry.js";

const MOST_NAME = 1_024;

/** How an input is to be read. */
export interface ReadRequest {
  readonly format: Format | undefined;
  readonly given: ReadingOptions;
  readonly checked: ReadOptions;
}

/** What was read, and whether it is something else by now. */
export interface Read extends Dataset {
  readonly origin: Origin | null;
  readonly hasChanged: () => boolean;
}

/** Where inputs are read, and how much of them. */
export interface Readers {
  readonly host: Host;
  readonly limits: Limits;
}

/** @throws {ServiceError} The input cannot be read. */
export async function readInput(input: unknown, request: ReadRequest, readers: Readers): Promise<Read> {
  const { format, given, checked } = request;
  if (typeof input === "string") return readPath(input, request, readers);
  if (input instanceof Uint8Array)
    return {
      ...readBytes(input, format ?? "csv", given, checked, readers.host.findSha256),
      origin: null,
      hasChanged: () => false,
    };
  if (isObject(input) && input["provider"] === "sqlite") return readSqlite(input, checked, readers);
  if (isObject(input) && input["provider"] !== undefined)
    throw new ServiceError("unsupported_source", "This client reads no databases but SQLite.", {
      hint: "Pass {provider: 'sqlite', path, table}, or null and {connector} for a live source of a deployment.",
      details: { met: "provider", expected: "sqlite" },
    });
  if (typeof input === "object" && input !== null)
    return { ...readObjects(input, given, checked), origin: null, hasChanged: () => false };
  throw unsupportedInput(`An input of type ${typeof input}`);
}

/**
 * Refuses objects of the platform that hold no data, or hold them for whoever asks: read as objects they would be empty,
 * or be said to lack a name.
 *
 * @throws {ServiceError} `unsupported_source`
 */
export function refuseUnread(input: unknown): void {
  if (typeof input !== "object" || input === null) {
    if (typeof input !== "string") throw unsupportedInput(`An input of type ${typeof input}`);
  } else if (isObject(input) || Array.isArray(input)) return;
  else if ("then" in input && typeof input.then === "function")
    throw unsupportedInput("A promise", "Wait for the data: connect(await data, { name: … })");
  else if (isAddress(input)) throw unsupportedInput("A URL", "Fetch it, and pass the bytes; of a file pass its path.");
  else if (input instanceof ArrayBuffer) throw unsupportedInput("An ArrayBuffer", "Pass new Uint8Array(buffer).");
  else if ("arrayBuffer" in input && typeof input.arrayBuffer === "function")
    throw unsupportedInput("A Blob or Response", "Pass new Uint8Array(await it.arrayBuffer()).");
  else if (Symbol.asyncIterator in input)
    throw unsupportedInput("A stream", "Pass the path of the file, or its bytes.");
}

/** Whether an input is a URL, as the platform has them. */
export function isAddress(input: unknown): input is FileAddress {
  return typeof input === "object" && input !== null && "href" in input && "searchParams" in input;
}

function unsupportedInput(
  what: string,
  hint = "Pass a path, bytes, rows, {records: […]} or {provider: 'sqlite', path, table}.",
): ServiceError {
  return new ServiceError("unsupported_source", `${what} cannot be connected.`, { hint });
}

async function readPath(
  path: string,
  { format, given, checked }: ReadRequest,
  { host, limits }: Readers,
): Promise<Read> {
  const found = format ?? findFormat(path);
  const { readFile } = host;
  if (readFile === undefined)
    throw new ServiceError("unsupported_source", "There are no files here.", { hint: "Pass the bytes of the file." });
  const most = found === "json" ? limits.jsonBytes : limits.textBytes;
  const { bytes, name, hasChanged } = await readFile(path, most);
  return { ...readBytes(bytes, found, given, checked, host.findSha256), origin: { file: name }, hasChanged };
}

async function readSqlite(
  input: Readonly<Record<string, unknown>>,
  checked: ReadOptions,
  { host, limits }: Readers,
): Promise<Read> {
  const request = readSqliteRequest(input);
  if (host.readSqlite === undefined) throw new ServiceError("driver_missing", "SQLite needs Node; a page has none.");
  const { table, hasChanged } = await host.readSqlite(request, checked, limits);
  const parts = { provider: "sqlite", file: request.path.replace(/^.*[/\\]/, "") };
  const { table: name, query } = request;
  const origin = { ...parts, ...(name !== undefined && { table: name }), ...(query !== undefined && { query }) };
  return { table, content: hashValues(table), origin, hasChanged };
}

function readSqliteRequest(input: Readonly<Record<string, unknown>>): SqliteRequest {
  const { provider, path, table, query, ...rest } = input;
  const [unknown] = Object.keys(rest);
  const named = readOptionalText(table) ?? readOptionalText(query);
  const isOne = isMissing(table) !== isMissing(query) && named !== undefined;
  if (provider !== "sqlite" || unknown !== undefined || typeof path !== "string" || !isOne)
    throw new ServiceError("invalid_intent", "A SQLite source needs a path and either a table or a query.", {
      hint: "Pass {provider: 'sqlite', path, table}.",
      details: { path: unknown ?? "table", expected: "path and table" },
    });
  return { path, table: readOptionalText(table), query: readOptionalText(query) };
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function readOptionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** @throws {ServiceError} `invalid_intent`: there is no name, or it is no printable text. */
export function chooseName(given: unknown, input: unknown): string {
  const name = given ?? suggestName(input);
  if (isPrintableName(name)) return name;
  const message = "The source has no name, or one that is no printable text.";
  throw new ServiceError("invalid_intent", message, { hint: "Pass {name: …}.", details: { path: "name" } });
}

export function isPrintableName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name !== "" &&
    name.length <= MOST_NAME &&
    !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(name)
  );
}

function suggestName(input: unknown): unknown {
  if (typeof input === "string") return input.replace(/^.*[/\\]/, "").replace(/(?<=.)\.[^.]*$/, "");
  return isObject(input) && input["provider"] === "sqlite" ? input["table"] : undefined;
}

/** What is registered of what was read. */
export function buildRegistered(
  name: string,
  { table, content, origin, hasChanged }: Read,
  { reading }: ReadOptions,
  aliases: Readonly<Record<string, string>> = {},
): Omit<Registered, "place"> & { readonly place?: DataPlace } {
  checkAliases(Object.entries(aliases), table.fields);
  return {
    name,
    sourceId: identifySource(name, table.fields, content.sha256, reading),
    fields: table.fields,
    rowCount: table.rowCount,
    table,
    live: undefined,
    schemaRevision: hashSchema(table.fields),
    content,
    reading,
    aliases: new Map(Object.entries(aliases)),
    origin,
    hasChanged,
    readingNotes: table.notes ?? [],
  };
}

/** What is registered of a live source, under a name of this side; `visible` are the fields that the policy shows. */
export function buildLiveRegistered(
  name: string,
  live: LiveSource,
  aliases: ReadonlyMap<string, string>,
  visible: readonly Field[],
): Registered {
  checkAliases(aliases, visible);
  const { fields, rowCount, content, reading } = live;
  return {
    name,
    sourceId: identifySource(name, fields, content.sha256 ?? content.algorithm, reading),
    fields,
    rowCount,
    table: undefined,
    live,
    schemaRevision: hashSchema(fields),
    content,
    reading,
    aliases,
    origin: null,
    place: undefined,
    hasChanged: () => false,
    readingNotes: [],
  };
}

function checkAliases(aliases: Iterable<readonly [string, string]>, fields: readonly Field[]): void {
  const columns = new Set(fields.map((field) => field.name));
  for (const [alias, target] of aliases) {
    if (alias === "" || target === "") throw optionError("aliases", {}, "texts by name");
    const isColumn = columns.has(target);
    const isText = alias.isWellFormed();
    if (isText && isColumn && !columns.has(alias)) continue;
    const misplaced = isColumn ? "is a column's own name" : `stands for ${quote(target)}, which is not a column`;
    const fault = isText ? misplaced : "has a lone surrogate";
    const details = { path: "aliases", met: quote(isText && !isColumn ? target : alias) };
    throw new ServiceError("invalid_intent", `The alias ${quote(alias)} ${fault}.`, { details });
  }
}
