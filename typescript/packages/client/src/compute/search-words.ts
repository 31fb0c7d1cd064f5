/** The words of queries and of capabilities, and how one is read for another. */

import { type CapabilityEntry } from "./contract.js";
import { foldAccents } from "./foreign-names.js";
import { STOP, WEIGHTS } from "./search-tables.js";

export const WORD = /[a-z]+|[0-9]+/g;
const POSSESSIVE = /['\u2019]s(?![\p{L}\p{N}_])/gu;
export const STOP_WORDS = new Set<string>(STOP);

export function weighWords(entry: CapabilityEntry): ReadonlyMap<string, number> {
  const texts = {
    function: entry.function,
    module: entry.module,
    keywords: (entry.keywords ?? []).join(" "),
    summary: entry.summary,
    params: entry.params.map(({ name, about }) => `${name} ${about ?? ""}`).join(" "),
  };
  const weighed = new Map<string, number>();
  for (const part of ["function", "module", "keywords", "summary", "params"] as const)
    for (const word of splitWords(texts[part])) weighed.set(word, (weighed.get(word) ?? 0) + WEIGHTS[part]);
  return weighed;
}

export function findFunction(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}

/** The spelling of a name: `Root mean-square` and `root_mean_square` are one. */
export function normaliseName(name: string): string {
  return (foldAccents(name).match(WORD) ?? []).join("_");
}

export function splitWords(text: string): string[] {
  const plain = foldAccents(text).replace(POSSESSIVE, "");
  return (plain.match(WORD) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stripPlural);
}

export function stripPlural(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** A word, and the word without each one of its letters: similar words have one of these in common. */
export function listShortened(word: string): readonly string[] {
  return [word, ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))];
}

export function buildDeletions(vocabulary: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const deletions = new Map<string, string[]>();
  for (const word of vocabulary) for (const shorter of listShortened(word)) add(deletions, shorter, word);
  return deletions;
}

export function add<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
