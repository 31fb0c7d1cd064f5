/** The two drivers of SQLite, seen alike: `node:sqlite`, and `sql.js` where Node has none. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as builtin from "node:sqlite";
import { pathToFileURL } from "node:url";
import { ServiceError } from "../errors.js";

export type DriverName = "node:sqlite" | "sql.js";

/** A statement that was compiled: the names of its columns, and its rows; whole numbers are `bigint`. */
export interface Statement {
  readonly names: readonly string[];
  readonly rows: Iterable<readonly unknown[]>;
}

/** An open database, which cannot be written to. */
export interface Database {
  /** Whether texts come as they are stored: with NUL characters, and without doubt about their encoding. */
  readonly hasWholeTexts: boolean;
  readonly run: (sql: string) => void;
  readonly prepare: (sql: string) => Statement;
}

interface SqlJsStatement {
  readonly getColumnNames: () => string[];
  readonly step: () => boolean;
  readonly get: (values: null, options: { readonly useBigInt: true }) => unknown[];
}

interface SqlJsDatabase {
  readonly run: (sql: string) => void;
  readonly prepare: (sql: string) => SqlJsStatement;
}

interface SqlJs {
  readonly Database: new (bytes: Uint8Array) => SqlJsDatabase;
}

const require = createRequire(import.meta.url);

/**
 * Finds the driver that is here.
 *
 * @throws {ServiceError} `driver_missing`
 */
export function findDriver(): DriverName {
  if (hasBuiltin()) return "node:sqlite";
  try {
    require.resolve("sql.js");
    return "sql.js";
  } catch {
    const hint = "Run `npm install sql.js`, or use Node 22.16 or later.";
    throw new ServiceError("driver_missing", "This Node has no SQLite, and sql.js is not installed.", { hint });
  }
}

function hasBuiltin(): boolean {
  try {
    const { StatementSync } = require("node:sqlite") as typeof builtin;
    return "setReturnArrays" in StatementSync.prototype; // with it came databases by address, too
  } catch {
    return false;
  }
}

/** Opens a database for reading; `isAtRest`: nobody writes to it, so that neither locks nor files beside it are needed. */
export async function openDatabase(driver: DriverName, path: string, isAtRest: boolean): Promise<Database> {
  return driver === "node:sqlite" ? openBuiltin(path, isAtRest) : await openSqlJs(path);
}

function openBuiltin(path: string, isAtRest: boolean): Database {
  const { DatabaseSync } = require("node:sqlite") as typeof builtin;
  const address = new URL(`${pathToFileURL(path).href}?mode=ro${isAtRest ? "&immutable=1" : ""}`);
  const database = new DatabaseSync(address, { readOnly: true, allowExtension: false });
  return {
    hasWholeTexts: true,
    run: (sql) => {
      database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      const rows = { [Symbol.iterator]: () => statement.iterate() as unknown as Iterator<readonly unknown[]> };
      return { names: statement.columns().map(({ name }) => name), rows };
    },
  };
}

async function openSqlJs(path: string): Promise<Database> {
  const load = require(/* webpackIgnore: true */ /* turbopackIgnore: true */ "sql.js") as () => Promise<SqlJs>;
  const { Database } = await load();
  const database = new Database(readFileSync(path));
  return {
    hasWholeTexts: false,
    run: (sql) => {
      database.run(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return { names: statement.getColumnNames(), rows: { [Symbol.iterator]: () => stepThrough(statement) } };
    },
  };
}

function* stepThrough(statement: SqlJsStatement): Iterator<readonly unknown[]> {
  while (statement.step()) yield statement.get(null, { useBigInt: true });
}
