/** Texts that became another number, or may be codes: by the rules of `service_nb/readers/changed_texts.py`. */

import { canonicalText, type ReadingNote } from "@service-nb/records";
import { splitDouble } from "../engine/exact.js";
import { type Column, type Nulls } from "../values/columns.js";
import { CHANGES, CODE } from "./rules.js";

const LEAST_NORMAL = 2 ** -1022;
const MOST_EXPONENTIAL = 100; // digits behind the first one that a double is written with at once
const NUMBER = /^(-?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$/;
const CODES = new RegExp(`^${CODE}$`);
const WHOLE_OR_CODE = new RegExp(`^(?:0|[1-9][0-9]*|${CODE})$`);

/** A text that became another number, and the number of its row, from 1. */
export interface Changed {
  readonly row: number;
  readonly text: string;
  readonly value: number;
}

/** Reads the text of a row that is not null. */
type ReadText = (row: number) => string;

/** Tells the place of a row, from 1, in words. */
export type TellPlace = (row: number) => string;

/** Whether the number of a text is another one than that of the double it was read as. */
export function isChanged(text: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const exact = normalize(text);
  if (exact === normalize(String(value))) return false;
  const digits = countDigits(text);
  if (digits <= MOST_EXPONENTIAL) return exact !== normalize(value.toExponential(Math.max(digits - 1, 0)));
  return exact !== normalize(writeDigits(value, digits));
}

/** A decimal number in one form: its digits without zeros around them, and the power of the last one. */
function normalize(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  return `${sign}${short}e${String(BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length))}`;
}

function countDigits(text: string): number {
  const [, , whole = "", fraction = ""] = NUMBER.exec(text) ?? [];
  return Math.max((whole + fraction).replace(/^0+/, "").length, 1);
}

/** A double with so many digits; of more than any has, it is written out in full. */
function writeDigits(value: number, digits: number): string {
  const { top, power } = splitDouble(value);
  const size = top < 0n ? -top : top;
  const full = String(power >= 0 ? size << BigInt(power) : size * 5n ** BigInt(-power));
  const last = Math.min(power, 0);
  const sign = top < 0n ? "-" : "";
  const rest = digits > CHANGES.most ? 0 : full.length - digits;
  if (rest <= 0) return `${sign}${full}e${String(last)}`;
  const unit = 10n ** BigInt(rest);
  return `${sign}${String((BigInt(full) + unit / 2n) / unit)}e${String(last + rest)}`;
}

/** Finds the texts of a column of doubles that became other numbers; `measure` tells of a row at most how long it is. */
export function findChanged(
  { values, nulls }: Column & { readonly kind: "float64" },
  measure: (row: number) => number,
  readText: ReadText,
): readonly Changed[] {
  const found: Changed[] = [];
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] ?? 0;
    if (measure(row) <= CHANGES.safe && Math.abs(value) >= LEAST_NORMAL) continue;
    if (nulls?.[row] === 1) continue;
    const text = readText(row);
    if (text.length <= CHANGES.safe && !/e/i.test(text)) continue;
    if (text !== String(value) && isChanged(text, value)) found.push({ row: row + 1, text, value });
  }
  return found;
}

/** The note on texts that became other numbers; `types` is a type that holds them all. */
export function noteRounded(
  name: string,
  changed: readonly Changed[],
  tell: TellPlace,
  types?: string,
): readonly ReadingNote[] {
  const [first] = changed;
  if (first === undefined) return [];
  const facts = {
    count: String(changed.length),
    first: shorten(first.text),
    place: tell(first.row),
    read: writeDouble(first.value),
  };
  return [{ kind: "rounded", columns: [name], facts: types === undefined ? facts : { ...facts, types } }];
}

/** Notes whole numbers with an exponent where they may be codes: beside other digits for the same, or none but such. */
export function noteSpellings(
  name: string,
  { values, nulls }: { readonly values: Float64Array; readonly nulls: Nulls },
  readText: ReadText,
  tell: TellPlace,
): readonly ReadingNote[] {
  const texts = Array.from(values, (_, row) => (nulls?.[row] === 1 ? null : readText(row)));
  const hasExponent = texts.map((text) => text !== null && /e/i.test(text));
  const areWhole = texts.every((text) => text === null || WHOLE_OR_CODE.test(text));
  let met = texts.map((text) => text !== null && CODES.test(text));
  if (!areWhole || !met.includes(true)) {
    const spelt = new Map<number, Set<string>>();
    for (const [row, has] of hasExponent.entries()) if (has) spelt.set(values[row] ?? 0, new Set());
    for (const [row, text] of texts.entries()) if (text !== null) spelt.get(values[row] ?? 0)?.add(text);
    met = hasExponent.map((has, row) => has && (spelt.get(values[row] ?? 0)?.size ?? 0) > 1);
  }
  const first = met.indexOf(true);
  if (first < 0) return [];
  const facts = {
    count: String(met.filter(Boolean).length),
    first: shorten(texts[first] ?? ""),
    place: tell(first + 1),
    read: writeDouble(values[first] ?? 0),
    types: "string",
  };
  return [{ kind: "spelling", columns: [name], facts }];
}

function writeDouble(value: number): string {
  return canonicalText(value);
}

function shorten(text: string): string {
  const chars = Array.from(text);
  return chars.length <= CHANGES.shown ? text : `${chars.slice(0, CHANGES.shown - 1).join("")}…`;
}
