/**
 * Literals in their declared types. What a value means is never guessed; what would lose digits is refused.
 *
 * float64: finite numbers; a bigint that a double holds exactly. int: whole numbers of up to 4,300 digits, beyond
 * 2**53 - 1 as bigint or text. bool, string: themselves. Arrays: arrays and typed arrays of the same items.
 */

import { describeValue, writeCount } from "../query/text.js";
import { RealNumber } from "../query/values.js";
import { countChars } from "../values/order.js";
import { type Parameter, type Scalar } from "./contract.js";
import { type Value } from "./executor.js";

/** Items from which on an array of doubles goes to a runtime as an array of its own, not as a list. */
export const LONG = 1_000;
const MOST_ITEMS = 50_000_000;
const MOST_CHARS = 1_000_000;
const MOST_DIGITS = 4_300;
const MOST_BITS = Math.trunc(MOST_DIGITS * Math.log2(10));
const WHOLE = /^-?[0-9]+$/;

const EXPECTED: Readonly<Record<Scalar, string>> = {
  float64: "a finite number that a float64 holds exactly",
  int: `a whole number of at most ${writeCount(MOST_DIGITS)} digits`,
  bool: "true or false",
  string: `text of at most ${writeCount(MOST_CHARS)} characters`,
};

/** A value does not have the declared type: what was met, what was expected, and at which item. */
export class Misfit {
  readonly met: string;
  readonly expected: string;
  readonly index: number | undefined;

  constructor(met: string, expected: string, index?: number) {
    this.met = met;
    this.expected = expected;
    this.index = index;
  }
}

export type Convert = (value: unknown) => Value | Misfit;

/** Builds the function that converts a literal to the parameter's type, or returns why it does not have it. */
export function buildConverter({ scalar, shape }: Parameter): Convert {
  if (shape.length === 0) return ITEMS[scalar];
  const vector = scalar === "float64" ? convertDoubles : buildVectorConverter(ITEMS[scalar]);
  return shape.length === 1 ? vector : buildVectorConverter(vector);
}

function convertDouble(value: unknown): number | Misfit {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : misfit(value, "float64");
  if (value instanceof RealNumber) return convertDouble(value.value);
  if (typeof value !== "bigint") return misfit(value, "float64");
  const double = Number(value);
  if (!Number.isFinite(double)) return new Misfit("a number beyond the range of float64", EXPECTED.float64);
  if (BigInt(double) === value) return double;
  return new Misfit(`${describeValue(value)}, which no float64 holds exactly`, EXPECTED.float64);
}

function convertInt(value: unknown): bigint | Misfit {
  if (value instanceof RealNumber) return convertInt(value.value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : misfit(value, "int");
  if (typeof value === "bigint") {
    const bits = (value < 0n ? -value : value).toString(2).length;
    return bits > MOST_BITS ? new Misfit(`a number of ${writeCount(bits)} bits`, EXPECTED.int) : value;
  }
  if (typeof value !== "string") return misfit(value, "int");
  if (value.length > MOST_DIGITS)
    return new Misfit(`text of ${writeCount(countChars(value))} characters`, EXPECTED.int);
  return WHOLE.test(value)
    ? BigInt(value.replace(/^-/, "")) * (value.startsWith("-") ? -1n : 1n)
    : misfit(value, "int");
}

function convertBool(value: unknown): boolean | Misfit {
  return typeof value === "boolean" ? value : misfit(value, "bool");
}

function convertString(value: unknown): string | Misfit {
  if (typeof value !== "string") return misfit(value, "string");
  const chars = value.length > MOST_CHARS ? countChars(value) : 0;
  if (chars > MOST_CHARS) return new Misfit(`text of ${writeCount(chars)} characters`, EXPECTED.string);
  return value.isWellFormed() ? value : new Misfit("text with a lone surrogate", "text that can be encoded");
}

/** Converts one value of each scalar type. */
export const ITEMS: Readonly<Record<Scalar, Convert>> = {
  float64: convertDouble,
  int: convertInt,
  bool: convertBool,
  string: convertString,
};

function misfit(value: unknown, scalar: Scalar): Misfit {
  return new Misfit(describeValue(value), EXPECTED[scalar]);
}

type TypedArray = Float64Array | Float32Array | Int32Array | BigInt64Array | Uint8Array;

/** The items of an array, or why it is none that is taken. */
function readItems(value: unknown): readonly unknown[] | TypedArray | Misfit {
  const isTyped = ArrayBuffer.isView(value) && !(value instanceof DataView);
  if (!Array.isArray(value) && !isTyped) return new Misfit(describeValue(value), "a list");
  const items = value as readonly unknown[] | TypedArray;
  if (items.length <= MOST_ITEMS) return items;
  return new Misfit(`${writeCount(items.length)} items`, `at most ${writeCount(MOST_ITEMS)} items`);
}

function convertDoubles(value: unknown): Float64Array | Misfit {
  const items = readItems(value);
  if (items instanceof Misfit) return items;
  const doubles = new Float64Array(items.length);
  for (let at = 0; at < items.length; at += 1) {
    const double = convertDouble(items[at]);
    if (double instanceof Misfit) return new Misfit(double.met, double.expected, at);
    doubles[at] = double;
  }
  return doubles;
}

function buildVectorConverter(item: Convert): Convert {
  return (value) => {
    const items = readItems(value);
    return items instanceof Misfit ? items : convertEach(item, items);
  };
}

/** Converts every item; a misfit has the index of the one that failed. */
export function convertEach(item: Convert, items: ArrayLike<unknown>): readonly Value[] | Misfit {
  const converted: Value[] = [];
  for (let at = 0; at < items.length; at += 1) {
    const one = item(items[at]);
    if (one instanceof Misfit) return new Misfit(one.met, one.expected, at);
    converted.push(one);
  }
  return converted;
}
