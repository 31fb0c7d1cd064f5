/**
 * Finds a capability by what it is for: its name first, then BM25 over names, keywords, summaries and parameters.
 *
 * The order of hits is that of Python's client: a word of the query also finds words that it begins (`varian`), that are
 * spelt almost like it (`varience`), and words that mean the same (`average`), each at a discount. A hit counts less for
 * each word of the query that it lacks, and for each word of its name that the query lacks.
 */

import { invalidIntent } from "../query/faults.js";
import { Matcher } from "../query/matching.js";
import { writeCount } from "../query/text.js";
import { compareTexts, countChars } from "../values/order.js";
import { type CapabilityEntry, type Contract, formatSignature, type Grade, listUnits, type Tier } from "./contract.js";
import { ALIKE, BM25, BONUSES, GENERAL, LEAST, LIMITS, SHARES, STOP, SYNONYMS, WEIGHTS } from "./search-tables.js";

const SHORTENED = 100; // characters of an unknown name that are compared
const WORD = /[a-z]+|[0-9]+/g;
const POSSESSIVE = /['\u2019]s(?![\p{L}\p{N}_])/gu;
const STOP_WORDS = new Set<string>(STOP);
const GENERAL_FIELDS = new Set<string>(GENERAL);
const MEANINGS = new Map<string, readonly string[]>(SYNONYMS);

/** A capability that fits a search. */
export interface CapabilityHit {
  readonly name: string;
  readonly summary: string;
  readonly signature: string;
  readonly tier: Tier;
  readonly grade: Grade;
  readonly units: Readonly<Record<string, string>>;
  readonly entry: CapabilityEntry;
  readonly score: number;
}

type Allows = (name: string) => boolean;
/** Where a word stands, what it weighs there, and its share of the words of the function's name. */
interface Posting {
  readonly place: number;
  readonly weight: number;
  readonly part: number;
}

const STEPS = 1e6; // in which scores of 1 differ

/** Of a hit: its score by words, how many words of the query it has, and the share of its name that they are. */
interface Tally {
  readonly score: number;
  readonly met: number;
  readonly named: number;
}

/** A contract, ready to be searched. Building it reads every line once. */
export class CapabilityIndex {
  readonly #contract: Contract;
  readonly #names: readonly string[];
  readonly #postings = new Map<string, Posting[]>();
  readonly #vocabulary: readonly string[];
  /** The places of the capabilities by the spelling of their function, and behind a dot by that of their name. */
  readonly #places = new Map<string, number[]>();
  #deletions: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(contract: Contract) {
    this.#contract = contract;
    this.#names = contract.names;
    const weighed = this.#names.map((name) => weighWords(contract.readEntry(name)));
    const lengths = weighed.map((words) => sum(words.values()));
    const usual = lengths.length > 0 ? sum(lengths) / lengths.length : 1;
    const { saturation, length } = BM25;
    for (const [place, words] of weighed.entries()) {
      const norm = saturation * (1 - length + (length * (lengths[place] ?? 0)) / usual);
      const parts = findFunction(this.#names[place] ?? "").match(WORD) ?? [];
      const title = new Set(parts.map(stripPlural));
      for (const [word, weight] of words) {
        const part = title.has(word) ? 1 / parts.length : 0;
        add(this.#postings, word, { place, weight: (weight * (saturation + 1)) / (weight + norm), part });
      }
    }
    this.#vocabulary = [...this.#postings.keys()].sort();
    for (const [place, name] of this.#names.entries()) {
      add(this.#places, normaliseName(findFunction(name)), place);
      add(this.#places, `.${normaliseName(name)}`, place);
      for (const phrase of contract.readEntry(name).keywords ?? [])
        if (/\S\s+\S/.test(phrase)) add(this.#places, `-${normaliseName(phrase)}`, place);
    }
  }

  /**
   * The best hits, the best first, among the capabilities that are allowed.
   *
   * @throws {ServiceError} `invalid_intent`: the query is no text, or the limit no number from 1 to 1,000.
   */
  search(query: unknown, limit: unknown, allows: Allows): readonly CapabilityHit[] {
    if (typeof query !== "string" || countChars(query) > LIMITS.query)
      throw invalidIntent(`\`query\` must be text of at most ${writeCount(LIMITS.query)} characters.`, {
        path: "query",
      });
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > LIMITS.hits)
      throw invalidIntent(`\`limit\` must be a whole number from 1 to ${writeCount(LIMITS.hits)}.`, { path: "limit" });
    return this.#rankNames(query, limit, allows).flatMap(([name, score]) => this.#buildHit(name, score));
  }

  #buildHit(name: string, score: number): CapabilityHit[] {
    const capability = this.#contract.find(name);
    if (capability === undefined) return [];
    const { entry, tier } = capability;
    const [signature, units] = [formatSignature(capability), listUnits(capability)];
    const rounded = Number(score.toFixed(4));
    return [{ name, summary: entry.summary, signature, tier, grade: entry.grade ?? "derived", units, entry: this.#contract.readEntry(name), score: rounded }]; // prettier-ignore
  }

  #rankNames(query: string, limit: number, allows: Allows): readonly (readonly [string, number])[] {
    const scores = this.#computeScores(splitWords(query).slice(0, LIMITS.words));
    for (const [place, bonus] of this.#findNamed(query)) scores.set(place, (scores.get(place) ?? 0) + bonus);
    // Equals stand in the order of their names. Logarithms differ in their last bit from library to library.
    const steps = (score: number): number => Math.floor(score * STEPS + 0.5);
    const ranked = [...scores].sort(([one, mine], [other, theirs]) => steps(theirs) - steps(mine) || one - other);
    const hits: (readonly [string, number])[] = [];
    for (const [place, score] of ranked) {
      const name = this.#names[place] ?? "";
      if (!allows(name)) continue;
      hits.push([name, score]);
      if (hits.length === limit) break;
    }
    return hits;
  }

  /** The capabilities whose name or keyword is the whole query, with the bonus for their scores. */
  #findNamed(query: string): ReadonlyMap<number, number> {
    const name = normaliseName(query);
    const meant = normaliseName((MEANINGS.get(name) ?? []).join("_"));
    const found = new Map<number, number>();
    const bonuses = [[`-${name}`, BONUSES.keyed], [meant, BONUSES.meant], [name, BONUSES.function], [`.${name}`, BONUSES.named]] as const; // prettier-ignore
    // A keyword of a whole family finds none of it first.
    const shared = (this.#places.get(`-${name}`) ?? []).length > LIMITS.keyed;
    for (const [key, bonus] of shared ? bonuses.slice(1) : bonuses)
      for (const place of key === "" ? [] : (this.#places.get(key) ?? []))
        found.set(place, bonus + (this.#isGeneral(place) ? BONUSES.general : 0));
    return found;
  }

  #isGeneral(place: number): boolean {
    return GENERAL_FIELDS.has((this.#names[place] ?? "").split(".", 1)[0] ?? "");
  }

  #computeScores(words: readonly string[]): Map<number, number> {
    const tallies = new Map<number, Tally>();
    for (const word of words)
      for (const [place, { score, part }] of this.#scoreWord(word)) {
        const tally = tallies.get(place) ?? { score: 0, met: 0, named: 0 };
        tallies.set(place, { score: tally.score + score, met: tally.met + 1, named: tally.named + part });
      }
    const scores = new Map<number, number>();
    for (const [place, { score, met, named }] of tallies) {
      const covered = LEAST.covered + ((1 - LEAST.covered) * met) / words.length;
      const fitting = LEAST.fitting + (1 - LEAST.fitting) * Math.min(1, named);
      scores.set(place, score * covered * fitting);
    }
    return scores;
  }

  /** A word of the query counts once, by its best reading. */
  #scoreWord(word: string): ReadonlyMap<number, { readonly score: number; readonly part: number }> {
    const best = new Map<number, { readonly score: number; readonly part: number }>();
    for (const [other, share] of this.#findReadings(word)) {
      const postings = this.#postings.get(other) ?? [];
      const rarity = share * Math.log(1 + (this.#names.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { place, weight, part } of postings) {
        const score = rarity * weight;
        if (score > (best.get(place)?.score ?? 0)) best.set(place, { score, part: share * part });
      }
    }
    return best;
  }

  #findReadings(word: string): ReadonlyMap<string, number> {
    const readings = new Map<string, number>();
    for (const meaning of MEANINGS.get(word) ?? []) readings.set(stripPlural(meaning), SHARES.synonym);
    for (const other of this.#listPrefixedWords(word))
      readings.set(other, Math.max(readings.get(other) ?? 0, SHARES.prefix));
    if (this.#postings.has(word)) readings.set(word, 1);
    else if (readings.size === 0)
      for (const other of this.#listSimilarWords(word)) readings.set(other, SHARES.spelling);
    return new Map([...readings].filter(([other]) => this.#postings.has(other)));
  }

  #listPrefixedWords(word: string): readonly string[] {
    if (word.length < 3) return [];
    const start = this.#vocabulary.findIndex((each) => each >= word);
    if (start < 0) return [];
    const some = this.#vocabulary.slice(start, start + LIMITS.prefixed);
    const end = some.findIndex((each) => !each.startsWith(word));
    return end < 0 ? some : some.slice(0, end);
  }

  #listSimilarWords(word: string): readonly string[] {
    if (word.length < 4) return [];
    this.#deletions ??= buildDeletions(this.#vocabulary);
    const deletions = this.#deletions;
    return [...new Set(listShortened(word).flatMap((shorter) => deletions.get(shorter) ?? []))].sort();
  }

  // --- names in place of an unknown one ------------------------------------------------------------------------------

  /** The names that may be meant by an unknown name, the likeliest first. */
  findNearestNames(name: string, allows: Allows): readonly string[] {
    const wanted = findFunction(name);
    const same = wanted === "" ? [] : this.#names.filter((each) => findFunction(each) === wanted && allows(each));
    const short = Array.from(name).slice(0, SHORTENED).join("");
    const spelt = this.#findCloseNames(short, allows);
    const found = this.#rankNames(short, LIMITS.matches, allows).map(([each]) => each);
    return [...new Set([...same, ...spelt, ...found])].slice(0, LIMITS.matches);
  }

  /** Close matches as `difflib.get_close_matches` finds them; those that share the most letters are compared first. */
  #findCloseNames(name: string, allows: Allows): readonly string[] {
    const bounded = this.#names.map((known) => {
      const matcher = new Matcher(known, name, { dropsPopular: true });
      return { known, matcher, most: matcher.boundByCharacters() };
    });
    const close = bounded.filter(({ most }) => most >= ALIKE).sort((one, other) => other.most - one.most);
    let best: (readonly [number, string])[] = [];
    for (const { known, matcher, most } of close) {
      const least = best.length === LIMITS.matches ? (best.at(-1)?.[0] ?? ALIKE) : ALIKE;
      if (most < least) break;
      if (!allows(known)) continue;
      const ratio = matcher.measure();
      if (ratio < ALIKE) continue;
      best = [...best, [ratio, known] as const].sort(
        (one, other) => other[0] - one[0] || compareTexts(other[1], one[1]),
      );
      best = best.slice(0, LIMITS.matches);
    }
    return best.map(([, known]) => known);
  }
}

// --- words -----------------------------------------------------------------------------------------------------------

function weighWords(entry: CapabilityEntry): ReadonlyMap<string, number> {
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

function findFunction(name: string): string {
  const dot = name.indexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}

/** The spelling of a name: `Root mean-square` and `root_mean_square` are one. */
function normaliseName(name: string): string {
  return (name.toLowerCase().match(WORD) ?? []).join("_");
}

function splitWords(text: string): string[] {
  const plain = text.toLowerCase().replace(POSSESSIVE, "");
  return (plain.match(WORD) ?? []).filter((word) => !STOP_WORDS.has(word)).map(stripPlural);
}

function stripPlural(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** A word, and the word without each one of its letters: similar words have one of these in common. */
function listShortened(word: string): readonly string[] {
  return [word, ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))];
}

function buildDeletions(vocabulary: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const deletions = new Map<string, string[]>();
  for (const word of vocabulary) for (const shorter of listShortened(word)) add(deletions, shorter, word);
  return deletions;
}

function add<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
