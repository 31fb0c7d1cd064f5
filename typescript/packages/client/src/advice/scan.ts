/** The words of a line that the grammar refused: each is a name, a value, a word with a role, or unknown. */

import { isObject } from "@service-nb/records";
import { multiply } from "../query/ask-sugar.js";
import { compilePattern, SPACE, WORD } from "../query/lexer.js";
import { findSlip } from "../query/matching.js";
import { foldName } from "../query/similar.js";
import { countChars } from "../values/order.js";
import {
  BLANKS,
  FACTORS,
  LEAST,
  MENDED,
  MOST_NAMES,
  MOST_TIMES,
  NOTATIONS,
  ROLES,
  SCAN,
  SUPERLATIVES,
} from "./words.js";

/** The names that a line may hold: columns with their types, and sources. */
export interface Known {
  readonly columns: ReadonlyMap<string, string>;
  readonly sources: readonly string[];
}

export interface Item {
  readonly kind: string;
  readonly value: string;
  readonly text: string;
}

/** A line has a word that no rule accounts for; its text. */
export class NotUnderstoodError extends Error {}

type Names = Readonly<Record<"name" | "source", ReadonlyMap<string, string>>>; // as they are written, by folded ones

const WORDS: ReadonlyMap<string, Omit<Item, "text">> = new Map(
  ROLES.flatMap(([kind, value, words]) => words.split(" ").map((word) => [word, { kind, value }] as const)),
);
const TRANSLATIONS = NOTATIONS.map(([typed, written]) => [compilePattern(typed, "giu"), written] as const);
const LONG_BLANK = compilePattern(BLANKS);
const PARTS = compilePattern(SCAN, "gu");
const PHRASES = [2, 1].map((count) => compilePattern(`^(?:\\s+[^\\W\\d]\\w*){${String(count)}}`));
const PLAIN = /^[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?$/;
const GROUPED = /^([-+]?\d{1,3})((?:([.,'’])\d{3})(?:\3\d{3})*)(?:(?!\3)[.,](\d+))?$/;

/** Whether a word has a role as it stands. */
export function hasRole(word: string): boolean {
  return WORDS.has(word.toLowerCase());
}

/** Writes the notations of other tools that a line has in the words of a question. */
function translateNotation(line: string): string {
  let text = line;
  if (LONG_BLANK.test(line)) return line; // over which patterns that meet blanks several times take long
  for (const [pattern, written] of TRANSLATIONS) {
    for (let [count, before] = [0, ""]; count < MOST_TIMES && text !== before; count += 1) {
      before = text;
      text = before.replace(pattern, written);
    }
  }
  return text;
}

/** Splits a line into items: names before words with a role, longer ones before shorter ones. */
export function scan(line: string, { columns, sources }: Known): Item[] {
  const text = translateNotation(line);
  const fold = (all: Iterable<string>): Map<string, string> => new Map([...all].map((each) => [foldName(each), each]));
  const names: Names = { name: fold(columns.size > MOST_NAMES ? [] : columns.keys()), source: fold(sources) };
  const spelt = buildNamePattern(names);
  const items: Item[] = [];
  let [place, depth] = [0, 0];
  for (;;) {
    PARTS.lastIndex = place;
    const found = PARTS.exec(text);
    if (found === null) return items;
    const { index } = found;
    if (spelt !== undefined) spelt.lastIndex = index;
    const named = /[\p{L}\p{N}]$/u.test(text.slice(0, index)) ? undefined : spelt?.exec(text)?.[0];
    const [kind = "sign", part = ""] =
      Object.entries<string | undefined>(found.groups ?? {}).find(([, each]) => each !== undefined) ?? [];
    // In a list, a comma stands between its values.
    let met = named ?? (kind === "number" && depth > 0 && part.includes(",") ? part.slice(0, part.indexOf(",")) : part);
    if (named !== undefined) {
      const key = foldName(named);
      items.push(findName(names, [key], named) ?? findName(names, [key.replace(/s$/, "")], named) ?? { kind: "source", value: "", text: named }); // prettier-ignore
    } else if (kind === "word") {
      const item = readWord(text.slice(index), met, names);
      [met] = [item.text];
      items.push(item);
    } else if (kind === "text") {
      const quote = met.charAt(0);
      const inside = met.slice(1, -1).replaceAll(quote + quote, quote);
      const name = names.name.get(foldName(inside));
      items.push({
        kind: quote === "`" || name !== undefined ? "quoted" : "text",
        value: name ?? inside,
        text: inside,
      });
    } else if (kind === "sign") {
      depth += Number("([".includes(met)) - Number(")]".includes(met));
      items.push({ kind: met, value: met, ...WORDS.get(met), text: met });
    } else items.push({ kind, value: met, text: met });
    place = index + met.length;
  }
}

/** The pattern of the names that are no single word, each with its blanks as they may be written. */
function buildNamePattern({ name, source }: Names): RegExp | undefined {
  const spelt = [...name.values(), ...source.values()].filter((each) => !/^[\p{L}\p{N}]+$/u.test(each));
  if (spelt.length === 0) return undefined;
  const parts = spelt
    .sort((one, other) => countChars(other) - countChars(one))
    .map((each) => {
      return each.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[\s_]+/gu, `[${SPACE}_]+`);
    });
  return new RegExp(`(?:${parts.join("|")})s?(?![${WORD}])`, "iuy");
}

function findName(names: Names, keys: readonly string[], text: string): Item | undefined {
  const found = (["name", "source"] as const).flatMap((kind) => {
    const tried = kind === "name" ? keys : keys.slice(0, 1); // a source is named as it is
    return tried.flatMap((key) => ({ kind, value: names[kind].get(key) ?? "", text }));
  });
  return found.find(({ value }) => value !== "");
}

/** Reads a word, or as many words as have a role together: `how many`, `order by`. */
function readWord(rest: string, met: string, names: Names): Item {
  for (const pattern of PHRASES) {
    const text = met + (pattern.exec(rest.slice(met.length))?.[0] ?? "");
    const role = text === met ? undefined : WORDS.get(text.toLowerCase().replace(/\s+/gu, "_"));
    if (role !== undefined) return { ...role, text };
  }
  const key = foldName(met);
  const near = names.source.has(key) ? [] : [key.replace(/s$/, ""), `${key}s`];
  const named = findName(names, [key, ...near], met);
  if (named !== undefined) return named;
  const role = WORDS.get(met.toLowerCase());
  if (role !== undefined && role.kind !== "word") return { ...role, text: met };
  const short = /^p(\d{1,2})$/i.exec(met)?.[1];
  if (short !== undefined) return { kind: "percentile", value: short, text: met };
  return {
    kind: "word",
    value: met,
    ...(role === undefined && countChars(met) >= LEAST && findNear(key, names)),
    text: met,
  };
}

/** The one thing that a word means with one letter wrong. */
function findNear(key: string, { name }: Names): Omit<Item, "text"> | undefined {
  const roles = [...WORDS].filter(([word, { kind }]) => MENDED.includes(kind) && word !== "add");
  const columns = [...name].map(([folded, value]) => [folded, { kind: "name", value }] as const);
  const words = new Map([...roles, ...columns]);
  const near = [...words].filter(([word]) => findSlip(key, [word]) !== undefined).map(([, meant]) => meant);
  return near.every(({ kind, value }) => kind === near[0]?.kind && value === near[0].value) ? near[0] : undefined;
}

/** Whether a number is written as the grammar has it. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The numbers that a text may mean, in digits with a point: one, or two where the commas leave it open. */
export function listNumbers(text: string): string[] {
  const bare = text.replace(/[$€£]/g, "");
  const factor = FACTORS[bare.slice(-1)];
  if (factor !== undefined) return listNumbers(bare.slice(0, -1)).map((each) => multiply(each, Number(factor)));
  if (bare !== text) return listNumbers(bare);
  if (PLAIN.test(text)) return [text];
  const isOpen = /^[-+]?\d{1,3}[.,'’]\d{3}$/.test(text) && text.includes(","); // a thousand and a half, or one and a half
  const [, first = "", groups = "", , behind] = GROUPED.exec(text) ?? [];
  if (groups !== "")
    return [
      (first + groups).replace(/[.,'’]/g, "") + (behind === undefined ? "" : `.${behind}`),
      ...(isOpen ? [text.replace(",", ".")] : []),
    ];
  return /^[-+]?\d+,\d+$/.test(text) ? [text.replace(",", ".")] : [];
}

/** The days that a date may mean: of dots the day stands first, of slashes the day or the month. */
export function listDays(text: string): string[] {
  const [, first = "", sign, last = "", year] = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  if (year === undefined) return [text];
  const pairs = [[last, first], ...(sign === "/" && Number(last) !== Number(first) ? [[first, last]] : [])] as [
    string,
    string,
  ][];
  const days = pairs.filter(([month, day]) => Number(month) <= 12 && Number(day) <= 31);
  return days.map(([month, day]) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`);
}

// --- what a reader of items needs -------------------------------------------------------------------------------------

/** @throws {NotUnderstoodError} */
export function refuse(text = ""): never {
  throw new NotUnderstoodError(text);
}

/** Joins what belongs together: `quantile(delay, 0.9)`, and `average sales and profit`, which are two averages. */
export function joinPhrases(apart: readonly Item[][]): Item[][] {
  const phrases: Item[][] = [];
  for (const phrase of apart) {
    const [kinds, last] = [listKinds(phrase), phrases.at(-1)];
    if (last !== undefined && kinds === "number") last.push(...phrase);
    else if (last !== undefined && kinds === "and name" && listKinds(last) === "aggregation name")
      phrases.push([...last.slice(0, 1), ...phrase.slice(1)]);
    else if (kinds !== "" && kinds !== "and") phrases.push(phrase.filter(({ kind }) => kind !== "and"));
  }
  return phrases;
}

function listKinds(phrase: readonly Item[]): string {
  return phrase.map(({ kind }) => kind).join(" ");
}

/** Whether a word such as `latest` or `largest` fits a column: of text neither is said. */
export function fitsSuperlative({ text }: Item, type = ""): boolean {
  const wanted = Object.entries(SUPERLATIVES).find(([, words]) => words.split(" ").includes(text.toLowerCase()));
  return type.startsWith(wanted?.[0] ?? "");
}

/** A copy of plain objects and lists; of values, themselves. */
export function copy<T>(part: T): T {
  if (Array.isArray(part)) return part.map((each: unknown) => copy(each)) as T;
  if (!isObject(part) || Object.getPrototypeOf(part) !== Object.prototype) return part;
  return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, copy(each)])) as T;
}
