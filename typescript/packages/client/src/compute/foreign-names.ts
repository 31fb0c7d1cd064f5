/** Names of other libraries, and what each is here: NumPy's `std` is `stats.std_population`. Rows as Python has them. */

import { compareTexts } from "../values/order.js";
import type { CapabilityEntry } from "./contract.js";
import { ABSENT, COUNTERPARTS, FILLERS, GREEK, LIBRARIES, MOST_NAME, PARAMETERS, SAID } from "./foreign-names-table.js";

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
  /** In the other library's order: our parameter, and behind a blank how its value becomes ours; null if there is none. */
  readonly arguments?: Readonly<Record<string, string | null>>;
  /** Arguments without a parameter of ours, with the value for which this row holds. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly defaults?: Readonly<Record<string, string>>;
  /** Parameters of ours that its definition fixes. */
  readonly fixed?: Readonly<Record<string, string | number>>;
  readonly part?: string;
  readonly result?: string;
  readonly variant?: string;
}

/** A well-known method that the contract has not, with what is nearest and why it is not that. */
export interface AbsentMethod {
  readonly name: string;
  readonly words: readonly string[];
  readonly nearest: readonly string[];
  readonly reason: string;
}

/** Words of a field, or of other libraries, for one of our parameters. */
export interface ParameterWords {
  readonly words: readonly string[];
  /** None where books disagree: `mean` of a lognormal distribution. */
  readonly parameter: string;
  readonly places: readonly string[];
  readonly conversion: string;
}

/** A parameter of ours, and how another library's value becomes one. */
export interface ForeignArgument {
  readonly parameter: string;
  readonly conversion: string;
}

const CALL = /^\s*[=+]?\s*([^([\s]+)/;
const SPACES = /[\s_\-\u2010-\u2015]+/g;
const APOSTROPHES = /['\u2019]/g;
const EDGES = /^[ "`;,?!()]+|[ "`;,?!()]+$/g;
const IN_SYMBOLS = /[\\{}_^\s]/g;
const NUMBER = /^([-+]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([-+]?\d+))?$/;

// --- finding ---------------------------------------------------------------------------------------------------------

/** Finds what a name of another library is here, given its arguments by their names there; or nothing. */
export function findCounterpart(name: string, given: Readonly<Record<string, string>> = {}): Counterpart | undefined {
  const rows = listCounterparts(name);
  const [first] = rows;
  if (first === undefined) return undefined;
  const firsts = new Map([...rows].reverse().map((row) => [row.library, row]));
  const meanings = new Set([...firsts.values()].map((row) => `${row.capability} ${String(row.isSame)}`));
  if (meanings.size !== 1) return undefined; // `var` alone is NumPy's, or R's
  const own = rows.filter((row) => row.library === first.library && row.name === first.name);
  return own.find((row) => takesArguments(row, given, first.settings ?? {}));
}

/** Lists the rows of a name, whatever their settings; those that are spelt so to the letter, if there are any. */
export function listCounterparts(name: string, isExact = true): readonly Counterpart[] {
  const folded = foldForeignName(nameLibrary(name));
  const index = getIndex();
  let found = index.byName.get(folded) ?? index.byName.get(stripFillers(folded)) ?? [];
  const dot = folded.indexOf(".");
  const field = (dot < 0 ? folded : folded.slice(0, dot)).replaceAll(" ", "_");
  if (found.length === 0 && index.fields.has(field)) found = index.byName.get(dot < 0 ? "" : folded.slice(dot + 1)) ?? []; // prettier-ignore
  const exact = found.filter((row) => name.includes(row.name.slice(row.name.lastIndexOf(".") + 1)));
  return isExact && exact.length > 0 ? exact : found;
}

/** The names that stand alone, folded. */
export function listBareNames(): readonly string[] {
  const { byName, libraries } = getIndex();
  return [...byName].filter(([, [row]]) => libraries.get(row?.library ?? "")?.isBare === true).map(([name]) => name);
}

/** Finds the well-known method that these words name and that the contract has not. */
export function findAbsent(words: string): AbsentMethod | undefined {
  const { byAbsent } = getIndex();
  const folded = foldWords(Array.from(words).slice(0, MOST_NAME).join(""));
  return byAbsent.get(folded) ?? byAbsent.get(stripFillers(folded));
}

/** Finds the parameter of a capability that a word of its field, or of another library, names; nothing if two may be. */
export function findParameter(entry: CapabilityEntry, word: string): ForeignArgument | undefined {
  const names = new Set(entry.params.map(({ name }) => name));
  if (names.has(word)) return { parameter: word, conversion: "" };
  for (const spell of [(text: string) => text, (text: string) => text.toLowerCase()]) {
    const found = new Map(listMeanings(entry, names, word, spell).map((each) => [`${each.parameter} ${each.conversion}`, each])); // prettier-ignore
    const [only] = found.values();
    if (only !== undefined) return found.size === 1 && only.parameter !== "" ? only : undefined;
  }
  return undefined;
}

/** Turns a value that was written for another library into ours; nothing if it is no number. */
export function convertValue(text: string, conversion: string): string | undefined {
  if (conversion === "") return text;
  if (conversion === "dashes") return text.replaceAll(".", "-"); // R's `two.sided`
  const read = NUMBER.exec(text.trim());
  if (read === null) return undefined;
  const [, sign = "", whole = "", rest = "", alone = "", power = "0"] = read;
  const decimals = rest === "" ? alone : rest;
  const digits = BigInt(`${sign}${whole}${decimals}`);
  const places = decimals.length - Number(power);
  if (conversion === "percent") return writeDecimal(digits, places + 2);
  if (conversion === "negated") return writeDecimal(-digits, places);
  if (conversion === "half") return writeDecimal(digits * 5n, places + 1);
  if (conversion === "quarter") return writeDecimal(digits * 25n, places + 2);
  return conversion === "reciprocal" && digits !== 0n ? String(1 / Number(text)) : undefined;
}

/** The name with its library as people call it; of a textbook's the name alone. */
export function writeTitle(row: Counterpart): string {
  const named = `${getIndex().libraries.get(row.library)?.title ?? ""} ${row.name}`.trim();
  return row.variant === undefined ? named : `${named} with ${row.variant}`;
}

/** What a name of another library is here, in a sentence. */
export function describeCounterpart(row: Counterpart): string {
  const told = row.difference ?? "";
  if (!row.isSame) return `${writeTitle(row)} is not the same as ${row.capability}: ${told}.`;
  return `${writeTitle(row)} is ${row.capability}${told === "" ? ", by the same definition" : `: ${told}`}.`;
}

/** That a method is not here, and what is nearest. */
export function describeAbsent({ name, nearest, reason }: AbsentMethod): string {
  return `${name} is not here. Nearest is ${nearest.join(" or ")}: ${reason}.`;
}

// --- folding ---------------------------------------------------------------------------------------------------------

/** Folds a text to small letters without accents. */
export function foldAccents(text: string): string {
  return text.toLowerCase().replaceAll("ß", "ss").normalize("NFD").replace(/\p{M}/gu, "");
}

/** Folds a name: without `=` before it and arguments behind it, in small letters. */
export function foldForeignName(name: string): string {
  const short = Array.from(name).slice(0, MOST_NAME).join("");
  const called = CALL.exec(short)?.[1];
  const isCall = called !== undefined && (called.includes(".") || short.includes("(") || short.trimStart().startsWith("=")); // prettier-ignore
  return foldWords(isCall ? called : short);
}

function foldWords(words: string): string {
  return foldAccents(words).replace(APOSTROPHES, "").replace(SPACES, " ").replace(EDGES, "");
}

/** Strips words that say nothing from both ends: `fit a logistic regression model`. */
function stripFillers(folded: string): string {
  const words = folded.split(" ");
  while (words.length > 0 && FILLERS.includes(words[0] ?? "")) words.shift();
  while (words.length > 0 && FILLERS.includes(words.at(-1) ?? "")) words.pop();
  return words.join(" ");
}

/** Folds a symbol of a formula: `r_f` and `rf`, and a Greek letter and its name in LaTeX, are one. */
function foldSymbol(symbol: string): string {
  return Array.from(symbol, (letter) => GREEK[letter] ?? letter)
    .join("")
    .replace(IN_SYMBOLS, "");
}

function foldSetting(value: string): string {
  return value
    .trim()
    .replace(/^['"]+|['"]+$/g, "")
    .toLowerCase();
}

/** Writes `numpy std` and `excel percentile.inc` as these libraries do; other words as they are. */
function nameLibrary(words: string): string {
  const [first = "", ...rest] = words.trim().split(" ");
  const opening = rest.length > 0 ? getIndex().said.get(first.toLowerCase()) : undefined;
  return opening === undefined ? words : `${opening}${rest.join(" ").trim()}`;
}

function writeDecimal(digits: bigint, places: number): string {
  if (digits === 0n) return "0";
  const sign = digits < 0n ? "-" : "";
  const plain = (digits < 0n ? -digits : digits).toString();
  if (places <= 0) return `${sign}${plain}${"0".repeat(-places)}`;
  const padded = plain.padStart(places + 1, "0");
  const text = `${padded.slice(0, -places)}.${padded.slice(-places)}`.replace(/\.?0+$/, "");
  return `${sign}${text}`;
}

// --- the table -------------------------------------------------------------------------------------------------------

interface NameIndex {
  readonly libraries: ReadonlyMap<string, Library>;
  readonly byName: ReadonlyMap<string, readonly Counterpart[]>;
  readonly byAbsent: ReadonlyMap<string, AbsentMethod>;
  readonly fields: ReadonlySet<string>;
  readonly said: ReadonlyMap<string, string>;
}

let known: NameIndex | undefined;

function getIndex(): NameIndex {
  known ??= buildIndex();
  return known;
}

function buildIndex(): NameIndex {
  const libraries = new Map(LIBRARIES.map((library) => [library.key, library]));
  const ranked = [new Map<string, Counterpart[]>(), new Map<string, Counterpart[]>(), new Map<string, Counterpart[]>()];
  for (const row of COUNTERPARTS) {
    const library = libraries.get(row.library);
    if (library === undefined) continue;
    const { modules, openings, isBare, isTongue } = library;
    const cut = modules.filter((each) => row.name.startsWith(each)).map((each) => row.name.slice(each.length));
    const tails = [row.name, ...cut];
    const written = [...tails, ...openings.flatMap((opening) => tails.map((tail) => `${opening}${tail}`))];
    const part = ranked[isTongue ? 2 : isBare ? 0 : 1];
    for (const spelling of new Set(written.map(foldWords))) {
      const rows = part?.get(spelling);
      if (rows === undefined) part?.set(spelling, [row]);
      else rows.push(row);
    }
  }
  const spellings = [...new Set(ranked.flatMap((part) => [...part.keys()]))].sort(compareTexts);
  const byName = new Map(spellings.map((each) => [each, ranked.flatMap((part) => part.get(each) ?? [])]));
  const byAbsent = new Map(ABSENT.flatMap((method) => method.words.map((word) => [foldWords(word), method] as const)));
  const fields = new Set(COUNTERPARTS.map(({ capability }) => capability.slice(0, capability.indexOf("."))));
  return { libraries, byName, byAbsent, fields, said: new Map(SAID) };
}

function takesArguments(
  row: Counterpart,
  given: Readonly<Record<string, string>>,
  usual: Readonly<Record<string, string>>,
): boolean {
  const settings = row.settings ?? {};
  for (const [name, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(row.arguments ?? {}, name) ? row.arguments?.[name] : undefined;
    if (parameter === undefined || (parameter === null && settings[name] !== foldSetting(value))) return false;
  }
  return Object.entries(settings).every(([name, value]) => Object.hasOwn(given, name) || usual[name] === value);
}

function listMeanings(
  entry: CapabilityEntry,
  names: ReadonlySet<string>,
  word: string,
  spell: (text: string) => string,
): ForeignArgument[] {
  const wanted = spell(word);
  const found: ForeignArgument[] = [];
  for (const { words, parameter, places, conversion } of PARAMETERS) {
    const isHere =
      (parameter === "" || names.has(parameter)) && (places.includes(entry.id) || places.includes(entry.module));
    if (isHere && words.some((each) => spell(each) === wanted)) found.push({ parameter, conversion });
  }
  for (const row of COUNTERPARTS) {
    if (row.capability !== entry.id || !row.isSame) continue;
    for (const [name, told] of Object.entries(row.arguments ?? {})) {
      const [parameter = "", conversion = ""] = told?.split(" ") ?? [];
      // The sign of another library belongs to a call of its function: `pmt` alone has ours.
      if (told !== null && conversion !== "negated" && spell(name) === wanted) found.push({ parameter, conversion });
    }
  }
  const folded = spell(foldSymbol(word));
  for (const { name, symbol } of entry.params)
    if (folded !== "" && spell(foldSymbol(symbol ?? "")) === folded) found.push({ parameter: name, conversion: "" });
  return found;
}
