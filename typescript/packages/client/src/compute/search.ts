/**
 * Finds a capability by what it is for: its name first, then BM25 over names, keywords, summaries and parameters.
 *
 * The order of hits is that of Python's client: a word of the query also finds words that it begins (`varian`), that are
 * spelt almost like it (`varience`), and words that mean the same (`average`), each at a discount. A hit counts less for
 * each word of the query that it lacks, and for each word of its name that the query lacks. A name of another library
 * finds its counterpart before all that words find; where all hits have too little of a query, they are weak.
 */

import { invalidIntent } from "../query/faults.js";
import { isSlip, Matcher } from "../query/matching.js";
import { writeCount } from "../query/text.js";
import { compareTexts, countChars } from "../values/order.js";
import { type CapabilityEntry, type Contract, formatSignature, type Grade, listUnits, type Tier } from "./contract.js";
import { describeAbsent, foldAccents, type ForeignNames } from "./foreign-names.js";
import { ALIKE, BM25, BONUSES, GENERAL, LEAST, LEAST_SLIP, LIMITS, SHARES, SYNONYMS, WELL } from "./search-tables.js";
import {
  add,
  buildDeletions,
  findFunction,
  listShortened,
  normaliseName,
  splitWords,
  STOP_WORDS,
  stripPlural,
  sum,
  weighWords,
  WORD,
} from "./search-words.js";

const SHORTENED = 100; // characters of an unknown name that are compared
const GENERAL_FIELDS = new Set<string>(GENERAL);
const MEANINGS = new Map<string, readonly string[]>(SYNONYMS);

/** A capability that fits a search. */
export interface CapabilityHit {
  readonly name: string;
  readonly module: string;
  readonly function: string;
  readonly summary: string;
  readonly signature: string;
  readonly tier: Tier;
  readonly grade: Grade;
  readonly units: Readonly<Record<string, string>>;
  readonly entry: CapabilityEntry;
  readonly score: number;
  /** `counterpart` of another library's name, `nearest` to a method that is not here, `weak` as chance has it. */
  readonly match: Match;
  /** How it differs from what was asked for. */
  readonly note: string;
}

export type Match = "name" | "counterpart" | "nearest" | "words" | "weak";

/** What a query as a whole finds: what is added to the score, how it was found, and what is told of it. */
interface Found {
  readonly bonus: number;
  readonly match: Match;
  readonly note: string;
}

type Allows = (name: string) => boolean;
/** Where a word stands, what it weighs there, and its share of the words of the function's name. */
interface Posting {
  readonly place: number;
  readonly weight: number;
  readonly part: number;
}

const STEPS = 1e6; // in which scores of 1 differ

/** The places of the best hits with their scores, and whether none fits well. */
interface Ranked {
  readonly hits: readonly (readonly [number, number])[];
  readonly isWeak: boolean;
}

/** Of a hit: its score by words, how many words of the query it has, and the share of its name that they are. */
interface Tally {
  readonly score: number;
  readonly met: number;
  readonly named: number;
}

/** A contract, ready to be searched. Building it reads every line once. */
export class CapabilityIndex {
  readonly #contract: Contract;
  readonly #foreign: ForeignNames;
  readonly #names: readonly string[];
  readonly #postings = new Map<string, Posting[]>();
  readonly #vocabulary: readonly string[];
  /** The places of the capabilities by the spelling of their function, and behind a dot by that of their name. */
  readonly #places = new Map<string, number[]>();
  readonly #placeOf: ReadonlyMap<string, number>;
  #deletions: ReadonlyMap<string, readonly string[]> | undefined;
  #slips: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(contract: Contract, foreign: ForeignNames) {
    [this.#contract, this.#foreign] = [contract, foreign];
    this.#names = contract.names;
    this.#placeOf = new Map(this.#names.map((name, place) => [name, place]));
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
    const found = this.#findMeant(query);
    const matches = new Set([...found.values()].map(({ match }) => match));
    const ranked = this.#rankNames(query, limit, allows, found);
    const isNamed = matches.has("nearest") || (matches.has("counterpart") && query.includes(".")); // `np` of `np.std`
    const usual: Found = { bonus: 0, match: ranked.isWeak || isNamed ? "weak" : "words", note: "" };
    return ranked.hits.flatMap(([place, score]) => this.#buildHit(place, score, found.get(place) ?? usual));
  }

  #buildHit(place: number, score: number, { match, note }: Found): CapabilityHit[] {
    const name = this.#names[place] ?? "";
    const capability = this.#contract.find(name);
    if (capability === undefined) return [];
    const { entry, tier, module } = capability;
    const [signature, units] = [formatSignature(capability), listUnits(capability)];
    const rounded = Number(score.toFixed(4));
    return [{ name, module, function: capability.function, summary: entry.summary, signature, tier, grade: entry.grade ?? "derived", units, entry: this.#contract.readEntry(name), score: rounded, match, note }]; // prettier-ignore
  }

  #rankNames(query: string, limit: number, allows: Allows, found: ReadonlyMap<number, Found>): Ranked {
    const { scores, wanted } = this.#computeScores(splitWords(query).slice(0, LIMITS.words));
    let most = 0;
    for (const score of scores.values()) most = Math.max(most, score);
    for (const [place, { bonus }] of found) scores.set(place, (scores.get(place) ?? 0) + bonus);
    // Equals stand in the order of their names. Logarithms differ in their last bit from library to library.
    const steps = (score: number): number => Math.floor(score * STEPS + 0.5);
    const ranked = [...scores].sort(([one, mine], [other, theirs]) => steps(theirs) - steps(mine) || one - other);
    const hits = ranked.filter(([place]) => allows(this.#names[place] ?? "")).slice(0, limit);
    return { hits, isWeak: found.size === 0 && most < WELL * wanted };
  }

  /** What a query means as a whole; if it is nothing, what it means with its slips of one letter mended. */
  #findMeant(query: string): ReadonlyMap<number, Found> {
    const found = this.#findWhole(query);
    const mended = found.size > 0 ? "" : this.#mendSlips(query);
    return mended === "" ? found : this.#findWhole(mended);
  }

  /** The capabilities that the whole query names: as ours, as another library's, or as what is nearest. */
  #findWhole(query: string): ReadonlyMap<number, Found> {
    const found = new Map<number, Found>();
    for (const [place, bonus] of this.#findNamed(query)) found.set(place, { bonus, match: "name", note: "" });
    const isOurs = [...found.values()].some(({ bonus }) => bonus >= BONUSES.function);
    const absent = isOurs ? undefined : this.#foreign.findAbsent(query);
    if (absent !== undefined) {
      const places = absent.nearest.flatMap((name) => this.#placeOf.get(name) ?? []);
      const note = describeAbsent(absent);
      return new Map(places.map((place, at) => [place, { bonus: BONUSES.foreign - at, match: "nearest", note }]));
    }
    for (const [at, row] of this.#foreign.listCounterparts(query, !isOurs).entries()) {
      const place = this.#placeOf.get(row.capability);
      if (place === undefined) continue;
      const known = found.get(place);
      if (known !== undefined && known.bonus >= BONUSES.function) {
        if (!row.isSame) found.set(place, { ...known, note: this.#foreign.describe(row) }); // ours, and another's
      } else if (known?.match !== "counterpart")
        found.set(place, { bonus: BONUSES.foreign - at, match: "counterpart", note: this.#foreign.describe(row) });
    }
    return found;
  }

  /** A query of which a word, or the whole, has one letter wrong, mended; empty if there is nothing to mend. */
  #mendSlips(query: string): string {
    const folded = this.#foreign.foldName(query);
    if (folded.length >= LEAST_SLIP) {
      this.#slips ??= buildDeletions(this.#foreign.listBareNames().filter((name) => name.length >= LEAST_SLIP));
      const slips = this.#slips;
      const near = new Set(listShortened(folded).flatMap((shorter) => slips.get(shorter) ?? []));
      const [meant, ...others] = [...near].filter((name) => isSlip(folded, name));
      if (meant !== undefined && others.length === 0) return meant;
    }
    const words = (foldAccents(query).match(WORD) ?? []).slice(0, LIMITS.words);
    const mended = words.map((word) => this.#mendWord(word));
    return mended.every((word, at) => word === words[at]) ? "" : mended.join(" ");
  }

  /** A word that is none as the commonest of those that one slip makes it. */
  #mendWord(word: string): string {
    const plain = stripPlural(word);
    if (plain.length < 4 || STOP_WORDS.has(plain) || MEANINGS.has(plain) || this.#postings.has(plain)) return word;
    let [best, most] = [word, 0];
    for (const other of this.#listSimilarWords(plain).filter((each) => isSlip(plain, each))) {
      const count = this.#postings.get(other)?.length ?? 0;
      if (count > most) [best, most] = [other, count];
    }
    return best;
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

  /** The scores of the capabilities that have any of the words, and how rare all words are. */
  #computeScores(words: readonly string[]): { readonly scores: Map<number, number>; readonly wanted: number } {
    const tallies = new Map<number, Tally>();
    let wanted = 0;
    for (const word of words) {
      const readings = this.#findReadings(word);
      wanted += this.#computeWanted(word, readings);
      for (const [place, { score, part }] of this.#scoreReadings(readings)) {
        const tally = tallies.get(place) ?? { score: 0, met: 0, named: 0 };
        tallies.set(place, { score: tally.score + score, met: tally.met + 1, named: tally.named + part });
      }
    }
    const scores = new Map<number, number>();
    for (const [place, { score, met, named }] of tallies) {
      const covered = LEAST.covered + ((1 - LEAST.covered) * met) / words.length;
      const fitting = LEAST.fitting + (1 - LEAST.fitting) * Math.min(1, named);
      scores.set(place, score * covered * fitting);
    }
    return { scores, wanted };
  }

  /** How rare a word is, or what it may be read as; a word that is nothing is the rarest. */
  #computeWanted(word: string, readings: ReadonlyMap<string, number>): number {
    const places = this.#postings.get(word)?.length;
    if (places !== undefined || readings.size === 0) return this.#computeRarity(places ?? 0);
    return Math.max(
      ...[...readings.keys()].map((other) => this.#computeRarity(this.#postings.get(other)?.length ?? 0)),
    );
  }

  #computeRarity(places: number): number {
    return Math.log(1 + (this.#names.length - places + 0.5) / (places + 0.5));
  }

  /** A word of the query counts once, by its best reading. */
  #scoreReadings(
    readings: ReadonlyMap<string, number>,
  ): ReadonlyMap<number, { readonly score: number; readonly part: number }> {
    const best = new Map<number, { readonly score: number; readonly part: number }>();
    for (const [other, share] of readings) {
      const postings = this.#postings.get(other) ?? [];
      const rarity = share * this.#computeRarity(postings.length);
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

  /** The names that may be meant by an unknown name, the likeliest first; what is found by chance is none of them. */
  findNearestNames(name: string, allows: Allows): readonly string[] {
    const short = Array.from(name).slice(0, SHORTENED).join("");
    const wanted = findFunction(short);
    const own = this.#findMeant(short);
    const meant = own.size > 0 ? own : this.#findMeant(wanted);
    const places = [...meant].sort(([, one], [, other]) => other.bonus - one.bonus).map(([place]) => place);
    const whole = places.map((place) => this.#names[place] ?? "");
    const isForeign = this.#foreign.listCounterparts(short).length > 0 && !this.#hasField(short);
    const same = wanted === "" ? [] : this.#names.filter((each) => findFunction(each) === wanted);
    const spelt = this.#findCloseNames(short, allows);
    const { hits, isWeak } = this.#rankNames(short, LIMITS.matches, allows, new Map());
    const found = isWeak ? [] : hits.map(([place]) => this.#names[place] ?? "");
    const likely = [...(isForeign ? whole : []), ...same, ...whole].filter(allows);
    return [...new Set([...likely, ...spelt, ...found])].slice(0, LIMITS.matches);
  }

  /** What a name of another library is here, or what is nearest to a method that is not; or nothing. */
  explainName(name: string, allows: Allows): string | undefined {
    const row = this.#foreign.findCounterpart(name);
    if (row !== undefined && this.#placeOf.has(row.capability) && allows(row.capability)) return this.#foreign.describe(row); // prettier-ignore
    const absent = this.#foreign.findAbsent(name);
    return absent?.nearest.every(allows) === true ? describeAbsent(absent) : undefined;
  }

  #hasField(name: string): boolean {
    const field = name.split(".", 1)[0] ?? "";
    return this.#names.some((each) => each.startsWith(`${field}.`));
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
