/** What is wrong with an ask line that breaks the grammar: what was met, and what was expected. */

import { type ServiceError } from "../errors.js";
import { countChars } from "../values/order.js";
import { invalidIntent } from "./faults.js";
import { type Token, translatePattern } from "./lexer.js";
import { LINE_END } from "./parser.js";
import { AGGREGATIONS, CHARACTER_HINTS, CLAUSES, EXAMPLE, ORDER_OF_WORDS, PERIODS, SQL_OPENINGS, SYNONYMS, UNLISTED, WORDS_FOR } from "./tables.js"; // prettier-ignore
import { cut, isBareName, isKeyword, joinAlternatives } from "./text.js";
import { findCloseMatches } from "./matching.js";

/** What a sentence about a line says beside what was met. */
export interface LineFault {
  readonly expected?: readonly string[];
  readonly near?: readonly string[];
  readonly hint?: string | undefined;
}

/** Where something was met in a line. */
export interface Met {
  readonly line: string;
  readonly start: number;
  readonly met: string;
}

export const AGGREGATION_NAMES: readonly string[] = Object.keys(AGGREGATIONS);
const NAMES: readonly string[] = ["NAME", "QUOTED_NAME"];
const SHOWN = 40;
const MOST_APART = 2; // letters that a slip adds or leaves out
const OPENING = new RegExp(translatePattern("^\\s*([^\\W\\d]\\w*|\\S{1,40})?", { isCaseless: false }), "u");
const LEADING = new RegExp(translatePattern("^\\s*", { isCaseless: false }), "u");
const TRAILING = new RegExp(translatePattern("\\s+$", { isCaseless: false }), "u");
const FIRST_WORD = new RegExp(translatePattern("^\\S+", { isCaseless: false }), "u");

/** The line and the column of a place in a text, both from 1. */
export function placeOf(text: string, start: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, start);
  const from = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: countChars(before.slice(from)) + 1 };
}

/** The error for a line that does not open with an aggregation. */
export function unknownAggregationError(line: string): ServiceError {
  const word = OPENING.exec(line)?.[1] ?? "";
  const at = { line, start: LEADING.exec(line)?.[0].length ?? 0, met: word };
  if ((SQL_OPENINGS as readonly string[]).includes(word.toLowerCase())) {
    const error = lineError(at, "not SQL", { expected: AGGREGATION_NAMES, hint: `Write, for example: ${EXAMPLE}` });
    error.message = `Not SQL. A question begins with ${joinAlternatives(AGGREGATION_NAMES)}.`;
    return error;
  }
  const says = word === "" ? "the line is empty" : `\`${word}\` is not an aggregation`;
  return lineError(at, says, { expected: AGGREGATION_NAMES, near: findCloseWords(word, AGGREGATION_NAMES, SYNONYMS) });
}

/** What the parser knows where it stopped. */
export interface Stop {
  readonly accepted: ReadonlySet<string>;
  readonly previous: Token | undefined;
}

/** The error for a word or sign at a place where the grammar does not allow it. */
export function unexpectedTokenError(line: string, token: Token, stop: Stop): ServiceError {
  const expected = listExpectedWords(stop);
  if (token.kind === LINE_END) {
    const rest = line.replace(TRAILING, "");
    return lineError({ line: rest, start: rest.length, met: "" }, "the line ends too early", { expected });
  }
  const at = { line, start: token.start, met: token.text };
  if (token.kind === "VARIABLE") {
    const hint = "A variable stands for a value of a condition: `where year = $year`.";
    return lineError(at, `\`${shorten(token.text)}\` is not allowed here`, { expected, hint });
  }
  const known = expected.filter((word) => isKeyword(word) || word === "starts with");
  // Behind `is`, a word is a value: `region is north` has no slip of `not` in it.
  const isValue = isAfterIs(stop.previous) && NAMES.includes(token.kind);
  const near = isValue ? [] : findCloseWords(token.text, known);
  return lineError(at, `unexpected \`${shorten(token.text)}\``, {
    expected,
    near,
    hint: findHint(line, token, stop.previous),
  });
}

/** The error for characters that are no word, number, text or sign of the grammar. */
export function unexpectedCharacterError(line: string, start: number, stop: Stop): ServiceError {
  const word = FIRST_WORD.exec(line.slice(start))?.[0] ?? "";
  const first = word.charAt(0);
  if ("'\"`".includes(first))
    return lineError({ line, start, met: first }, "this quote is never closed", {
      expected: [`a closing ${first}`],
      hint: "Double a quote inside the text.",
    });
  const known = Object.entries(CHARACTER_HINTS).find(([opening]) => word.startsWith(opening))?.[1];
  const ofNumbers = "Write numbers as 12 or -3.5e6, dates as 2013-01-31, and everything else in quotes.";
  const hint = known ?? ("+-.0123456789".includes(first) ? ofNumbers : undefined);
  const expected = listExpectedWords(stop);
  return lineError({ line, start, met: word }, `\`${shorten(word)}\` is not allowed here`, { expected, hint });
}

/** The error for a word after `during` that names no period. */
export function unknownPeriodError(line: string, token: Token): ServiceError {
  return lineError({ line, start: token.start, met: token.text }, `\`${shorten(token.text)}\` is not a period`, {
    expected: PERIODS,
    near: findCloseWords(token.text, PERIODS),
  });
}

/** An error at a place: one sentence for the reader, the same facts in `details`. */
export function lineError(at: Met, says: string, fault: LineFault = {}): ServiceError {
  const { line, column } = placeOf(at.line, at.start);
  const where = line === 1 ? `column ${String(column)}` : `line ${String(line)}, column ${String(column)}`;
  const expected = fault.expected ?? [];
  const near = fault.near ?? [];
  const wanted = expected.length > 0 ? ` Expected ${joinAlternatives(expected)}.` : "";
  const meant = near.length > 0 ? `Did you mean ${joinAlternatives(near.map((word) => `\`${word}\``))}?` : undefined;
  const details = {
    line,
    column,
    met: shorten(at.met),
    expected: expected.length > 0 ? [...expected] : undefined,
    did_you_mean: near.length > 0 ? [...near] : undefined,
  };
  return invalidIntent(`At ${where}: ${says}.${wanted}`, details, meant ?? fault.hint);
}

/** The choices that a word is likely a misspelling of. */
export function findCloseWords(
  word: string,
  choices: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): string[] {
  const lower = word.toLowerCase();
  if (Object.hasOwn(synonyms, lower)) return [synonyms[lower] ?? ""];
  // `averge` is a slip of `avg`; `mode` is none of `median`.
  return findCloseMatches(lower, choices, 2).filter(
    (choice) =>
      Math.abs(countChars(choice) - countChars(word)) <= MOST_APART || cut(choice, 2) === cut(word, 2).toLowerCase(),
  );
}

/** What may come next in plain words: values first, then keywords in the order of the grammar. */
export function listExpectedWords({ accepted, previous }: Stop): string[] {
  const kinds = [...accepted].filter((kind) => !(UNLISTED as readonly string[]).includes(kind));
  const ranked = kinds.sort((one, other) => rankOf(one) - rankOf(other));
  return [...new Set(ranked.map((kind) => describeTerminal(kind, previous)))];
}

function rankOf(kind: string): number {
  const at = (ORDER_OF_WORDS as readonly string[]).indexOf(kind);
  return at < 0 ? ORDER_OF_WORDS.length : at;
}

/** What a name stands for after some words; after others it is a column. */
const NAMES_AFTER: ReadonlyMap<string, string> = new Map([
  ["FROM", "a source"],
  ["DURING", "a period such as last_month"],
  ["IN", "a time zone such as Europe/Berlin"],
]);

function describeTerminal(kind: string, previous: Token | undefined): string {
  if (kind === "NAME" || kind === "QUOTED_NAME") return NAMES_AFTER.get(previous?.kind ?? "") ?? "a column";
  return Object.hasOwn(WORDS_FOR, kind) ? WORDS_FOR[kind as keyof typeof WORDS_FOR] : kind.toLowerCase();
}

function isAfterIs(previous: Token | undefined): boolean {
  return previous !== undefined && ["IS", "NOT"].includes(previous.kind);
}

function findHint(line: string, token: Token, previous: Token | undefined): string | undefined {
  const before = previous?.kind ?? "";
  const { kind, text } = token;
  if (["like", "ilike"].includes(text.toLowerCase()))
    return "Write `starts with 'A'` for like 'A%', and `contains 'b'` for like '%b%'; there is no other pattern.";
  const spaced = kind === "NAME" ? findSpacedName(line, token) : undefined;
  if (spaced !== undefined) return `Names with spaces need backticks: \`${spaced}\`.`;
  if (["INT", "DECIMAL"].includes(kind) && ["percentile", "quantile"].includes(previous?.text.toLowerCase() ?? ""))
    return "Write the percent between `percentile` and `of`: `percentile 90 of revenue`.";
  if (isAfterIs(previous) && [...NAMES, "STRING", "INT", "DECIMAL"].includes(kind))
    return `Compare with \`=\` or \`!=\`, text in quotes: = '${shorten(text).replace(/^'+|'+$/g, "")}'.`;
  if (kind === "NULL" && before === "COMPARISON") return "Write `is null` or `is not null`.";
  if (NAMES.includes(kind) && ["COMPARISON", "OPEN", "BETWEEN"].includes(before))
    return `Write text in quotes: '${shorten(text)}'.`;
  if (kind === "OPEN") return "Write the aggregation and its column side by side: `sum revenue`.";
  if (["BY", "FROM", "WHERE", "HAVING", "ORDER", "LIMIT"].includes(kind))
    return ["BY", "FROM", "WHERE"].includes(before) ? `Write a column named ${text} in backticks.` : CLAUSES;
  return undefined;
}

const SPACED_NAMES = new RegExp(translatePattern("(?:(?:^|\\s)(?:[^\\W\\d]\\w*))+\\s*$", { isCaseless: false }), "u");
const SPACES = new RegExp(translatePattern("\\s+", { isCaseless: false }), "u");

/** The words around a name, where it stands directly behind another one: they may be one name. */
function findSpacedName(line: string, token: Token): string | undefined {
  const before = SPACED_NAMES.exec(line.slice(Math.max(token.start - SHOWN, 0), token.start))?.[0] ?? "";
  let words = before.split(SPACES).filter(isBareName);
  const isSaid = (word: string): boolean =>
    isKeyword(word) || AGGREGATION_NAMES.includes(word.toLowerCase()) || Object.hasOwn(SYNONYMS, word.toLowerCase());
  while (words[0] !== undefined && isSaid(words[0])) words = words.slice(1);
  return words.length > 0 && !words.some(isKeyword) ? [...words, token.text].join(" ") : undefined;
}

function shorten(text: string): string {
  return countChars(text) <= SHOWN ? text : `${cut(text, SHOWN - 1)}…`;
}
