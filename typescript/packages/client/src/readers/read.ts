/** The reader of an input by its form, never by guessing at its content. */

import { ServiceError, sourceMalformed } from "../errors.js";
import { hashBytes, hashValues } from "../digests.js";
import { type Content } from "../source.js";
import { type Table } from "../values/columns.js";
import { findTextNotes } from "./alike-texts.js";
import { readDelimited } from "./delimited.js";
import { findRowNotes } from "./doubtful-rows.js";
import { parseDocument } from "./json-document.js";
import { refuseDescriptor, refuseTable } from "./misplaced-descriptors.js";
import { quote } from "./names.js";
import { OF_TEXT, type ReadingOptions, type ReadOptions, refuseOptions } from "./options.js";
import { buildFromRows, describeMet, readRows, tellRow } from "./rows.js";
import { ENDINGS, OF_PYTHON, SQLITE_ENDINGS } from "./rules.js";

/** What was read: columns, and the digest of what they were read from. */
export interface Dataset {
  readonly table: Table;
  readonly content: Content;
}

/** The formats of bytes. */
export type Format = "csv" | "tsv" | "json" | "ndjson";

const TABBED = [".tsv", ".tab"];
const COMPRESSED = [".gz", ".zip", ".bz2", ".xz", ".zst", ".tar", ".7z"];

/**
 * Finds the format of a file by its ending.
 *
 * @throws {ServiceError} `unsupported_source`
 */
export function findFormat(name: string): Format {
  const ending = /\.[^./\\]*$/.exec(name)?.[0].toLowerCase() ?? "";
  const [kind] = Object.entries(ENDINGS).find(([, endings]) => endings.some((each) => each === ending)) ?? [""];
  if (kind === "delimited") return TABBED.includes(ending) ? "tsv" : "csv";
  if (kind === "json_document") return "json";
  if (kind === "ndjson") return "ndjson";
  throw unsupportedError(name, ending, kind);
}

function unsupportedError(name: string, ending: string, kind: string): ServiceError {
  const build = (message: string, hint: string): ServiceError =>
    new ServiceError("unsupported_source", message, { hint, details: { met: ending === "" ? "no ending" : ending } });
  const shown = quote(name.replace(/^.*[/\\]/, ""));
  if (OF_PYTHON.some((each) => each === kind))
    return build(`${shown} is a format that this client does not read.`, "The Python client reads Excel, Parquet and Arrow; or save it as CSV."); // prettier-ignore
  if (SQLITE_ENDINGS.some((each) => each === ending))
    return build(`${shown} is a SQLite database: choose a table or a query of it.`, "Pass {provider: 'sqlite', path, table}."); // prettier-ignore
  if (COMPRESSED.includes(ending)) return build(`${shown} is compressed.`, "Unpack it first.");
  const known = Object.entries(ENDINGS).flatMap(([each, endings]) => (each === kind ? [] : endings));
  return build(`${shown} has no file ending that gives its format.`, `Known are ${known.join(", ")}.`);
}

/** Reads bytes of a format; `findSha256` is the host's. */
export function readBytes(
  bytes: Uint8Array,
  format: Format,
  given: ReadingOptions,
  options: ReadOptions,
  findSha256?: (bytes: Uint8Array) => string,
): Dataset {
  if (format === "json" || format === "ndjson")
    refuseOptions(given, OF_TEXT, format === "json" ? "json document" : format);
  const table = readTable(bytes, format, options);
  refuseTable(table);
  return { table, content: hashBytes(bytes, findSha256) };
}

function readTable(bytes: Uint8Array, format: Format, options: ReadOptions): Table {
  switch (format) {
    case "csv":
      return readDelimited(bytes, options, false);
    case "tsv":
      return readDelimited(bytes, options, true);
    case "json":
      return noteRows(readRows(parseDocument(bytes, options.limits.jsonBytes), options, "document"));
    case "ndjson":
      return noteRows(buildFromRows(parseLines(bytes, options), options, "document"));
  }
}

function noteRows(table: Table): Table {
  const told = [...findRowNotes(table, { tell: tellRow }), ...findTextNotes(table, tellRow, true)];
  return { ...table, notes: [...(table.notes ?? []), ...told] };
}

/** Reads objects of the caller. */
export function readObjects(source: unknown, given: ReadingOptions, options: ReadOptions): Dataset {
  refuseOptions(given, OF_TEXT, "rows");
  refuseDescriptor(source);
  const table = noteRows(readRows(source, options, "caller"));
  return { table, content: hashValues(table) };
}

function parseLines(bytes: Uint8Array, options: ReadOptions): unknown[] {
  const rows: unknown[] = [];
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let number = 0;
  for (let at = start; at <= bytes.length;) {
    const found = bytes.indexOf(10, at);
    const end = found < 0 ? bytes.length : found;
    number += 1;
    const line = bytes.subarray(at, end);
    at = end + 1;
    if (line.every((byte) => byte === 32 || (byte >= 9 && byte <= 13))) continue;
    const row = parseDocument(line, options.limits.jsonBytes, number);
    if (!(row instanceof Map)) {
      const met = describeMet(row, "document");
      const message = `Line ${String(number)} is ${met}; expected an object.`;
      throw sourceMalformed(message, { line: number, met, expected: "an object" });
    }
    rows.push(row);
  }
  return rows;
}
