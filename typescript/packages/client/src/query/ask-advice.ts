/**
 * The line that was likely meant by one that breaks the grammar: other words, clauses in another order, SQL.
 *
 * Nothing is asked in its place: it is offered, ready to be typed, and only if the grammar takes it.
 */

import { AGGREGATION_NAMES } from "./ask-errors.js";
import { formatAsk } from "./ask-format.js";
import { type AskSpec } from "./ask-spec.js";
import { isComplete, type ParseLine } from "./ask-sugar.js";
import { type ServiceError } from "../errors.js";
import { countChars } from "../values/order.js";
import { isInvalidIntent, isLimitExceeded } from "./faults.js";
import { translatePattern } from "./lexer.js";
import { placeHaving, rewriteCalls, rewriteComparisons } from "./line-words.js";
import { OPERATORS, SYNONYMS } from "./tables.js";
import { isBareName, isKeyword } from "./text.js";

const QUOTED = "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`";
const TOKENS = new RegExp(translatePattern(`${QUOTED}|[\\w.:+-]+|[<>=!]=|<>|\\S`, { isCaseless: false }), "gu");
const CLAUSE_WORDS: readonly string[] = ["by", "from", "where", "having", "order", "limit"];
const MOST_CHARS = 1_000; // of a line that is looked at
const MOST_MENDED = 5; // slips of one line that are mended together
const SIGNS: ReadonlySet<string> = new Set(
  Object.values(OPERATORS).flatMap((record) => record.ask.filter((sign) => !/^[a-z]/.test(sign))),
);

/** Adds to an error the line that was likely meant, as its hint and as the detail `write`. */
export function addLineMeant(error: ServiceError, line: string, parse: ParseLine): void {
  if (countChars(line) > MOST_CHARS) return;
  const near = (error.details["did_you_mean"] ?? []) as readonly string[];
  const words = rewriteOpening(rewriteComparisons(rewriteCalls(line.match(TOKENS) ?? [])), near);
  const meant = placeHaving(sortClauses([...translateWords(words)]))
    .flat()
    .join(" ");
  const spec = parseMended(meant, parse) ?? parseMended(words.join(" "), parse);
  if (spec === undefined || !isComplete(spec)) return;
  const written = formatAsk(spec);
  error.hint = `Write: ${written}`;
  error.details["write"] = written;
}

/** Parses a line with its slips mended, one after the other; undefined where one is no slip of a known word. */
function parseMended(meant: string, parse: ParseLine): AskSpec | undefined {
  let line = meant;
  for (let count = 0; count < MOST_MENDED; count += 1) {
    try {
      return parse(line);
    } catch (error) {
      if (isLimitExceeded(error)) return undefined;
      if (!isInvalidIntent(error)) throw error;
      const { did_you_mean: near, met, column } = error.details;
      if (!Array.isArray(near) || typeof met !== "string" || met === "") return undefined;
      const chars = Array.from(line);
      const start = Number(column ?? 0) - 1;
      const end = start + countChars(met);
      if (chars.slice(start, end).join("") !== met) return undefined;
      line = [...chars.slice(0, start), String(near[0]), ...chars.slice(end)].join("");
    }
  }
  return undefined;
}

/** The words with an aggregation at their beginning, its column beside it and not in parentheses. */
function rewriteOpening(all: readonly string[], near: readonly string[]): string[] {
  let words = all[0]?.toLowerCase() === "select" ? all.slice(1) : all;
  words = words.at(-1) === ";" ? words.slice(0, -1) : words;
  if (words[0] === undefined) return [];
  let [first, rest] = [words[0].toLowerCase(), words.slice(1)];
  const second = rest[0]?.toLowerCase() ?? "";
  if (first === "count" && ["distinct", "unique"].includes(second)) [first, rest] = ["count_distinct", rest.slice(1)];
  if (first === "standard" && second === "deviation") [first, rest] = ["stddev", rest.slice(1)];
  if (!AGGREGATION_NAMES.includes(first)) first = synonymOf(first) ?? (near.length === 1 ? (near[0] ?? first) : first);
  const close = rest.indexOf(")");
  if (rest[0] === "(" && close > 0) {
    rest = [...rest.slice(1, close).filter((word) => word !== "*"), ...rest.slice(close + 1)];
    if (first === "count" && ["distinct", "unique"].includes(rest[0]?.toLowerCase() ?? ""))
      [first, rest] = ["count_distinct", rest.slice(1)];
  } else if (rest[0] === "*" || rest[0]?.toLowerCase() === "of") {
    rest = rest.slice(1);
    if (first === "count" && rest[0] === "rows") rest = rest.slice(1);
  }
  return [first, ...rest];
}

function synonymOf(word: string): string | undefined {
  return Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word as keyof typeof SYNONYMS] : undefined;
}

/** Yields the words with those of other languages in the ask line's own. */
function* translateWords(words: readonly string[]): Generator<string, void> {
  let isOrdered = false;
  for (let place = 0; place < words.length;) {
    const word = words[place] ?? "";
    const previous = words[place - 1] ?? "";
    const isByNext = words[place + 1]?.toLowerCase() === "by";
    const lower = word.toLowerCase();
    place += 1;
    if (["group", "grouped"].includes(lower) && isByNext) continue;
    if (lower === "order" && isByNext) {
      yield ["order", ...words.slice(place, place + 2)].join(" ");
      [place, isOrdered] = [place + 2, true];
    } else if (["asc", "desc"].includes(lower) && previous.toLowerCase() !== "order" && !isOrdered) {
      yield "order";
      yield word;
    } else if (SIGNS.has(previous) && isBareName(word) && !isKeyword(word)) yield `'${word}'`;
    else if (lower === "per") yield "by";
    else if (lower === "&") yield previous === "&" ? "" : "and";
    else yield word;
  }
}

/** The clauses in the order of the grammar; those of one kind stay as they are. */
function sortClauses(words: readonly string[]): string[][] {
  const head: string[] = [];
  const clauses: string[][] = [];
  for (const word of words) {
    if (CLAUSE_WORDS.includes(clauseOf(word))) clauses.push([word]);
    else (clauses.at(-1) ?? head).push(word);
  }
  const sorted = CLAUSE_WORDS.map((kind) => clauses.filter((clause) => clauseOf(clause[0] ?? "") === kind));
  return [head, ...sorted.filter((group) => group.length > 0).map(mergeClauses)];
}

/** The word that a clause begins with: `order by revenue` is one. */
function clauseOf(word: string): string {
  return word.toLowerCase().split(" ")[0] ?? "";
}

/** Clauses of one kind as one: `by city by year` is `by city, year`. Others stay two, which is a fault. */
function mergeClauses(clauses: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = clauses;
  if (first[0]?.toLowerCase() !== "by") return clauses.flat();
  return [...first, ...others.flatMap((other) => [",", ...other.slice(1)])];
}
