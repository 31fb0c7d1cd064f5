/** The process that reads SQLite for the client: a statement of SQLite hears no signal, so it is killed from outside. */

import { writeSync } from "node:fs";
import process from "node:process";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { beyondLimit, ServiceError, sourceMalformed } from "../errors.js";
import { findSimilarNames } from "../query/similar.js";
import { checkCells, quote } from "../readers/names.js";
import { type Limits } from "../readers/options.js";
import { type Database, openDatabase } from "./sqlite-drivers.js";
import { type Instruction, readOnlyError, requireReading } from "./sqlite-statement.js";
import type { Message, Reason, Task } from "./sqlite-task.js";

interface Guard {
  readonly seconds: number;
  readonly memoryBytes: number;
}

const LOOK_MS = 50;
const AT_ONCE = 500; // rows of a message
const LEAST_CHARS = 2 ** 28; // of texts: an answer has as many in any case, or so many for a byte of its file
const CHARS_A_BYTE = 4;
const BYTES_A_SECOND = 5_000_000; // of a slow disk: a whole table takes its time
const MOST_NAMED = 20; // tables in an error
const DAMAGED = new Set([10, 11, 14, 24, 26]); // IOERR, CORRUPT, CANTOPEN, FORMAT, NOTADB
const BUSY = new Set([5, 6]);
const READ_ONLY = new Set([8, 23]);
const TOO_BIG = 18;
const NO_MEMORY = 7;

if (isMainThread) process.once("message", (task) => void answer(task as Task));
else watch(workerData as Guard);

/** Ends this process when time or memory are used up, or when nobody waits for it any more. */
function watch({ seconds, memoryBytes }: Guard): void {
  const [started, base, parent] = [performance.now(), process.memoryUsage.rss(), process.ppid];
  setInterval(() => {
    if (performance.now() - started > seconds * 1_000) end("time");
    if (process.memoryUsage.rss() - base > memoryBytes) end("memory");
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, LOOK_MS);
}

function end(reason: Reason): void {
  writeSync(2, reason);
  process.kill(process.pid, "SIGKILL");
}

async function answer(task: Task): Promise<void> {
  const seconds = task.limits.sqlSeconds + task.size / BYTES_A_SECOND;
  const guard: Guard = { seconds, memoryBytes: task.memoryBytes };
  new Worker(new URL(import.meta.url), { workerData: guard }).unref();
  try {
    await read(task);
    await send({ kind: "end" });
  } catch (error) {
    await send({ kind: "error", error: explainFault(task, error).toJSON() });
  }
  process.exit(0);
}

/** Sends a message, and waits until it has left: rows do not pile up here. */
function send(message: Message): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => { resolve(); })); // prettier-ignore
}

async function read(task: Task): Promise<void> {
  const database = await openDatabase(task.driver, task.path, task.isAtRest);
  database.run("PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1;");
  const statement = task.query ?? selectAll(database, task.table ?? "");
  requireReading(explain(database, statement), findOwnPages(database));
  const { names } = database.prepare(statement);
  await send({ kind: "names", names });
  if (database.hasWholeTexts) {
    if (await sendRows(task, names, database.prepare(statement).rows)) return;
    for (const row of readTextsAsBytes(database, statement, names)) requireTexts(names, row);
  } else await sendRows(task, names, readTextsAsBytes(database, statement, names));
}

function selectAll(database: Database, table: string): string {
  const listed = [...database.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").rows];
  const names = listed.map(([name]) => String(name)).filter((name) => !name.startsWith("sqlite_"));
  if (names.includes(table)) return `SELECT * FROM "${table.replaceAll('"', '""')}"`;
  const close = findSimilarNames(table, names);
  const shown = names.slice(0, MOST_NAMED).map(quote).join(", ");
  const hint = close[0] === undefined ? (shown === "" ? "It has no tables." : `It has ${shown}.`) : `Did you mean ${quote(close[0])}?`; // prettier-ignore
  const details = { met: quote(table), did_you_mean: close.length > 0 ? close : undefined };
  throw new ServiceError("source_not_found", `The database has no table ${quote(table)}.`, { hint, details });
}

function explain(database: Database, statement: string): Instruction[] {
  const program = [...database.prepare(`EXPLAIN ${statement}`).rows];
  return program.map(([, opcode, , p2, p3, p4]) => {
    return { opcode: String(opcode), p2: Number(p2), p3: Number(p3), p4: String(p4) };
  });
}

/** The pages at which SQLite's own tables begin. */
function findOwnPages(database: Database): ReadonlySet<number> {
  const own =
    "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) = 'sqlite_' COLLATE NOCASE";
  return new Set([1, ...[...database.prepare(own).rows].map(([page]) => Number(page))]);
}

/** Reads a statement with its texts as bytes, and turns them to text again: a driver stops at NUL, or guesses at bytes. */
function* readTextsAsBytes(
  database: Database,
  statement: string,
  names: readonly string[],
): Generator<readonly unknown[]> {
  const [[encoding] = []] = [...database.prepare("PRAGMA encoding").rows];
  const decoder = new TextDecoder(String(encoding), { fatal: true, ignoreBOM: true });
  const columns = names.map((_, at) => `c${String(at)}`);
  const values = columns.map((name) => `typeof(${name}) = 'text', CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`); // prettier-ignore
  const inner = statement.replace(/[;\s]+$/, "");
  const whole = `WITH q(${columns.join(", ")}) AS (\n${inner}\n) SELECT ${values.join(", ")} FROM q`;
  for (const row of database.prepare(whole).rows) {
    yield names.map((name, at) => {
      const value = row[2 * at + 1];
      if (Number(row[2 * at]) !== 1) return value;
      try {
        return decoder.decode(value as Uint8Array);
      } catch {
        throw sourceMalformed(`Column ${quote(name)} holds text that is not ${String(encoding)}.`, { column: name });
      }
    });
  }
}

function requireTexts(names: readonly string[], row: readonly unknown[]): void {
  if (row.length !== names.length) throw sourceMalformed("A row has another number of values than there are columns.");
}

/** Sends rows; false if a text may have been stored as bytes that are no text. */
async function sendRows(
  { limits, size }: Task,
  names: readonly string[],
  rows: Iterable<readonly unknown[]>,
): Promise<boolean> {
  const mostChars = Math.max(LEAST_CHARS, CHARS_A_BYTE * size);
  let [count, chars, isCertain] = [0, 0, true];
  let batch: (readonly unknown[])[] = [];
  for (const row of rows) {
    count += 1;
    for (const [at, name] of names.entries()) {
      const value = row[at];
      checkValue(name, value, limits);
      if (typeof value !== "string") continue;
      chars += value.length;
      isCertain &&= !value.includes("\ufffd");
    }
    batch.push(row);
    if (batch.length < AT_ONCE) continue;
    checkSize(count, names.length, chars, mostChars, limits);
    await send({ kind: "rows", rows: batch });
    batch = [];
  }
  checkSize(count, names.length, chars, mostChars, limits);
  await send({ kind: "rows", rows: batch });
  return isCertain;
}

function checkSize(rows: number, columns: number, chars: number, mostChars: number, limits: Limits): void {
  checkCells(rows, columns, limits);
  if (chars <= mostChars) return;
  const message = `The texts of the rows have more characters than ${String(mostChars)}.`;
  throw beyondLimit(message, { limit: mostChars, limit_name: "answer_chars" }, "Select fewer rows or columns.");
}

function checkValue(name: string, value: unknown, limits: Limits): void {
  if (value instanceof Uint8Array) {
    const hint = "Leave it out: pass a query that selects the other columns.";
    throw sourceMalformed(`Column ${quote(name)} holds bytes, which cannot be queried.`, { column: name, met: "BLOB" }, hint); // prettier-ignore
  }
  const isLong = typeof value === "string" && (value.length > limits.cellChars || 3 * value.length > limits.cellChars && Buffer.byteLength(value) > limits.cellChars); // prettier-ignore
  if (isLong || value === undefined) throw tooLong(limits); // undefined: longer than a text of JavaScript can be
}

function tooLong(limits: Limits): ServiceError {
  const message = `A value is longer than ${String(limits.cellChars)} bytes.`;
  return beyondLimit(message, { limit: limits.cellChars, limit_name: "cell_chars" });
}

function explainFault(task: Task, error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const met = error instanceof Error ? error.message.slice(0, 200) : "unknown";
  const extended =
    typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) : undefined;
  const code = extended === undefined ? findCode(met) : extended & 0xff;
  if (code === TOO_BIG || String((error as { readonly code?: unknown }).code) === "ERR_STRING_TOO_LONG")
    return tooLong(task.limits);
  if (code === NO_MEMORY)
    return beyondLimit("SQLite needs too much memory for the query.", { limit: task.memoryBytes });
  if (READ_ONLY.has(code)) return readOnlyError();
  if (BUSY.has(code)) {
    const hint = "Try again.";
    return new ServiceError("source_unreadable", "The file is locked: another program writes to it.", { hint });
  }
  if (DAMAGED.has(code))
    return sourceMalformed("The file is no valid SQLite database.", { met, expected: "a SQLite database" });
  const details = { path: "query", met };
  return new ServiceError("invalid_intent", `SQLite cannot run the query: ${met}.`, { details });
}

/** The code behind the words of a driver that tells none. */
function findCode(message: string): number {
  const known = { "not a database": 26, malformed: 11, "disk I/O": 10, "too big": TOO_BIG, "out of memory": NO_MEMORY, readonly: 8 }; // prettier-ignore
  return Object.entries(known).find(([words]) => message.includes(words))?.[1] ?? 1;
}
