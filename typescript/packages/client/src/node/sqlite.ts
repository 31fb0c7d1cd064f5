/** SQLite by `node:sqlite`, where this Node has it: a table or a view, read-only, every value checked. */

import { createRequire } from "node:module";
import type * as sqlite from "node:sqlite";
import { beyondLimit, ServiceError, sourceMalformed } from "../errors.js";
import { checkCells, quote } from "../readers/names.js";
import { type Limits, type ReadOptions } from "../readers/options.js";
import { buildFromColumns } from "../readers/rows.js";
import { type SqliteRead, type SqliteRequest } from "../service/host.js";
import { findPath, hasChanged, requireRegular } from "./files.js";

type Sqlite = typeof sqlite;

const MOST_NAMED = 20; // tables in an error

function loadDriver(): Sqlite {
  try {
    return createRequire(import.meta.url)("node:sqlite") as Sqlite;
  } catch {
    const hint = "Use Node 22.13 or later, or the Python client.";
    throw new ServiceError("driver_missing", "This Node has no SQLite.", { hint });
  }
}

/**
 * Reads a table or a view.
 *
 * @throws {ServiceError} `driver_missing`, `source_not_found`, `source_malformed`, `limit_exceeded`
 */
export async function readSqlite(request: SqliteRequest, options: ReadOptions, limits: Limits): Promise<SqliteRead> {
  const path = findPath(request.path);
  const stamp = requireRegular(path);
  const { table } = request;
  if (table === undefined)
    throw new ServiceError("unsupported_source", "This client reads tables and views of SQLite, not queries.", {
      hint: "Pass {table}, or connect the query with the Python client.",
      details: { met: "query", expected: "table" },
    });
  const { DatabaseSync } = loadDriver();
  return Promise.resolve().then(() => {
    const database = new DatabaseSync(path, { readOnly: true, allowExtension: false });
    try {
      database.exec("PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1;");
      requireTable(database, table);
      return { table: readTable(database, table, options, limits), hasChanged: () => hasChanged(path, stamp) };
    } catch (error) {
      throw explainFault(error);
    } finally {
      database.close();
    }
  });
}

type Database = InstanceType<Sqlite["DatabaseSync"]>;

function requireTable(database: Database, table: string): void {
  const listed = database.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").all();
  const names = listed.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
  if (names.includes(table)) return;
  const shown = names.slice(0, MOST_NAMED).map(quote).join(", ");
  const hint = names.length > 0 ? `It has ${shown}.` : "It has no tables.";
  throw new ServiceError("source_not_found", `The database has no table ${quote(table)}.`, { hint });
}

function readTable(
  database: Database,
  table: string,
  options: ReadOptions,
  limits: Limits,
): ReturnType<typeof buildFromColumns> {
  const statement = database.prepare(`SELECT * FROM "${table.replaceAll('"', '""')}"`);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  const columns: unknown[][] = names.map(() => []);
  let rowCount = 0;
  for (const row of statement.iterate() as Iterable<unknown>) {
    const values = row as readonly unknown[];
    for (const [at, value] of values.entries()) columns[at]?.push(checkValue(names[at] ?? "", value, limits));
    rowCount += 1;
    checkCells(rowCount, names.length, limits);
  }
  const find = new Map(names.map((name, at) => [name, columns[at] ?? []]));
  return buildFromColumns(names, (name) => find.get(name) ?? [], { rowCount, origin: "document" }, options);
}

function checkValue(name: string, value: unknown, limits: Limits): unknown {
  if (value instanceof Uint8Array)
    throw sourceMalformed(`Column ${quote(name)} holds bytes, which cannot be queried.`, { column: name, met: "BLOB" });
  if (typeof value === "string" && value.length > limits.cellChars)
    throw beyondLimit(`Column ${quote(name)} holds a text that is too long.`, { limit: limits.cellChars });
  return value;
}

function explainFault(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const met = error instanceof Error ? error.message.slice(0, 200) : "unknown";
  return sourceMalformed("The file is no valid SQLite database.", { met, expected: "a SQLite database" });
}
