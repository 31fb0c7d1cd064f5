/** Text as Python has it: by code points, with its own words for values. Both languages say the same of a question. */

import { countChars } from "../values/order.js";
import { Decimal } from "./decimal.js";
import { FOLDS } from "./folds.js";
import { AGGREGATIONS, KEYWORDS, SYNONYMS } from "./tables.js";
import { RealNumber } from "./values.js";

const LONGEST = 60; // characters of a value in a message
const NAME = /^[\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_]*$/u;
const ZONE = /^[A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+$/;
const RESERVED: ReadonlySet<string> = new Set(KEYWORDS);
const FOLDED: ReadonlyMap<string, string> = new Map(
  FOLDS.split("\n").map((line) => {
    const [char = "", ...folded] = line;
    return [char, folded.slice(1).join("")] as const;
  }),
);

/** The first characters of a text. */
export function cut(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join("");
}

/** A text without differences of case, as Python's `casefold` has it. */
export function foldCase(text: string): string {
  return Array.from(text, (char) => FOLDED.get(char) ?? char.toLowerCase()).join("");
}

/** A column or a source as it stands in an ask line: bare where it can be, else in backticks. */
export function writeName(name: string): string {
  return NAME.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `\`${name.replaceAll("`", "``")}\``;
}

/** A time zone as it stands in an ask line: bare where it is Area/City, else as a name. */
export function writeZone(name: string): string {
  return ZONE.test(name) ? name : writeName(name);
}

/** Whether a word could be a bare name. */
export function isBareName(word: string): boolean {
  return NAME.test(word);
}

export function isKeyword(word: string): boolean {
  return RESERVED.has(word.toLowerCase());
}

export const AGGREGATION_NAMES: readonly string[] = Object.keys(AGGREGATIONS);

/** Whether a word is an aggregation, or what people say for one. */
export function isAggregation(word: string): boolean {
  return AGGREGATION_NAMES.includes(word.toLowerCase()) || Object.hasOwn(SYNONYMS, word.toLowerCase());
}

/** A value in a message: short and printable; of what has no words of its own only the type. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "missing";
  const text = typeof value === "string" ? quoteText(cut(value, LONGEST + 1)) : describeScalar(value);
  if (text === undefined)
    return `of type ${Array.isArray(value) ? "list" : typeof value === "object" ? "dict" : typeof value}`;
  return countChars(text) <= LONGEST ? text : `${cut(text, LONGEST - 3)}...`;
}

function describeScalar(value: unknown): string | undefined {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return absolute(value) < 10n ** 40n ? String(value) : "a very large integer";
  if (value instanceof RealNumber) return writeReal(value.value);
  if (value instanceof Decimal) return `Decimal('${value.toString()}')`;
  if (typeof value !== "number") return undefined;
  return Number.isSafeInteger(value) ? String(value + 0) : writeReal(value);
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** A double as Python writes it: its shortest digits, a whole one with `.0`, an exponent of two digits. */
export function writeReal(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits = "", power = ""] = value.toExponential().split("e");
    return `${digits}e${power.charAt(0)}${power.slice(1).padStart(2, "0")}`;
  }
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** A text in quotes with escapes for what cannot be printed, as Python's `repr` writes it. */
export function quoteText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + Array.from(text, (char) => escapeChar(char, quote)).join("") + quote;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([["\n", "\\n"], ["\r", "\\r"], ["\t", "\\t"], ["\\", "\\\\"]]); // prettier-ignore
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

function escapeChar(char: string, quote: string): string {
  if (char === quote) return `\\${char}`;
  const known = ESCAPES.get(char);
  if (known !== undefined) return known;
  if (char === " " || !UNPRINTABLE.test(char)) return char;
  const point = char.codePointAt(0) ?? 0;
  const [mark, width] = point < 0x100 ? ["x", 2] : point <= 0xffff ? ["u", 4] : ["U", 8];
  return `\\${mark}${point.toString(16).padStart(width, "0")}`;
}

const MISLEADING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const JOINERS = "\u200c\u200d";

/** A text in which every character that steers a terminal or misleads a reader's eye is an escape. */
export function makeVisible(text: string): string {
  const chars = Array.from(text);
  return chars
    .map((char, at) => (MISLEADING.test(char) && !isJoiner(chars, at) ? escapeMisleading(char) : char))
    .join("");
}

function isJoiner(chars: readonly string[], at: number): boolean {
  const around = [chars[at - 1], chars[at + 1]];
  return JOINERS.includes(chars[at] ?? " ") && around.every((each) => each !== undefined && /^[\p{L}\p{M}\p{S}]$/u.test(each) && each > "\x7f"); // prettier-ignore
}

function escapeMisleading(char: string): string {
  const known = ESCAPES.get(char);
  if (known !== undefined) return known;
  const point = char.codePointAt(0) ?? 0;
  const digits = point.toString(16);
  if (point < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return point > 0xffff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}

/** Words as alternatives: `a, b or c`. */
export function joinAlternatives(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}

/** A count with commas between thousands. */
export function writeCount(count: number | bigint): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
