/**
 * Numbers by their exact texts: compared digit by digit, never by way of a float.
 *
 * A number is an optional minus sign, digits, an optional fraction and an optional exponent, or one of NaN, Infinity and
 * -Infinity. Both the digits and the exponent may be as long as they like.
 */

const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const ODD: Readonly<Record<string, number>> = { "-Infinity": -1, Infinity: 1, NaN: 2 };

/** A number taken apart: `sign * 0.digits * 10^exponent`, where digits neither begin nor end with a zero. */
export interface Parts {
  readonly kind: "finite";
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: bigint;
}

/** A number that no finite one reaches; NaN has the highest rank, as in the order that data bases use. */
export interface Odd {
  readonly kind: "odd";
  readonly rank: number;
}

const ZERO: Parts = { kind: "finite", sign: 0, digits: "", exponent: 0n };

/** Whether the text is the exact text of a number, NaN and the infinities included. */
export function isNumber(text: string): boolean {
  return Object.hasOwn(ODD, text) || NUMBER.test(text);
}

/** The parts of a number, or null where the text is none. */
export function partsOf(text: string): Parts | Odd | null {
  if (Object.hasOwn(ODD, text)) return { kind: "odd", rank: ODD[text] ?? 0 };
  const found = NUMBER.exec(text);
  if (found === null) return null;
  const [, minus = "", whole = "", fraction = "", power = "0"] = found;
  const all = whole + fraction;
  const leading = lengthOf(/^0*/, all);
  if (leading === all.length) return ZERO;
  return {
    kind: "finite",
    sign: minus === "-" ? -1 : 1,
    digits: withoutZerosBehind(all.slice(leading)),
    exponent: BigInt(power.replace("+", "")) + BigInt(whole.length - leading),
  };
}

/** Less than, equal to or greater than zero, as `a` is to `b`. Zeros are equal whatever their sign, NaN to itself. */
export function compareParts(a: Parts | Odd, b: Parts | Odd): number {
  if (a.kind === "odd" || b.kind === "odd") return rankOf(a) - rankOf(b);
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -a.sign : a.sign;
  // Neither begins with a zero, so that the first digit that differs decides, and a longer one is greater.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.sign : a.sign;
}

function rankOf(number: Parts | Odd): number {
  return number.kind === "odd" ? number.rank : 0;
}

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}

/** By a loop: the pattern `0+$` takes time with the square of the length. */
function withoutZerosBehind(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
