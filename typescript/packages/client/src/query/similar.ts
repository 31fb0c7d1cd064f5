/** Names as people write them: equal but for case and separators, and similar. */

import { compareTexts, countChars } from "../values/order.js";
import { SPACE } from "./lexer.js";
import { Matcher } from "./matching.js";
import { LIMITS } from "./tables.js";
import { cut, foldCase } from "./text.js";
import { type DecisionPath } from "./types.js";

const SEPARATORS = new RegExp(`[${SPACE}_\\-./]+`, "gu");
const WORDS = new RegExp(`${SEPARATORS.source}|(?<=[a-z0-9])(?=[A-Z])`, "u");
const SIMILAR = 0.6;
const FARTHEST = 0.2; // from the likeliest: weaker ones would only distract
const SHORTEST = 3; // characters of a word that tells something

const MOST_FOLDED = 1 << 14; // names whose folded ones are kept: a wide source is searched for each unknown name
const folds = new Map<string, string>();

/** A name without case and separators: `Order Date` and `order_date` fold to the same. */
export function foldName(name: string): string {
  const known = folds.get(name);
  if (known !== undefined) return known;
  const folded = foldCase(name.normalize("NFC")).replace(SEPARATORS, "");
  if (folds.size >= MOST_FOLDED) folds.clear();
  folds.set(name, folded);
  return folded;
}

/** The way in which a name is found, and the names found: one is an answer, several are ambiguous. */
export function matchName(
  name: string,
  known: readonly string[],
  aliases: ReadonlyMap<string, string>,
): readonly [DecisionPath, readonly string[]] {
  if (known.includes(name)) return ["exact_spec", [name]];
  const meant = aliases.get(name);
  if (meant !== undefined && known.includes(meant)) return ["alias", [meant]];
  const folded = foldName(name);
  return ["normalized_name", known.filter((other) => foldName(other) === folded)];
}

/** The names that a name may stand for, the likeliest first, at most ten. */
export function findSimilarNames(name: string, names: Iterable<string>): string[] {
  const scored: [number, string][] = [];
  const spelt: [number, string, Matcher][] = [];
  const words = splitWords(name);
  const mine = cut(foldName(name), LIMITS.compared);
  for (const other of names) {
    const theirs = cut(foldName(other), LIMITS.compared);
    const [short, long] = countChars(theirs) < countChars(mine) ? [theirs, mine] : [mine, theirs];
    const [length, most] = [countChars(short), countChars(long)];
    if (length >= SHORTEST && long.includes(short)) scored.push([0.9 + (0.1 * length) / most, other]);
    else if ([...splitWords(other)].some((word) => words.has(word))) scored.push([0.8, other]);
    else if (2 * length >= SIMILAR * (length + most)) {
      const matcher = new Matcher(short, long, { dropsPopular: false });
      spelt.push([matcher.boundByCharacters(), other, matcher]);
    }
  }
  // The bound costs a hundredth of the measure.
  spelt.sort((one, other) => other[0] - one[0] || compareTexts(other[1], one[1]));
  for (const [, other, matcher] of spelt.slice(0, LIMITS.matched)) scored.push([matcher.measure() * 0.9, other]);
  const ranked = scored.filter(([score]) => score >= SIMILAR);
  ranked.sort((one, other) => other[0] - one[0] || compareTexts(one[1], other[1]));
  const best = ranked[0]?.[0] ?? 0;
  return ranked
    .slice(0, LIMITS.similar)
    .filter(([score]) => score > best - FARTHEST)
    .map(([, other]) => other);
}

function splitWords(name: string): ReadonlySet<string> {
  return new Set(
    name
      .split(WORDS)
      .filter((word) => countChars(word) >= SHORTEST)
      .map(foldCase),
  );
}
