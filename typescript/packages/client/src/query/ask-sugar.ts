/**
 * Other ways to say what an ask line says: read where they mean one thing, and shown as the canonical line.
 *
 * `average revenue by region`, `sum of revenue`, `top 5 region by sum revenue`, `name like 'A%'`, `rate > 10%`,
 * `p90 delay`, `sum revenue by region?`. A line that the grammar takes is never looked at here.
 */

import { type AskSpec } from "./ask-spec.js";
import { Decimal, readWritten } from "./decimal.js";
import { isInvalidIntent, isLimitExceeded } from "./faults.js";
import { translatePattern } from "./lexer.js";
import { isAggregation, isBareName, isKeyword } from "./text.js";

/** Reads a line of the grammar's own words. */
export type ParseLine = (line: string) => AskSpec;

const ENDS: ReadonlyMap<string, string> = new Map([["top", "desc"], ["bottom", "asc"]]); // prettier-ignore
const QUOTED = "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`";
const WORDS = new RegExp(translatePattern(`${QUOTED}|\\$?[\\w.:+-]+%?|[<>=!]=|<>|\\S`, { isCaseless: false }), "gu");
const ENDING = new RegExp("[?. \\t\\r\\n]+$");
const PERCENT = /^([+-]?(?:[0-9]{1,100}\.?[0-9]{0,100}|\.[0-9]{1,100}))%$/;
const NUMBER = /^(?:[0-9]{1,20}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})$/;
const SHORT_PERCENTILE = /^p([0-9]{1,3}(?:\.[0-9]{1,20})?)$/;
const ORDINAL = /^([0-9]{1,3}(?:\.[0-9]{1,20})?)(?:st|nd|rd|th)$/;
const TAILS: ReadonlySet<string> = new Set(["from", "where", "having"]);

/** The line in the grammar's own words; undefined where it has none of these forms, or means two things. */
export function translateLine(line: string, parse: ParseLine): string | undefined {
  const words = line.replace(ENDING, "").match(WORDS) ?? [];
  const changed = dropOf(translatePercentiles(translateConditions(words)));
  const first = changed[0];
  if (first !== undefined && ENDS.has(first.toLowerCase())) return translateRanking(changed, parse);
  const translated = changed.join(" ");
  return translated === (line.match(WORDS) ?? []).join(" ") ? undefined : translated;
}

/** Whether a line that was read has all that an aggregation needs. */
export function isComplete(spec: AskSpec): boolean {
  return spec.metric !== undefined || spec.measures !== undefined || spec.aggregation === "count";
}

/** Without the `of` between an aggregation and its column. */
function dropOf(words: readonly string[]): string[] {
  const kept: string[] = [];
  words.forEach((word, place) => {
    const before = kept.at(-1);
    const isBetween = before !== undefined && isAggregation(before) && isName((words[place + 1] ?? "").toLowerCase());
    if (!(word.toLowerCase() === "of" && isBetween)) kept.push(word);
  });
  return kept;
}

/** Each percentile of a column as `percentile 90 of`. */
function translatePercentiles(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let place = 0; place < words.length;) {
    const [percent, taken] = findPercent(words.slice(place, place + 2).map((word) => word.toLowerCase()));
    let after = place + taken;
    if (after < words.length - 1 && words[after]?.toLowerCase() === "of") after += 1;
    const before = found.at(-1);
    const isMeasure = before === undefined || !isAggregation(before);
    const next = words[after];
    if (percent !== undefined && isMeasure && next !== undefined && isName(next)) {
      found.push("percentile", percent, "of");
      place = after;
    } else {
      found.push(words[place] ?? "");
      place += 1;
    }
  }
  return found;
}

/** The percent that words begin with, and how many of them say it. */
function findPercent(words: readonly string[]): [string | undefined, number] {
  const [first = "", second = ""] = words;
  const short = SHORT_PERCENTILE.exec(first)?.[1];
  if (short !== undefined) return [short, 1];
  const ordinal = second === "percentile" ? ORDINAL.exec(first)?.[1] : undefined;
  if (ordinal !== undefined) return [ordinal, 2];
  if (!NUMBER.test(second)) return [undefined, 0];
  if (first === "quantile") return [multiply(second, 2), 2];
  return first === "percentile" ? [second, 2] : [undefined, 0];
}

/** A number times a power of ten, exactly. */
export function multiply(text: string, power: number): string {
  const written = readWritten(text);
  if (written === undefined) return text;
  const scaled = Decimal.fromWritten({ ...written, exponent: written.exponent + power });
  return written.isNegative && scaled.units === 0n ? "-0" : scaled.toString();
}

function isName(word: string): boolean {
  return word.startsWith("`") || (isBareName(word) && !isKeyword(word));
}

/** Patterns as the operators that they are, and percentages as numbers. */
function translateConditions(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place] ?? "";
    const before = found.at(-1);
    const isLike = word.toLowerCase() === "like" && before !== undefined && before.toLowerCase() !== "not";
    const pattern = isLike ? translateLike(words[place + 1] ?? "") : undefined;
    const percent = PERCENT.exec(word)?.[1];
    if (pattern !== undefined) {
      found.push(...pattern);
      place += 1;
    } else found.push(percent === undefined ? word : multiply(percent, -2));
  }
  return found;
}

/** The pattern of `like` as an operator and its text; undefined of a pattern that is neither of both. */
function translateLike(quoted: string): string[] | undefined {
  const quote = quoted.charAt(0);
  const inside = quoted.slice(1, -1);
  if (!["'", '"'].includes(quote) || !inside.endsWith("%")) return undefined;
  const words = inside.startsWith("%") ? ["contains"] : ["starts", "with"];
  const kept = inside.replace(/^%/, "").slice(0, -1);
  return /^[^%_\\]+$/.test(kept) ? [...words, quote + kept + quote] : undefined;
}

/** `top 5 …` as an order and a limit; the groups may stand before or behind the aggregation. */
function translateRanking(words: readonly string[], parse: ParseLine): string | undefined {
  const [end = "", count = "", ...rest] = words;
  const lower = rest.map((word) => word.toLowerCase());
  const isPlain =
    lower.filter((word) => word === "by").length === 1 && !lower.includes("order") && !lower.includes("limit");
  if (!/^[1-9][0-9]{0,14}$/.test(count) || !isPlain) return undefined;
  const by = lower.indexOf("by");
  const found = lower.findIndex((word, place) => TAILS.has(word) && place > by);
  const tail = found < 0 ? rest.length : found;
  const [first, second, more] = [rest.slice(0, by), rest.slice(by + 1, tail), rest.slice(tail)];
  const meant = [[first, second] as const, [second, first] as const]
    .filter(([measure]) => measure[0] !== undefined && isAggregation(measure[0]))
    .map(([measure, groups]) =>
      [...measure, "by", ...groups, ...more, "order", ENDS.get(end.toLowerCase()) ?? "", "limit", count].join(" "),
    )
    .filter((line) => isQuestion(line, parse));
  return meant.length === 1 ? meant[0] : undefined;
}

function isQuestion(line: string, parse: ParseLine): boolean {
  try {
    return isComplete(parse(line));
  } catch (error) {
    if (isInvalidIntent(error) || isLimitExceeded(error)) return false;
    throw error;
  }
}
