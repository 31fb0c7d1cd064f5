/** What is wrong with an ask line that breaks the grammar: what was met, and what was expected. */

import { type ServiceError } from "../errors.js";
import { countChars } from "../values/order.js";
import { invalidIntent } from "./faults.js";
import { compilePattern, placeOf, type Token } from "./lexer.js";
import { findSlip } from "./matching.js";
import { LINE_END } from "./parser.js";
import { CHARACTER_HINTS, EXPECTED_WORDS, HINTS, NAMED_BEHIND, PERIODS, SQL_OPENINGS, SYNONYMS } from "./tables.js"; // prettier-ignore
import { AGGREGATION_NAMES, cut, isAggregation, isBareName, isKeyword, joinAlternatives } from "./text.js";

/** What a sentence about a line says beside what was met. */
export interface LineFault {
  readonly expected?: readonly string[];
  readonly near?: readonly string[];
  readonly hint?: string | undefined;
}

/** Where something was met in a line. */
interface Met {
  readonly line: string;
  readonly start: number;
  readonly met: string;
}

/** What the parser knows where it stopped. */
export interface Stop {
  readonly accepted: ReadonlySet<string>;
  readonly previous: Token | undefined;
}

const NAMES: readonly string[] = ["NAME", "QUOTED_NAME"];
const SHOWN = 40;
const OPENING = compilePattern("^\\s*([^\\W\\d]\\w*|\\S{1,40})?");
const LEADING = compilePattern("^\\s*");
const TRAILING = compilePattern("\\s+$");
const FIRST_WORD = compilePattern("^\\S+");
const SPACES = compilePattern("\\s+");
const SPACED_NAMES = compilePattern("(?:(?:^|\\s)(?:[^\\W\\d]\\w*))+\\s*$");

/** The error for a line that does not open with an aggregation. */
export function unknownAggregationError(line: string): ServiceError {
  const word = OPENING.exec(line)?.[1] ?? "";
  const at = { line, start: LEADING.exec(line)?.[0].length ?? 0, met: word };
  if ((SQL_OPENINGS as readonly string[]).includes(word.toLowerCase())) {
    const error = lineError(at, "not SQL", { expected: AGGREGATION_NAMES });
    error.message = `Not SQL. A question begins with ${joinAlternatives(AGGREGATION_NAMES)}.`;
    return error;
  }
  const says = word === "" ? "the line is empty" : `\`${word}\` is not an aggregation`;
  return lineError(at, says, { expected: AGGREGATION_NAMES, near: findCloseWords(word, AGGREGATION_NAMES, SYNONYMS) });
}

/** The error for a word or sign at a place where the grammar does not allow it. */
export function unexpectedTokenError(line: string, token: Token, stop: Stop): ServiceError {
  const expected = listExpectedWords(stop);
  if (token.kind === LINE_END) {
    const rest = line.replace(TRAILING, "");
    return lineError({ line: rest, start: rest.length, met: "" }, "the line ends too early", { expected });
  }
  const known = expected.filter((word) => isKeyword(word) || word === "starts with");
  const isVariable = token.kind === "VARIABLE";
  // Behind `is`, a word is a value: `region is north` has no slip of `not` in it.
  const isValue = ["IS", "NOT"].includes(stop.previous?.kind ?? "") && NAMES.includes(token.kind);
  const near = isValue || isVariable ? [] : findCloseWords(token.text, known);
  const met = `\`${shorten(token.text)}\``;
  const says = isVariable ? `${met} is not allowed here` : `unexpected ${met}`;
  const hint = findHint(line, token, stop.previous);
  return lineError({ line, start: token.start, met: token.text }, says, { expected, near, hint });
}

/** The error for characters that are no word, number, text or sign of the grammar. */
export function unexpectedCharacterError(line: string, start: number, stop: Stop): ServiceError {
  const word = FIRST_WORD.exec(line.slice(start))?.[0] ?? "";
  const first = word.charAt(0);
  if ("'\"`".includes(first)) {
    const fault = { expected: [`a closing ${first}`], hint: "Double a quote inside the text." };
    return lineError({ line, start, met: first }, "this quote is never closed", fault);
  }
  const hint = Object.entries(CHARACTER_HINTS).find(([opening]) => word.startsWith(opening))?.[1];
  const expected = listExpectedWords(stop);
  return lineError({ line, start, met: word }, `\`${shorten(word)}\` is not allowed here`, { expected, hint });
}

/** The error for a word after `during` that names no period. */
export function unknownPeriodError(line: string, { start, text }: Token): ServiceError {
  const fault = { expected: PERIODS, near: findCloseWords(text, PERIODS) };
  return lineError({ line, start, met: text }, `\`${shorten(text)}\` is not a period`, fault);
}

/** An error at a place: one sentence for the reader, the same facts in `details`. */
export function lineError(at: Met, says: string, { expected = [], near = [], hint }: LineFault = {}): ServiceError {
  const { line, column } = placeOf(at.line, at.start);
  const where = line === 1 ? `column ${String(column)}` : `line ${String(line)}, column ${String(column)}`;
  const wanted = expected.length > 0 ? ` Expected ${joinAlternatives(expected)}.` : "";
  const meant = near.length > 0 ? `Did you mean ${joinAlternatives(near.map((word) => `\`${word}\``))}?` : undefined;
  const lists = { expected: expected.length > 0 ? expected : null, did_you_mean: near.length > 0 ? near : null };
  return invalidIntent(
    `At ${where}: ${says}.${wanted}`,
    { line, column, met: shorten(at.met), ...lists },
    meant ?? hint,
  );
}

/** The choice that a word is with one letter wrong, or what people say for one. */
function findCloseWords(word: string, choices: readonly string[], synonyms: Record<string, string> = {}): string[] {
  const said = new Map([...choices.map((choice) => [choice, choice] as const), ...Object.entries(synonyms)]);
  const lower = word.toLowerCase();
  const near = said.has(lower) ? lower : findSlip(lower, said.keys());
  return near === undefined ? [] : [said.get(near) ?? near];
}

/** What may come next in plain words: values first, then keywords in the order of the grammar. */
function listExpectedWords({ accepted, previous }: Stop): string[] {
  const isMeasure = accepted.has("SPACED"); // the place of an aggregation
  const behind = previous?.kind ?? "";
  const named = Object.hasOwn(NAMED_BEHIND, behind) ? NAMED_BEHIND[behind as keyof typeof NAMED_BEHIND] : "a column";
  const found = EXPECTED_WORDS.flatMap(([kind, word]) => {
    const isNext = kind === "AGGREGATION" ? isMeasure : accepted.has(kind) && !(isMeasure && kind === "NAME");
    return isNext ? [NAMES.includes(kind) ? named : word] : [];
  });
  return [...new Set(found)];
}

function findHint(line: string, token: Token, previous: Token | undefined): string | undefined {
  const spaced = token.kind === "NAME" ? findSpacedName(line, token) : undefined;
  const met = [token.text.toLowerCase(), token.kind, previous?.kind ?? "", previous?.text.toLowerCase() ?? ""];
  const said: Record<string, string> = { spaced: spaced ?? "", word: shorten(token.text) };
  said["bare"] = shorten(token.text).replace(/^'+|'+$/g, "");
  const found = HINTS.find((row) => {
    const isMet = met.every((word, at) => row[at] === "" || row[at]?.split(" ").includes(word));
    return isMet && (spaced !== undefined || !row[4].includes("{spaced}"));
  });
  return found?.[4].replace(/\{(\w+)\}/, (_, name: string) => said[name] ?? "");
}

/** The words around a name, where it stands directly behind another one: they may be one name. */
function findSpacedName(line: string, token: Token): string | undefined {
  const before = SPACED_NAMES.exec(line.slice(Math.max(token.start - SHOWN, 0), token.start))?.[0] ?? "";
  const words = before.split(SPACES).filter(isBareName);
  while (words[0] !== undefined && (isKeyword(words[0]) || isAggregation(words[0]))) words.shift();
  return words.length > 0 && !words.some(isKeyword) ? [...words, token.text].join(" ") : undefined;
}

function shorten(text: string): string {
  return countChars(text) <= SHOWN ? text : `${cut(text, SHOWN - 1)}…`;
}
