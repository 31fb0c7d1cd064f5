/** What a query of SQLite may be: the text of one SELECT, and a program that only reads this database's tables. */

import { beyondLimit, ServiceError } from "../errors.js";
import { SQLITE } from "../readers/rules.js";

const TOKEN =
  /'(?:[^']|'')*('?)|"(?:[^"]|"")*("?)|`(?:[^`]|``)*(`?)|\[[^\]]*(\]?)|--[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*(?:\*\/)?|[\p{L}_][\p{L}\p{N}_$]*|\s+|[^]/gu;
const CALLS = /^(?:Pure)?Func|^Agg/;
const OTHERS = /^(?:OpenWrite|Vacuum|VOpen|VUpdate|VCreate|Program|Pagecount|JournalMode|Checkpoint|Destroy|Clear)$/;
const CALLED = /^(.*)\(-?\d+\)$/s;
const FUNCTIONS: ReadonlySet<string> = new Set(SQLITE.functions.split(" "));

/** A line of EXPLAIN: an instruction of SQLite's machine. */
export interface Instruction {
  readonly opcode: string;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string;
}

/**
 * Requires that a query is the text of exactly one SELECT, before a database is opened.
 *
 * @throws {ServiceError} `invalid_intent`, `limit_exceeded`
 */
export function requireSelect(query: string): void {
  if (query.length > SQLITE.most_sql) {
    const message = `The query has ${String(query.length)} characters; at most ${String(SQLITE.most_sql)} are read.`;
    throw beyondLimit(message, { limit: SQLITE.most_sql, value: query.length });
  }
  const tokens = [...query.matchAll(TOKEN)].filter(([text]) => !/^(?:\s|--|\/\*)/.test(text));
  if (query.includes("\0") || tokens.some((parts) => parts.slice(1).includes(""))) throw queryError("no valid SQL");
  const words = tokens.map(([text]) => text.toUpperCase());
  while (words.at(-1) === ";") words.pop();
  if (words.includes(";")) throw queryError("several statements");
  if (words[0] !== "SELECT" && words[0] !== "WITH") throw queryError(words[0]?.slice(0, 20) ?? "nothing");
}

function queryError(met: string): ServiceError {
  const details = { path: "query", met, expected: "SELECT" };
  return new ServiceError("invalid_intent", `The query is ${met}; expected exactly one SELECT.`, { details });
}

/**
 * Requires of a compiled statement, and of the views in it, that it reads tables of this file with known functions.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function requireReading(program: readonly Instruction[], ownPages: ReadonlySet<number>): void {
  for (const each of program) if (!isReading(each, ownPages)) throw readOnlyError();
  if (program.some(({ opcode }) => opcode === "Variable"))
    throw new ServiceError("invalid_intent", "The query has a parameter, and nothing gives it a value.", {
      hint: "Write the value into the query.",
      details: { path: "query", met: "a parameter", expected: "values" },
    });
}

function isReading({ opcode, p2, p3, p4 }: Instruction, ownPages: ReadonlySet<number>): boolean {
  if (opcode === "Transaction") return p2 === 0;
  if (opcode === "OpenRead" || opcode === "ReopenIdx") return p3 === 0 && !ownPages.has(p2);
  if (OTHERS.test(opcode)) return false;
  return !CALLS.test(opcode) || FUNCTIONS.has(CALLED.exec(p4)?.[1]?.toLowerCase() ?? "");
}

/** Builds the error of a query that does more than read. */
export function readOnlyError(): ServiceError {
  return new ServiceError("invalid_intent", "The query may only read this database.", {
    hint: "Use only tables of this file, and functions that compute from the values of a row.",
    details: { path: "query", functions: [...FUNCTIONS].sort() },
  });
}
