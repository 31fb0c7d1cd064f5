/** Names of other libraries, and what each is here: NumPy's `std` is `stats.std_population`. Rows as Python has them. */

import { compareTexts } from "../values/order.js";

/** How names of a library are written: `np.` before them, `stats.` that an import leaves out, or alone. */
export interface Library {
  readonly key: string;
  readonly title: string;
  readonly openings: readonly string[];
  readonly modules: readonly string[];
  readonly isBare: boolean;
  /** No library but a language, whose words come last. */
  readonly isTongue: boolean;
}

/** What a name of another library is here; the nearest where it is not the same, and why. */
export interface Counterpart {
  readonly library: string;
  readonly name: string;
  readonly capability: string;
  readonly isSame: boolean;
  readonly difference?: string;
  /** Arguments without a parameter of ours, with the value for which this row holds. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly variant?: string;
}

/** A well-known method that the contract has not, with what is nearest and why it is not that. */
export interface AbsentMethod {
  readonly name: string;
  readonly words: readonly string[];
  readonly nearest: readonly string[];
  readonly reason: string;
}

/** The table as it is written from Python's. */
export interface ForeignTable {
  /** Characters of a name that are read. */
  readonly MOST_NAME: number;
  /** Words that say nothing around a name. */
  readonly FILLERS: readonly string[];
  /** How people call a library, and what stands before its names. */
  readonly SAID: readonly (readonly [string, string])[];
  readonly LIBRARIES: readonly Library[];
  readonly COUNTERPARTS: readonly Counterpart[];
  readonly ABSENT: readonly AbsentMethod[];
}

const CALL = /^\s*[=+]?\s*([^([\s]+)/;
const SPACES = /[\s_\-\u2010-\u2015]+/g;
const APOSTROPHES = /['\u2019]/g;
const EDGES = /^[ "`;,?!()]+|[ "`;,?!()]+$/g;

/** The table, ready to be read. */
export class ForeignNames {
  readonly #table: ForeignTable;
  readonly #libraries: ReadonlyMap<string, Library>;
  readonly #byName: ReadonlyMap<string, readonly Counterpart[]>;
  readonly #byAbsent: ReadonlyMap<string, AbsentMethod>;
  readonly #fields: ReadonlySet<string>;
  readonly #said: ReadonlyMap<string, string>;

  constructor(table: ForeignTable) {
    this.#table = table;
    this.#libraries = new Map(table.LIBRARIES.map((library) => [library.key, library]));
    this.#byName = indexNames(table.COUNTERPARTS, this.#libraries);
    this.#byAbsent = new Map(
      table.ABSENT.flatMap((method) => method.words.map((word) => [foldWords(word), method] as const)),
    );
    this.#fields = new Set(table.COUNTERPARTS.map(({ capability }) => capability.slice(0, capability.indexOf("."))));
    this.#said = new Map(table.SAID);
  }

  /** Finds what a name of another library is here; or nothing. */
  findCounterpart(name: string): Counterpart | undefined {
    const rows = this.listCounterparts(name);
    const [first] = rows;
    if (first === undefined) return undefined;
    const firsts = new Map([...rows].reverse().map((row) => [row.library, row]));
    const meanings = new Set([...firsts.values()].map((row) => `${row.capability} ${String(row.isSame)}`));
    if (meanings.size !== 1) return undefined; // `var` alone is NumPy's, or R's
    const usual = first.settings ?? {};
    const own = rows.filter((row) => row.library === first.library && row.name === first.name);
    return own.find(({ settings }) => Object.entries(settings ?? {}).every(([key, value]) => usual[key] === value));
  }

  /** Lists the rows of a name, whatever their settings; those that are spelt so to the letter, if there are any. */
  listCounterparts(name: string, isExact = true): readonly Counterpart[] {
    const folded = this.foldName(this.#nameLibrary(name));
    let found = this.#byName.get(folded) ?? this.#byName.get(this.#stripFillers(folded)) ?? [];
    const dot = folded.indexOf(".");
    const field = (dot < 0 ? folded : folded.slice(0, dot)).replaceAll(" ", "_");
    if (found.length === 0 && this.#fields.has(field)) found = this.#byName.get(dot < 0 ? "" : folded.slice(dot + 1)) ?? []; // prettier-ignore
    const exact = found.filter((row) => name.includes(row.name.slice(row.name.lastIndexOf(".") + 1)));
    return isExact && exact.length > 0 ? exact : found;
  }

  /** The names that stand alone, folded. */
  listBareNames(): readonly string[] {
    const isBare = (library = ""): boolean => this.#libraries.get(library)?.isBare === true;
    return [...this.#byName].filter(([, [row]]) => isBare(row?.library)).map(([name]) => name);
  }

  /** Finds the well-known method that these words name and that the contract has not. */
  findAbsent(words: string): AbsentMethod | undefined {
    const folded = foldWords(this.#shorten(words));
    return this.#byAbsent.get(folded) ?? this.#byAbsent.get(this.#stripFillers(folded));
  }

  /** What a name of another library is here, in a sentence. */
  describe(row: Counterpart): string {
    const [title, told] = [this.#writeTitle(row), row.difference ?? ""];
    if (!row.isSame) return `${title} is not the same as ${row.capability}: ${told}.`;
    return `${title} is ${row.capability}${told === "" ? ", by the same definition" : `: ${told}`}.`;
  }

  /** Folds a name: without `=` before it and arguments behind it, in small letters. */
  foldName(name: string): string {
    const short = this.#shorten(name);
    const called = CALL.exec(short)?.[1];
    const isCall = called !== undefined && (called.includes(".") || short.includes("(") || short.trimStart().startsWith("=")); // prettier-ignore
    return foldWords(isCall ? called : short);
  }

  /** The name with its library as people call it; of a textbook's the name alone. */
  #writeTitle(row: Counterpart): string {
    const named = `${this.#libraries.get(row.library)?.title ?? ""} ${row.name}`.trim();
    return row.variant === undefined ? named : `${named} with ${row.variant}`;
  }

  #shorten(words: string): string {
    return Array.from(words).slice(0, this.#table.MOST_NAME).join("");
  }

  /** Strips words that say nothing from both ends: `fit a logistic regression model`. */
  #stripFillers(folded: string): string {
    const words = folded.split(" ");
    const isFiller = (word = ""): boolean => this.#table.FILLERS.includes(word);
    while (words.length > 0 && isFiller(words[0])) words.shift();
    while (words.length > 0 && isFiller(words.at(-1))) words.pop();
    return words.join(" ");
  }

  /** Writes `numpy std` and `excel percentile.inc` as these libraries do; other words as they are. */
  #nameLibrary(words: string): string {
    const [first = "", ...rest] = words.trim().split(" ");
    const opening = rest.length > 0 ? this.#said.get(first.toLowerCase()) : undefined;
    return opening === undefined ? words : `${opening}${rest.join(" ").trim()}`;
  }
}

/** That a method is not here, and what is nearest. */
export function describeAbsent({ name, nearest, reason }: AbsentMethod): string {
  return `${name} is not here. Nearest is ${nearest.join(" or ")}: ${reason}.`;
}

/** Folds a text to small letters without accents. */
export function foldAccents(text: string): string {
  return text.toLowerCase().replaceAll("ß", "ss").normalize("NFD").replace(/\p{M}/gu, "");
}

function foldWords(words: string): string {
  return foldAccents(words).replace(APOSTROPHES, "").replace(SPACES, " ").replace(EDGES, "");
}

/** The rows by each way to write their names: those that stand alone first, words of a language last. */
function indexNames(
  rows: readonly Counterpart[],
  libraries: ReadonlyMap<string, Library>,
): ReadonlyMap<string, readonly Counterpart[]> {
  const ranked = [new Map<string, Counterpart[]>(), new Map<string, Counterpart[]>(), new Map<string, Counterpart[]>()];
  for (const row of rows) {
    const library = libraries.get(row.library);
    if (library === undefined) continue;
    const { modules, openings, isBare, isTongue } = library;
    const cut = modules.filter((each) => row.name.startsWith(each)).map((each) => row.name.slice(each.length));
    const tails = [row.name, ...cut];
    const written = [...tails, ...openings.flatMap((opening) => tails.map((tail) => `${opening}${tail}`))];
    const part = ranked[isTongue ? 2 : isBare ? 0 : 1];
    for (const spelling of new Set(written.map(foldWords))) {
      const known = part?.get(spelling);
      if (known === undefined) part?.set(spelling, [row]);
      else known.push(row);
    }
  }
  const spellings = [...new Set(ranked.flatMap((part) => [...part.keys()]))].sort(compareTexts);
  return new Map(spellings.map((each) => [each, ranked.flatMap((part) => part.get(each) ?? [])]));
}
