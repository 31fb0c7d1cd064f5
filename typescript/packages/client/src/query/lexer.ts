/** The words and signs of an ask line, read as Python reads them. */

import { TERMINALS } from "./grammar.js";
import { countChars } from "../values/order.js";
import { isKeyword } from "./text.js";

/** One word or sign: the terminal of the grammar that it is, and where it stands. */
export interface Token {
  readonly kind: string;
  readonly text: string;
  readonly start: number;
}

/** Characters that begin no word and no sign. */
export class LexerError extends Error {
  override readonly name = "LexerError";
  readonly start: number;

  constructor(start: number) {
    super("no word begins here");
    this.start = start;
  }
}

/** White space as Python has it, inside a class. */
export const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** Letters, digits and the underscore as Python has them, inside a class. */
export const WORD = "\\p{L}\\p{N}_";

const CLASSES: readonly (readonly [string, string])[] = [
  ["[^\\W\\d]", "[\\p{L}\\p{Nl}\\p{No}_]"],
  ["[\\w-]", `[${WORD}\\-]`],
  ["[\\w.:-]", `[${WORD}.:\\-]`],
  ["[\\w.:+-]", `[${WORD}.:+\\-]`],
  ["[\\w.]", `[${WORD}.]`],
  ["(?P<", "(?<"],
  ["\\d", "\\p{Nd}"],
  ["\\w", `[${WORD}]`],
  ["\\s", `[${SPACE}]`],
  ["\\S", `[^${SPACE}]`],
  ["\\b", `(?![${WORD}])`], // it only stands behind words
];

/** The line and the column of a place in a text, both from 1. */
export function placeOf(text: string, start: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, start);
  const from = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: countChars(before.slice(from)) + 1 };
}

/** A pattern of Python's as one of JavaScript's, for the flag `u`. */
export function translatePattern(pattern: string, options: { readonly isCaseless: boolean }): string {
  let written = pattern;
  for (const [met, meant] of CLASSES) written = written.replaceAll(met, meant);
  // Where case does not count, Python takes an i without a dot, and a capital one with a dot, for an i.
  return options.isCaseless ? written.replaceAll("i", "[i\u0131\u0130]") : written;
}

/** A pattern of Python's in which case counts. */
export function compilePattern(pattern: string, flags = "u"): RegExp {
  return new RegExp(translatePattern(pattern, { isCaseless: false }), flags);
}

const PATTERNS = TERMINALS.map(([kind = "", pattern = "", flags = ""]) => ({
  kind,
  pattern: new RegExp(translatePattern(pattern, { isCaseless: flags === "i" }), `${flags}uy`),
}));

/**
 * Yields the words and signs of a line, one when it is asked for.
 *
 * @throws {LexerError}
 */
export function* readTokens(line: string): Generator<Token, void> {
  let start = 0;
  while (start < line.length) {
    const met = matchToken(line, start);
    if (met === undefined) throw new LexerError(start);
    const { kind, text } = met;
    // A keyword is its own terminal, and knows no case.
    if (kind === "NAME" && isKeyword(text)) yield { kind: text.toUpperCase(), text: text.toLowerCase(), start };
    else if (kind !== "") yield { kind, text, start };
    start += text.length;
  }
}

function matchToken(line: string, start: number): { readonly kind: string; readonly text: string } | undefined {
  for (const { kind, pattern } of PATTERNS) {
    pattern.lastIndex = start;
    const text = pattern.exec(line)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}
