/** SQLite: a table, a view or the answer of one SELECT, read in a process that ends with its time and memory. */

import { fork } from "node:child_process";
import { existsSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { beyondLimit, type ErrorCode, ServiceError, sourceMalformed } from "../errors.js";
import { findTextNotes } from "../readers/alike-texts.js";
import { quote } from "../readers/names.js";
import { type Limits, type ReadOptions } from "../readers/options.js";
import { buildFromColumns, tellRow } from "../readers/rows.js";
import { type SqliteRead, type SqliteRequest } from "../service/host.js";
import { findRealPath, hasChanged, requireRegular } from "./files.js";
import { findDriver } from "./sqlite-drivers.js";
import { requireSelect } from "./sqlite-statement.js";
import { type Message, type Task } from "./sqlite-task.js";

const PROGRAM = fileURLToPath(new URL("../../dist/node/sqlite-process.js", import.meta.url)); // also of tests in src
const MEMORY_BYTES = 2 ** 30; // of the process, beyond what it starts with
const PASSED_ON = ["SystemRoot", "TEMP", "TMP", "TMPDIR"]; // what a process needs to start, and SQLite to sort

interface Rows {
  readonly names: readonly string[];
  readonly columns: readonly unknown[][];
  readonly rowCount: number;
}

/**
 * Reads a table, a view or the answer of a query.
 *
 * @throws {ServiceError} `driver_missing`, `source_not_found`, `source_malformed`, `invalid_intent`, `limit_exceeded`
 */
export async function readSqlite(request: SqliteRequest, options: ReadOptions, limits: Limits): Promise<SqliteRead> {
  const { table, query } = request;
  if (query !== undefined) requireSelect(query);
  requireProgram();
  const path = findRealPath(request.path);
  const stamps = new Map([
    [path, requireRegular(path)],
    [`${path}-wal`, findStats(`${path}-wal`)],
  ] as const);
  const driver = findDriver();
  const isAtRest = requireMerged(path, driver === "sql.js");
  const size = stamps.get(path)?.size ?? 0;
  if (driver === "sql.js" && size > limits.textBytes)
    throw beyondLimit(`${quote(basename(path))} has ${String(size)} bytes.`, { limit: limits.textBytes, value: size });
  const read = await runProcess({ driver, path, isAtRest, size, table, query, limits, memoryBytes: MEMORY_BYTES });
  const isOther = (): boolean => [...stamps].some(([each, stamp]) => isChanged(each, stamp));
  if (isOther()) {
    const hint = "Connect it again when no program writes to it.";
    throw new ServiceError("source_changed", `${quote(basename(path))} changed while it was read.`, { hint });
  }
  const find = new Map(read.names.map((name, at) => [name, read.columns[at] ?? []]));
  const shape = { rowCount: read.rowCount, origin: "document" } as const;
  const built = buildFromColumns(read.names, (name) => find.get(name) ?? [], shape, options);
  const notes = [...(built.notes ?? []), ...findTextNotes(built, tellRow, false)];
  return { table: { ...built, notes }, hasChanged: isOther };
}

/** The process that reads is a file of its own, which a bundler leaves behind or takes from beside what it imports. */
function requireProgram(): void {
  if (existsSync(PROGRAM) && existsSync(join(dirname(PROGRAM), "sqlite-drivers.js"))) return;
  const hint = 'Write in next.config: serverExternalPackages: ["@service-nb/client"]; other bundlers call it external.';
  throw new ServiceError("driver_missing", "SQLite is read by a program of this package, which was bundled.", { hint });
}

function findStats(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isChanged(path: string, stamp: Stats | undefined): boolean {
  return stamp === undefined ? findStats(path) !== undefined : hasChanged(path, stamp);
}

/** Whether nothing waits in a log or a journal; refuses what only a writer could merge. */
function requireMerged(path: string, needsRest: boolean): boolean {
  const [log, journal] = [`${path}-wal`, `${path}-journal`].map((each) => (findStats(each)?.size ?? 0) > 0);
  const isAtRest = log !== true && journal !== true;
  if ((log === true && findStats(`${path}-shm`) === undefined) || (needsRest && !isAtRest)) {
    const hint = "Open and close it once with SQLite, which merges them; this reader never writes.";
    const message = `${quote(basename(path))} has unmerged changes in its write-ahead log (-wal).`;
    throw new ServiceError("source_unreadable", message, { hint, details: { met: "-wal without -shm" } });
  }
  return isAtRest;
}

function runProcess(task: Task): Promise<Rows> {
  const child = fork(PROGRAM, [], {
    serialization: "advanced",
    execArgv: ["--no-warnings"],
    env: Object.fromEntries(PASSED_ON.map((name) => [name, env[name]] as const).filter(([, value]) => value)),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  return new Promise((resolve, reject) => {
    let [names, columns, rowCount, told]: [readonly string[], unknown[][], number, string] = [[], [], 0, ""];
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (told = (told + text).slice(0, 1_000)));
    child.on("message", (message) => {
      const said = message as Message;
      if (said.kind === "names") [names, columns] = [said.names, said.names.map(() => [])];
      else if (said.kind === "rows") {
        for (const row of said.rows) for (const [at, column] of columns.entries()) column.push(row[at]);
        rowCount += said.rows.length;
      } else if (said.kind === "end") resolve({ names, columns, rowCount });
      else reject(restoreError(said.error));
    });
    child.on("error", reject);
    child.on("close", () => {
      reject(explainEnd(told, task)); // has no effect behind an answer
    });
    child.send(task);
  });
}

function restoreError({ code, message, hint, details }: Record<string, unknown>): ServiceError {
  const told = { hint: typeof hint === "string" ? hint : undefined, details: details as Record<string, unknown> };
  return new ServiceError(code as ErrorCode, String(message), told);
}

function explainEnd(told: string, { limits, memoryBytes }: Task): ServiceError {
  if (told === "time") {
    const facts = { limit: limits.sqlSeconds, limit_name: "sql_seconds" };
    const message = `The query took more than ${String(limits.sqlSeconds)} seconds.`;
    return beyondLimit(message, facts, "Simplify it, or raise limits.sqlSeconds.");
  }
  if (told === "memory" || /heap|memory/i.test(told)) {
    const facts = { limit: memoryBytes, limit_name: "memory_bytes" };
    const message = `SQLite needs more than ${String(memoryBytes)} bytes for the query.`;
    return beyondLimit(message, facts, "Select, sort and group fewer or shorter values.");
  }
  return sourceMalformed("The process that reads SQLite ended before its answer; the file may be damaged.", { met: told.slice(0, 200) }); // prettier-ignore
}
