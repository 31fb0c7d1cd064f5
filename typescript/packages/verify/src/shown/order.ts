import { compareParts, partsOf, type Scalar } from "@service-nb/records";
import { scalarText } from "./words.js";

const DIGITS = /^-?[0-9]+(?:\.[0-9]+)?$/;
const DECIMAL = /^decimal\([0-9]{1,2},[0-9]{1,2}\)$/;
const TYPES: Readonly<Record<string, string>> = {
  int64: "number",
  float64: "number",
  string: "string",
  boolean: "boolean",
  date: "date",
  datetime: "datetime",
};

/** The type of a column that is held in a certain way, or undefined where nothing is held so. */
export function typeOfHeld(physical: string): string | undefined {
  if (DECIMAL.test(physical)) return "number";
  return Object.hasOwn(TYPES, physical) ? TYPES[physical] : undefined;
}

/** Whether a value of a result can stand in a column that is held in a certain way. */
export function isHeld(value: unknown, physical: string): boolean {
  if (value === null) return true;
  switch (physical) {
    case "boolean":
      return typeof value === "boolean";
    case "float64":
      return isBareNumber(value) || value === "NaN" || value === "Infinity" || value === "-Infinity";
    case "int64":
      return isBareNumber(value) ? Number.isInteger(Number(value)) : isDigits(value);
    default:
      return typeOfHeld(physical) === "number" ? isDigits(value) : typeof value === "string";
  }
}

function isBareNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function isDigits(value: unknown): boolean {
  return typeof value === "string" && DIGITS.test(value);
}

/** The exact text of a value of a result: its canonical JSON without quotes; null is null. */
export function exactText(value: unknown): string | null {
  return value === null ? null : scalarText(value as Scalar);
}

/** How two exact texts of a column stand to each other. Null stands after NaN and NaN after all else, in both orders. */
export function compareValues(one: string | null, other: string | null, type: string, sign: 1 | -1): number {
  const ranks = rankOf(one, type) - rankOf(other, type);
  if (ranks !== 0 || one === null || other === null) return ranks;
  if (type !== "number") return sign * compareTexts(one, other);
  const [a, b] = [partsOf(one), partsOf(other)];
  return a === null || b === null || rankOf(one, type) > 0 ? 0 : sign * compareParts(a, b);
}

function rankOf(text: string | null, type: string): number {
  return text === null ? 2 : type === "number" && text === "NaN" ? 1 : 0;
}

/** By code points, where JavaScript compares halves of surrogate pairs. Dates are in the order of their texts. */
export function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOfUnit(a) - rankOfUnit(b);
  }
  return one.length - other.length;
}

/** Halves of pairs stand for what comes after every character of one unit. */
function rankOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
