/** Likeness of texts as Python's difflib measures it: twice the characters that match, by all characters. */

import { compareTexts } from "../values/order.js";

const POPULAR_FROM = 200; // characters, from which on frequent ones are left out of close matches
const LONGEST = 1_024; // characters of a name that are compared

/** How alike two texts are: 1 of equal ones, 0 of texts without a character in common. */
export class Matcher {
  readonly #first: readonly string[];
  readonly #second: readonly string[];
  readonly #places: ReadonlyMap<string, readonly number[]>;

  constructor(first: string, second: string, options: { readonly dropsPopular: boolean }) {
    this.#first = Array.from(first);
    this.#second = Array.from(second);
    this.#places = findPlaces(this.#second, options.dropsPopular);
  }

  /** An upper bound that costs nothing. */
  boundByLength(): number {
    return share(Math.min(this.#first.length, this.#second.length), this.#first.length + this.#second.length);
  }

  /** An upper bound: by the characters alone, wherever they stand. */
  boundByCharacters(): number {
    const left = new Map<string, number>();
    for (const char of this.#second) left.set(char, (left.get(char) ?? 0) + 1);
    let matches = 0;
    for (const char of this.#first) {
      const count = left.get(char) ?? 0;
      left.set(char, count - 1);
      if (count > 0) matches += 1;
    }
    return share(matches, this.#first.length + this.#second.length);
  }

  measure(): number {
    let matches = 0;
    const open: [number, number, number, number][] = [[0, this.#first.length, 0, this.#second.length]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [fromFirst, toFirst, fromSecond, toSecond] = next;
      const [i, j, size] = this.#findLongest(fromFirst, toFirst, fromSecond, toSecond);
      if (size === 0) continue;
      matches += size;
      if (fromFirst < i && fromSecond < j) open.push([fromFirst, i, fromSecond, j]);
      if (i + size < toFirst && j + size < toSecond) open.push([i + size, toFirst, j + size, toSecond]);
    }
    return share(matches, this.#first.length + this.#second.length);
  }

  #findLongest(fromFirst: number, toFirst: number, fromSecond: number, toSecond: number): [number, number, number] {
    let [bestFirst, bestSecond, size] = [fromFirst, fromSecond, 0];
    let lengths = new Map<number, number>();
    for (let i = fromFirst; i < toFirst; i += 1) {
      const next = new Map<number, number>();
      for (const j of this.#places.get(this.#first[i] ?? "") ?? []) {
        if (j < fromSecond) continue;
        if (j >= toSecond) break;
        const length = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, length);
        if (length > size) [bestFirst, bestSecond, size] = [i - length + 1, j - length + 1, length];
      }
      lengths = next;
    }
    return this.#extend(bestFirst, bestSecond, size, [fromFirst, toFirst, fromSecond, toSecond]);
  }

  /** Popular characters are in no list of places, and may stand beside what matches. */
  #extend(
    i: number,
    j: number,
    size: number,
    within: readonly [number, number, number, number],
  ): [number, number, number] {
    const [fromFirst, toFirst, fromSecond, toSecond] = within;
    let [first, second, length] = [i, j, size];
    while (first > fromFirst && second > fromSecond && this.#first[first - 1] === this.#second[second - 1])
      [first, second, length] = [first - 1, second - 1, length + 1];
    while (
      first + length < toFirst &&
      second + length < toSecond &&
      this.#first[first + length] === this.#second[second + length]
    )
      length += 1;
    return [first, second, length];
  }
}

function findPlaces(chars: readonly string[], dropsPopular: boolean): Map<string, number[]> {
  const places = new Map<string, number[]>();
  chars.forEach((char, at) => {
    const known = places.get(char);
    if (known === undefined) places.set(char, [at]);
    else known.push(at);
  });
  if (dropsPopular && chars.length >= POPULAR_FROM) {
    const most = Math.floor(chars.length / 100) + 1;
    for (const [char, found] of places) if (found.length > most) places.delete(char);
  }
  return places;
}

function share(matches: number, length: number): number {
  return length === 0 ? 1 : (2 * matches) / length;
}

/** Up to `count` of the names that are spelt like a word, the nearest first. */
export function findCloseMatches(word: string, names: Iterable<string>, count: number, cutoff = 0.6): string[] {
  const found: [number, string][] = [];
  for (const name of names) {
    const matcher = new Matcher(name, word, { dropsPopular: true });
    if (matcher.boundByLength() < cutoff || matcher.boundByCharacters() < cutoff) continue;
    const likeness = matcher.measure();
    if (likeness >= cutoff) found.push([likeness, name]);
  }
  found.sort((one, other) => other[0] - one[0] || compareTexts(other[1], one[1]));
  return found.slice(0, count).map(([, name]) => name);
}

/** The names that a name may be a slip of. */
export function findNearest(name: string, names: Iterable<string>, count = 3): string[] {
  return findCloseMatches(
    Array.from(name.slice(0, 2 * LONGEST))
      .slice(0, LONGEST)
      .join(""),
    names,
    count,
  );
}

/** The one name that a word is with a letter added, left out, changed, or two swapped; undefined if there are two. */
export function findSlip(word: string, names: Iterable<string>): string | undefined {
  const found = Array.from(names).filter((name) => isSlip(word, name));
  return found.length === 1 ? found[0] : undefined;
}

/** Whether one letter was added, left out or changed, or two neighbours changed places. */
export function isSlip(word: string, name: string): boolean {
  const [one, other] = [Array.from(word), Array.from(name)];
  if (Math.abs(one.length - other.length) > 1) return false;
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  while (at < shorter && one[at] === other[at]) at += 1;
  if (at === shorter) return one.length !== other.length;
  const [rest, left] = [one.slice(at).join(""), other.slice(at).join("")];
  const swapped = [one[at + 1] ?? "", one[at] ?? "", ...one.slice(at + 2)].join("");
  const [first, second] = [one.slice(at + 1).join(""), other.slice(at + 1).join("")];
  return swapped === left || first === second || rest === second || first === left;
}
