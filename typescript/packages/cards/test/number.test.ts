import { describe, expect, it } from "vitest";
import { compareParts, isNumber, type Odd, type Parts, partsOf, separated, tailOf } from "../src/number.js";
import { Random } from "./random.js";

/** A finite number as `numerator * 10^power`, by arithmetic alone. */
function rational(text: string): { numerator: bigint; power: number } {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text) ?? [];
  return { numerator: BigInt(`${sign}${whole}${fraction}`), power: Number(exponent) - fraction.length };
}

/** The same comparison by multiplying out, which is slow and obviously right. */
function compareByArithmetic(a: string, b: string): number {
  const [left, right] = [rational(a), rational(b)];
  const power = Math.min(left.power, right.power);
  const difference =
    left.numerator * 10n ** BigInt(left.power - power) - right.numerator * 10n ** BigInt(right.power - power);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function randomNumber(random: Random): string {
  const zeros = "0".repeat(random.pick([0, 0, 0, 1, 3]));
  const whole = zeros + random.digits(random.pick([1, 1, 2, 5, 20, 40]));
  const fraction = random.pick(["", "", `.${random.digits(random.pick([1, 3, 18]))}`, ".0", ".50"]);
  const exponent = random.pick(["", "", "", `e${String(random.below(40))}`, `E-${String(random.below(400))}`, "e+00"]);
  return random.pick(["", "-"]) + whole + fraction + exponent;
}

/** The same number in other digits. */
function rewritten(text: string, random: Random): string {
  const { numerator, power } = rational(text);
  const shift = random.below(30);
  return `${String(numerator * 10n ** BigInt(shift))}e${String(power - shift)}`;
}

function numberOf(text: string): Parts | Odd {
  const parts = partsOf(text);
  if (parts === null) throw new RangeError(`${text} is no number.`);
  return parts;
}

function compareNumbers(a: string, b: string): number {
  return compareParts(numberOf(a), numberOf(b));
}

const sign = (order: number): number => (order < 0 ? -1 : order > 0 ? 1 : 0);

describe("numbers compared by their texts", () => {
  it("agree with arithmetic on whole numbers of all lengths", () => {
    const random = new Random(20260107);
    for (let round = 0; round < 2_000; round += 1) {
      const [a, b] = [randomNumber(random), randomNumber(random)];
      expect(sign(compareNumbers(a, b)), `${a} and ${b}`).toBe(compareByArithmetic(a, b));
    }
  });

  it("tell numbers apart that differ in one digit only", () => {
    const random = new Random(7);
    for (let round = 0; round < 500; round += 1) {
      const digits = random.digits(1 + random.below(300));
      const at = random.below(digits.length);
      const other = digits.slice(0, at) + random.digits(1) + digits.slice(at + 1);
      const [a, b] = [`0.${digits}`, `0.${other}`];
      expect(sign(compareNumbers(a, b)), `${a} and ${b}`).toBe(compareByArithmetic(a, b));
    }
  });

  it("are equal however they are written", () => {
    const random = new Random(11);
    for (let round = 0; round < 500; round += 1) {
      const text = randomNumber(random);
      expect(compareNumbers(text, rewritten(text, random)), text).toBe(0);
    }
  });

  it("stand in one order, whichever is asked first", () => {
    const random = new Random(13);
    const texts = [...Array.from({ length: 60 }, () => randomNumber(random)), "NaN", "Infinity", "-Infinity"];
    const sorted = texts.toSorted(compareNumbers);
    sorted.forEach((a, index) => {
      for (const b of sorted.slice(index + 1)) {
        expect(compareNumbers(a, b)).toBeLessThanOrEqual(0);
        expect(sign(compareNumbers(b, a)) + sign(compareNumbers(a, b))).toBe(0);
      }
    });
  });

  it("have zeros of one value, and NaN above all", () => {
    expect(compareNumbers("-0.0", "0")).toBe(0);
    expect(compareNumbers("0e999", "-0.000")).toBe(0);
    const odd = ["-Infinity", "-1e400", "-0.0", "5e-324", "1e400", "Infinity", "NaN"];
    expect(odd.toReversed().toSorted(compareNumbers)).toEqual(odd);
    expect(compareNumbers("NaN", "NaN")).toBe(0);
  });

  it("are compared beyond what a float holds", () => {
    expect(compareNumbers("9007199254740993", "9007199254740992")).toBe(1);
    expect(compareNumbers("0.1", "0.1000000000000000055511151231257827")).toBe(-1);
    expect(compareNumbers(`1e${"9".repeat(300)}`, `1e${"9".repeat(299)}8`)).toBe(1);
    expect(compareNumbers(`-1e-${"9".repeat(300)}`, "0")).toBe(-1);
    expect(compareNumbers("9".repeat(4_000), `1${"0".repeat(4_000)}`)).toBe(-1);
    expect(compareNumbers(`1${"0".repeat(4_000)}`, "1e4000")).toBe(0);
  });

  it("are none where the text is none", () => {
    expect(partsOf("1,000")).toBeNull();
  });
});

describe("the grammar of numbers", () => {
  it.each(["0", "-0.0", "007", "1.50", "1e5", "1E-5", "1.5e+300", "NaN", "Infinity", "-Infinity", "9".repeat(4_000)])(
    "has %s",
    (text) => {
      expect(isNumber(text)).toBe(true);
    },
  );

  it.each(["", " 1", "1 ", "+1", ".5", "5.", "1e", "--1", "1,000", "0x10", "nan", "inf", "١", "1\n", "toString", "−1"])(
    "does not have %j",
    (text) => {
      expect(isNumber(text)).toBe(false);
    },
  );
});

describe("numbers as read", () => {
  it("have their thousands separated and keep every digit", () => {
    const random = new Random(17);
    for (let round = 0; round < 500; round += 1) {
      const text = randomNumber(random);
      const shown = separated(text);
      expect(shown.replaceAll(",", "")).toBe(text);
      expect(shown).toMatch(/^-?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?([eE][+-]?[0-9]+)?$/);
    }
  });

  it.each([
    ["336776", "336,776"],
    ["-1234567.8901", "-1,234,567.8901"],
    ["1000e10", "1,000e10"],
    ["999", "999"],
    ["NaN", "NaN"],
    ["n/a", "n/a"],
  ])("are shown as people read them: %s", (text, shown) => {
    expect(separated(text)).toBe(shown);
  });

  it.each([
    ["1,234.50", ".50"],
    ["12", ""],
    ["-3e-7", "e-7"],
    ["—", ""],
    ["Infinity", ""],
    ["some.text", ""],
  ])("have a tail from the point on: %s", (text, tail) => {
    expect(tailOf(text)).toBe(tail);
  });
});
