/** The ask line: the text spelling of a QuerySpec, read and written. Its grammar is that of Python's client. */

import { type AskedSpec } from "../inputs.js";
import { unexpectedCharacterError, unexpectedTokenError, unknownAggregationError } from "./ask-errors.js";
import { type Piece, RuleReader } from "./ask-rules.js";
import { type AskSpec, type AskValue, plainSpec } from "./ask-spec.js";
import { translateLine } from "./ask-sugar.js";
import { ServiceError } from "../errors.js";
import { countChars } from "../values/order.js";
import { invalidIntent, isInvalidIntent, limitExceeded } from "./faults.js";
import { LexerError, readTokens, type Token, translatePattern } from "./lexer.js";
import { isToken, LINE_END, Parser, TokenError } from "./parser.js";
import { LIMITS } from "./tables.js";
import { isAggregation, writeCount } from "./text.js";

const OPENING = new RegExp(translatePattern("^\\s*([^\\W\\d]\\w*)", { isCaseless: false }), "u");

/**
 * Reads an ask line into the spec that a caller would write as an object.
 *
 * @throws {ServiceError} `invalid_intent` of a line that breaks the grammar, `limit_exceeded` of one that is too long.
 */
export function parseAsk(line: string): AskedSpec {
  return plainSpec(readAsk(line)) as AskedSpec;
}

/** The same, with doubles as they were written: what is said of a question has `2.0` where the line has it. */
export function readAsk(line: unknown): AskSpec {
  if (typeof line !== "string") throw invalidIntent(`An ask line is text, not ${typeof line}.`, { expected: ["text"] });
  const length = line.length > LIMITS.lineChars ? countChars(line) : 0;
  if (length > LIMITS.lineChars) {
    const says = `The ask line has ${writeCount(length)} characters; the limit is ${writeCount(LIMITS.lineChars)}.`;
    throw limitExceeded(says, { limit: LIMITS.lineChars, value: length });
  }
  if (!line.isWellFormed())
    throw invalidIntent("The ask line holds a lone surrogate.", { expected: ["text that can be encoded"] });
  try {
    return parseLine(line);
  } catch (error) {
    if (!isInvalidIntent(error)) throw error;
    try {
      return parseLine(translateLine(line, parseLine) ?? line);
    } catch (second) {
      throw isInvalidIntent(second) ? error : second;
    }
  }
}

function parseLine(line: string): AskSpec {
  const opening = OPENING.exec(line)?.[1];
  if (opening === undefined || !isAggregation(opening)) throw unknownAggregationError(line);
  const parser = new Parser<Piece>(new RuleReader(line).reduce);
  try {
    for (const token of readTokens(line)) parser.feed(token);
    parser.feed({ kind: LINE_END, text: "", start: line.length });
  } catch (error) {
    const stop = { accepted: parser.accepted(), previous: parser.lastToken() };
    if (error instanceof TokenError) throw unexpectedTokenError(line, error.token, stop);
    if (error instanceof LexerError) throw unexpectedCharacterError(line, error.start, stop);
    throw error;
  }
  const spec = parser.result();
  if (
    spec === undefined ||
    spec === null ||
    isToken(spec) ||
    Array.isArray(spec) ||
    !("is" in spec) ||
    spec.is !== "spec"
  )
    throw new Error("the tables of the grammar are damaged");
  return spec.spec;
}

const LITERALS: ReadonlySet<string> = new Set(["STRING", "INT", "DECIMAL", "DATE", "TRUE", "FALSE"]);

/** A value, or a list of values in brackets, as it stands in an ask line; what is neither is text. */
export function readLiteral(text: string): AskValue | readonly AskValue[] {
  const tokens = (countChars(text) > LIMITS.lineChars ? undefined : listTokens(text)) ?? [];
  const isList = tokens.length > 2 && tokens[0]?.kind === "OPEN" && tokens.at(-1)?.kind === "CLOSE";
  const inside = isList ? tokens.slice(1, -1) : tokens;
  const values = isList ? inside.filter((_, at) => at % 2 === 0) : inside;
  const commas = isList ? inside.filter((_, at) => at % 2 === 1) : [];
  const isLiteral = values.every(({ kind }) => LITERALS.has(kind)) && commas.every(({ kind }) => kind === "COMMA");
  if (!isLiteral || (!isList && values.length !== 1)) return text;
  try {
    const reader = new RuleReader(text);
    const read = values.map((token) => reader.readValue(token));
    return isList ? read : (read[0] ?? text);
  } catch (error) {
    if (error instanceof ServiceError) return text; // a number that an ask line refuses
    throw error;
  }
}

/** The words and signs of a text; undefined where one is none of the grammar's. */
export function listTokens(text: string): Token[] | undefined {
  try {
    return [...readTokens(text)];
  } catch (error) {
    if (error instanceof LexerError) return undefined;
    throw error;
  }
}
