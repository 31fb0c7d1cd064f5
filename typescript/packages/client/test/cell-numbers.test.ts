import { expect, test } from "vitest";
import { NumberScanner } from "../src/readers/cell-numbers.js";
import { Cells, listUnits } from "../src/readers/cells.js";

const ENCODER = new TextEncoder();
const TIES = [
  ...["9007199254740993", "9007199254740995", "18014398509481986", "18014398509481990", "9007199254740993.000"],
  ...["4503599627370496.5", "4503599627370497.5", "1125899906842624.125", "1125899906842624.375", "0.5", "0.25"],
  ...["9223372036854775807", "9999999999999999999", "1000000000000000000", "0.0000001234567890123", "-0", "-0.0"],
  ...["2.2250738585072014", "0.1000000000000000055", "0.30000000000000004", "123456789012345.6785", ".5", "5.", "0"],
];

function* drawTexts(count: number): Generator<string> {
  let state = 20261123n;
  const draw = (below: number): number => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & (2n ** 64n - 1n);
    return Number((state >> 33n) % BigInt(below));
  };
  for (let at = 0; at < count; at += 1) {
    const digits = Array.from({ length: 1 + draw(19) }, () => String(draw(10))).join("");
    const point = draw(digits.length + 1);
    const whole = digits.slice(0, point).replace(/^0+(?=[0-9])/, "");
    const fraction = digits.slice(point);
    yield `${draw(2) === 0 ? "" : "-"}${whole}${fraction === "" ? "" : `.${"0".repeat(digits.length < 14 ? draw(6) : 0)}${fraction}`}`;
  }
}

test("the shortcut gives the double of JavaScript's own conversion, or leaves it to that", () => {
  let [found, left] = [0, 0];
  for (const text of [...TIES, ...drawTexts(100_000)]) {
    const units = ENCODER.encode(text);
    const scanner = new NumberScanner(units);
    const held = scanner.read(0, units.length);
    expect(held, text).toBe("number");
    const value = scanner.findDouble();
    if (value === undefined) left += 1;
    else if (!Object.is(value, Number(text))) expect.fail(`${text}: ${String(value)}`);
    else found += 1;
  }
  expect(found).toBeGreaterThan(99_000);
  expect(left).toBeGreaterThan(0); // the ties
});

test.each([
  "",
  '""',
  "-",
  ".",
  "-.",
  "01",
  "00.5",
  "1e5",
  "1.2.3",
  "+1",
  " 1",
  "1 ",
  "NaN",
  "١",
  "12345678901234567890",
])("%j is no plain number", (text) => {
  const units = ENCODER.encode(text);
  expect(new NumberScanner(units).read(0, units.length)).toBe(text === "" || text === '""' ? "nothing" : "other");
});

test.each([
  ["\ufb01,\u0301\n1,2\n", undefined], // begins with a byte of the mark of UTF-8, and has as many units as bytes behind three
  ["a,b\n1,2\n", new Uint8Array([0xef, 0xbb, 0xbf])],
])("units are those of the text of %j", (text, mark) => {
  const utf8 = new Uint8Array([...(mark ?? []), ...ENCODER.encode(text)]);
  const cells = new Cells(text, listUnits(text, utf8), ",".charCodeAt(0));
  expect(cells.readHeader().names).toEqual(text.split("\n")[0]?.split(","));
  expect(cells.scanRows()).toBeUndefined();
  expect([cells.readText(0, 0), cells.readText(0, 1)]).toEqual(["1", "2"]);
});
