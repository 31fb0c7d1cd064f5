/**
 * Rewrites the words of a line that the grammar refuses to what they likely mean: calls, comparisons, conditions.
 *
 * `percentile(delay, 90)` is `percentile 90 of delay`, `where region is north` compares with text, and `having` has
 * measures in place of columns. Nothing is asked so: the line is offered, if the grammar takes it.
 */

import { isAggregation, multiply } from "./ask-sugar.js";
import { translatePattern } from "./lexer.js";
import { SYNONYMS } from "./tables.js";
import { isBareName, isKeyword } from "./text.js";

const PERCENTILE = /^p([0-9]{1,3}(?:\.[0-9]{1,20})?)$/i;
const NUMBER = /^(?:[0-9]{1,20}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})$/;
const NAMED = new RegExp(translatePattern("^(?:[^\\W\\d]\\w*|`(?:[^`]|``)*`)$", { isCaseless: false }), "u");
const SHARES: readonly string[] = ["quantile", "percentile_cont"]; // whose number is a share of one
const DISTINCT: readonly string[] = ["distinct", "unique"];

/** The words with each call of an aggregation as its name and its column. */
export function rewriteCalls(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let place = 0; place < words.length;) {
    const close = words[place + 1] === "(" ? words.indexOf(")", place) : -1;
    const said = close < 0 ? undefined : readCall((words[place] ?? "").toLowerCase(), words.slice(place + 2, close));
    found.push(...(said ?? [words[place] ?? ""]));
    place = said === undefined ? place + 1 : close + 1;
  }
  return found;
}

/** The measure that a call means; undefined of one that means none. */
function readCall(called: string, given: readonly string[]): string[] | undefined {
  const short = PERCENTILE.exec(called)?.[1];
  if (short !== undefined) return given.length === 1 ? ["percentile", short, "of", ...given] : undefined;
  if (!isAggregation(called)) return undefined;
  const isDistinct = called === "count" && DISTINCT.includes(given[0]?.toLowerCase() ?? "");
  const [name, inside] = isDistinct ? ["count_distinct", given.slice(1)] : [called, given];
  const [first = "", second, third = ""] = inside;
  if (inside.length === 3 && second === ",") return readPercentile(name, first, third);
  if (inside.length === 0 || (inside.length === 1 && first === "*")) return name === "count" ? [name] : undefined;
  return inside.length === 1 && NAMED.test(first) ? [name, first] : undefined;
}

function readPercentile(name: string, first: string, second: string): string[] | undefined {
  const [column, number] = NUMBER.test(first) ? [second, first] : [first, second];
  const meant = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name as keyof typeof SYNONYMS] : name;
  if (meant !== "percentile" || !NUMBER.test(number)) return undefined;
  return ["percentile", multiply(number, SHARES.includes(name) ? 2 : 0), "of", column];
}

/** The words with `is` and `equals` before a value as `=`, and a bare word there in quotes. */
export function rewriteComparisons(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let place = 0; place < words.length;) {
    const [first = "", second] = words.slice(place, place + 2).map((word) => word.toLowerCase());
    const isDenied = first === "is" && second === "not";
    const taken = isDenied ? 2 : 1;
    const value = words[place + taken] ?? "";
    const isCompared = ["is", "equals", "was"].includes(first) && NAMED.test(found.at(-1) ?? "");
    if (isCompared && value !== "" && (!isKeyword(value) || isTruth(value))) {
      found.push(isDenied ? "!=" : "=", isBareName(value) && !isTruth(value) ? `'${value}'` : value);
      place += taken + 1;
    } else {
      found.push(words[place] ?? "");
      place += 1;
    }
  }
  return found;
}

function isTruth(word: string): boolean {
  return ["true", "false"].includes(word.toLowerCase());
}

type Clause = readonly string[];

/** The clauses with columns behind `having` as the measures of them, or as conditions on rows. */
export function placeHaving(clauses: readonly Clause[]): readonly Clause[] {
  const place = clauses.findIndex((clause) => clause[0]?.toLowerCase() === "having");
  const having = clauses[place];
  if (having === undefined) return clauses;
  const measures = new Map(listMeasures(clauses[0] ?? []));
  const lefts = listLefts(having).filter((at) => !isAggregation(having[at] ?? ""));
  if (lefts.length === 0 || isAggregation(having[1] ?? "")) return clauses;
  const known = lefts.filter((at) => measures.has(fold(having[at] ?? "")));
  if (known.length === lefts.length) {
    const said = having.flatMap((word, at) => (lefts.includes(at) ? (measures.get(fold(word)) ?? [word]) : [word]));
    return [...clauses.slice(0, place), said, ...clauses.slice(place + 1)];
  }
  return known.length > 0 ? clauses : moveToWhere(clauses, place);
}

/** The clauses with the conditions of `having` among those of `where`, in brackets where one is an *or*. */
function moveToWhere(clauses: readonly Clause[], place: number): readonly Clause[] {
  const conditions = (clauses[place] ?? []).slice(1);
  const where = clauses.find((clause) => clause[0]?.toLowerCase() === "where");
  const others = clauses.filter((clause, at) => at !== place && clause !== where);
  const last = Math.max(
    others.findLastIndex((clause) => ["by", "from"].includes(clause[0]?.toLowerCase() ?? "")),
    0,
  );
  const joined =
    where === undefined
      ? ["where", ...conditions]
      : [...putInBrackets(where), "and", ...putInBrackets(["", ...conditions]).slice(1)];
  return [...others.slice(0, last + 1), joined, ...others.slice(last + 1)];
}

function putInBrackets(clause: Clause): Clause {
  const hasOr = clause.some((word) => word.toLowerCase() === "or");
  return hasOr ? [clause[0] ?? "", "(", ...clause.slice(1), ")"] : clause;
}

/** The measures of a line by their columns, the first of each, and by the names of results. */
function listMeasures(head: Clause): [string, Clause][] {
  const measures: string[][] = [[]];
  for (const word of head) {
    if (word === ",") measures.push([]);
    else measures.at(-1)?.push(word);
  }
  const told = measures.reverse().filter((each) => each.length > 1);
  return told.flatMap((each): [string, Clause][] => {
    const [first = "", second = ""] = each;
    const column = fold(each.at(-1) ?? "");
    const short = each.length === 4 ? `p${second.replaceAll(".", "_")}` : first.toLowerCase();
    return [
      [`${short}_${column}`, each],
      [column, each],
    ];
  });
}

/** The places behind `having`, `and`, `or` and brackets, where what is compared begins. */
function listLefts(having: Clause): number[] {
  const found: number[] = [];
  let isBetween = false;
  for (let at = 1; at < having.length; at += 1) {
    const word = having[at] ?? "";
    const before = having[at - 1]?.toLowerCase() ?? "";
    isBetween ||= before === "between";
    const isLeft = ["having", "or", "("].includes(before) || (before === "and" && !isBetween);
    if (isLeft && NAMED.test(word) && !isKeyword(word)) found.push(at);
    if (before === "and") isBetween = false;
  }
  return found;
}

function fold(word: string): string {
  return word.replace(/^`+|`+$/g, "").toLowerCase();
}
