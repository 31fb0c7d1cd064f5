/**
 * Numbers rounded for reading: one rule for a column, on exact texts, never by way of a float. What is copied, sorted,
 * filtered and verified are the exact texts. As `service_nb/cards/digits.py`; both hold to tests/vectors/digits.json.
 */

import { cell, CELL_WIDTH, clip } from "./format.js";
import { isNumber } from "./number.js";

/** Significant digits to show; undefined for the usual ones. */
export type Digits = number | "exact" | undefined;

/** How the numbers of a column are rounded; places are null where they are not. */
export interface ColumnDigits {
  readonly places: number | null;
  /** Of a number that would become zero, or is written with an exponent. */
  readonly digits: number;
}

/** A column as far as its cells are written by it. */
export interface DigitsColumn {
  readonly type: string;
  readonly role: string;
  readonly digits: ColumnDigits;
}

const USUAL_DIGITS = 6;
const MOST_DIGITS = 17;
/** The digits with which a face may be written. */
export const FACE_DIGITS: readonly Digits[] = [
  undefined,
  "exact",
  ...Array.from({ length: MOST_DIGITS }, (_, at) => at + 1),
];
const LEAST_PLACES = 2; // as money has them
const FEW_PLACES = 4; // a column of at most so many is shown whole
const FEW_EQUAL_PLACES = 6; // and so is one of so many in every row, as decimals have them

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?([eE][+-]?[0-9]+)?$/;

export const EXACT: ColumnDigits = { places: null, digits: USUAL_DIGITS };

/** A setting of digits, as metadata or a reader's settings have it; undefined where it is none. */
export function digitsIn(value: unknown): Digits {
  if (value === "exact") return value;
  const isDigits = typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_DIGITS;
  return isDigits ? value : undefined;
}

/** The rule of a column, from its exact texts. */
export function digitsOf(column: Iterable<string | null>, asked: Digits): ColumnDigits {
  if (asked === "exact") return EXACT;
  const digits = asked ?? USUAL_DIGITS;
  let [magnitude, most, least] = [-Infinity, 0, Infinity];
  for (const text of column) {
    const [, , whole = "", fraction = "", power = ""] = (text === null ? null : NUMBER.exec(text)) ?? [];
    if (whole === "" || power !== "") continue;
    magnitude = Math.max(magnitude, magnitudeOf(whole, fraction));
    [most, least] = [Math.max(most, fraction.length), Math.min(least, fraction.length)];
  }
  const places = Math.max(digits - (magnitude === -Infinity ? 1 : magnitude), 0);
  if (asked !== undefined) return { places, digits };
  const isFew = most <= FEW_PLACES || (most === least && most <= FEW_EQUAL_PLACES);
  return { places: Math.max(places, LEAST_PLACES, isFew ? most : 0), digits };
}

/** The rule of a column whose numbers are labels, such as groups: as above, if all stay different. */
export function keyDigitsOf(column: readonly (string | null)[], asked: Digits): ColumnDigits {
  const rule = digitsOf(column, asked);
  const texts = new Set(column.filter((text) => text !== null));
  return new Set(Array.from(texts, (text) => rounded(text, rule))).size === texts.size ? rule : EXACT;
}

/**
 * The exact text of a number by the rule of its column, half to even; other text comes back as it is. What was rounded
 * ends in no zeros, which would promise digits that are not there.
 */
export function rounded(text: string, { places, digits }: ColumnDigits): string {
  const found = places === null ? null : NUMBER.exec(text);
  if (found === null || places === null) return text;
  const [, sign = "", whole = "", fraction = "", power = ""] = found;
  if (power !== "") return roundedTo(sign, whole, fraction, Math.max(digits - significant(whole).length, 0)) + power;
  const short = roundedTo(sign, whole, fraction, places);
  if (significant(short.replace(/[-.]/g, "")) !== "" || significant(whole + fraction) === "") return short;
  return roundedTo(sign, whole, fraction, digits - magnitudeOf(whole, fraction));
}

/** A value as a table shows it. What is shown is rounded where `rounded` gives another text than the exact one. */
export function displayCell(exact: string | null, { type, role, digits }: DigitsColumn): string {
  const isNumeric = type === "number" && exact !== null && isNumber(exact);
  if (!isNumeric) return clip(cell(exact, type, role !== "key"), CELL_WIDTH);
  return cell(rounded(exact, digits), type, role !== "key");
}

function significant(digits: string): string {
  return digits.replace(/^0+/, "");
}

/** How many digits stand before the point; of a number below one, the zeros behind it as a negative number. */
function magnitudeOf(whole: string, fraction: string): number {
  const before = significant(whole);
  if (before !== "") return before.length;
  const behind = significant(fraction);
  return behind === "" ? 1 : behind.length - fraction.length;
}

function roundedTo(sign: string, whole: string, fraction: string, places: number): string {
  if (fraction.length <= Math.max(places, 0)) return sign + whole + (fraction === "" ? "" : `.${fraction}`);
  const [kept, rest] = [whole + fraction.slice(0, places), fraction.slice(places)];
  const isHalf = rest.startsWith("5") && significant(rest.slice(1)) === "";
  const isUp = isHalf ? "13579".includes(kept.at(-1) ?? "") : rest >= "5";
  const made = isUp ? incremented(kept) : kept;
  const end = made.length - places;
  const behind = made.slice(end).replace(/0+$/, "");
  return sign + made.slice(0, end) + (behind === "" ? "" : `.${behind}`);
}

function incremented(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "9") end -= 1;
  const raised = end === 0 ? "1" : digits.slice(0, end - 1) + String(Number(digits[end - 1]) + 1);
  return raised + "0".repeat(digits.length - end);
}
