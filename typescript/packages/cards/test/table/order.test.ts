import { describe, expect, it } from "vitest";
import { compareParts, partsOf } from "../../src/number.js";
import { filterRows } from "../../src/table/filter.js";
import type { Table } from "../../src/blocks.js";
import { compareTexts, type Direction, nextDirection, Ordering } from "../../src/table/order.js";
import { Blanks } from "../../src/table/pad.js";
import { heldRows } from "../../src/table/rows.js";
import { Random } from "../random.js";
import { CARRIERS, SAY, tableOf } from "./tables.js";

const numbers = (texts: readonly (string | null)[]): ReturnType<typeof tableOf> =>
  tableOf(
    [["n", "number", "metric"]],
    texts.map((text) => [text]),
  );

const orderBy = (table: Table, column: number, direction: Direction): number[] =>
  Array.from(new Ordering(heldRows(table)).by(column, table.heads[column]?.type === "number", direction));

function blanksOf(table: Table, column: number): string[] {
  const blanks = new Blanks();
  const texts = table.rows.map((row) => row[column] ?? "");
  for (const text of texts) blanks.note(text);
  return texts.map((text) => blanks.of(text));
}

describe("the order of rows", () => {
  it("is by exact number, with NaN above all and nulls last in both directions", () => {
    expect(orderBy(CARRIERS, 1, "ascending")).toEqual([4, 2, 0, 1, 5, 6, 3]);
    expect(orderBy(CARRIERS, 1, "descending")).toEqual([6, 5, 1, 0, 2, 4, 3]);
    expect(orderBy(CARRIERS, 1, "none")).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("tells numbers apart that are one float", () => {
    expect(orderBy(numbers(["9007199254740993", "9007199254740992", "9007199254740991.5"]), 0, "ascending")).toEqual([
      2, 1, 0,
    ]);
  });

  it("is that of the exact numbers for any that their doubles confuse", () => {
    const random = new Random(7);
    const texts = Array.from({ length: 400 }, () => {
      const digits = Array.from({ length: 17 }, () => String(random.below(10))).join("");
      return `${random.pick(["", "-"])}9007199254740${digits.slice(0, 3)}${random.pick(["", ".", "e2", "e310", "e-340"])}`.replace(
        /\.$/,
        `.${digits}`,
      );
    });
    const sorted = orderBy(numbers(texts), 0, "ascending").map((row) => partsOf(texts[row] ?? ""));
    for (const [at, parts] of sorted.slice(1).entries()) {
      const before = sorted[at];
      if (parts === null || before === null || before === undefined) throw new Error("a number was lost");
      expect(compareParts(before, parts)).toBeLessThanOrEqual(0);
    }
  });

  it("leaves equals as they were answered, in both directions", () => {
    const table = numbers(["1.0", "1", "1e0", "-0", "0"]);
    expect(orderBy(table, 0, "ascending")).toEqual([3, 4, 0, 1, 2]);
    expect(orderBy(table, 0, "descending")).toEqual([0, 1, 2, 3, 4]);
  });

  it("puts what is no number behind the numbers of its column", () => {
    expect(orderBy(numbers(["n/a", "2", null, "1"]), 0, "ascending")).toEqual([3, 1, 0, 2]);
  });

  it("of texts is that of their code points", () => {
    const random = new Random(3);
    const letters = ["a", "B", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "😀", ""];
    const points = (text: string): number[] => Array.from(text, (char) => char.codePointAt(0) ?? 0);
    for (let round = 0; round < 500; round += 1) {
      const [a, b] = [0, 1].map(() => random.pick(letters) + random.pick(letters) + random.pick(letters)) as [
        string,
        string,
      ];
      const [left, right] = [points(a), points(b)];
      const at = left.findIndex((point, index) => point !== right[index]);
      const expected = at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
      expect(Math.sign(compareTexts(a, b)), JSON.stringify([a, b])).toBe(Math.sign(expected));
    }
  });

  it("goes up, down, and back to the answer", () => {
    expect([nextDirection("none"), nextDirection("ascending"), nextDirection("descending")]).toEqual([
      "ascending",
      "descending",
      "none",
    ]);
  });
});

function marked(table: Table, text: string, column: number | null): number[] | string {
  const found = filterRows(table.heads, heldRows(table), text, column, SAY.say);
  return found.kind === "rows" ? Array.from(found.rows.entries()).flatMap(([row, is]) => (is ? [row] : [])) : found.why;
}

describe("a filter", () => {
  const rows = (text: string, column: number | null = null): number[] | string => {
    return marked(CARRIERS, text, column);
  };

  it("finds a part of a text in any case, and digits with separators and without", () => {
    expect(rows("JET")).toEqual([1, 2]);
    expect(rows("511,194")).toEqual([1]);
    expect(rows("511194")).toEqual([1]);
    expect(rows("—")).toEqual([3]);
    expect(rows("jet", 1)).toEqual([]);
    expect(rows(".*")).toEqual([]);
  });

  it("compares numbers exactly", () => {
    expect(rows("> 511,194.4999999999999999", 1)).toEqual([1, 5]);
    expect(rows("> 511194.5", 1)).toEqual([5]);
    expect(rows(">= 511194.50", 1)).toEqual([1, 5]);
    expect(rows("<= -7041.0", 1)).toEqual([4]);
    expect(rows("<0", 1)).toEqual([4]);
    expect(rows("= 0", 1)).toEqual([2]);
    expect(rows("≥ 1e300", 1)).toEqual([5]);
    expect(rows("> 9.99e299", 1)).toEqual([5]);
    expect(rows("< .5", 1)).toEqual([2, 4]);
    expect(rows("> −7042", 1)).toEqual([0, 1, 2, 4, 5]);
  });

  it("meets NaN by equality only, and null never", () => {
    expect(rows("= NaN", 1)).toEqual([6]);
    expect(rows("!= 0", 1)).toEqual([0, 1, 4, 5, 6]);
    expect(rows("> -Infinity", 1)).toEqual([0, 1, 2, 4, 5]);
    expect(rows("<= NaN", 1)).toEqual([]);
  });

  it("in any column looks at each column of numbers", () => {
    expect(rows("= 714")).toEqual([4]);
    expect(rows("> 60,000")).toEqual([0, 1, 5]);
  });

  it("takes signs in quotes for text", () => {
    const table = tableOf([["name", "string", "key"]], [["> 5"], ["5"]]);
    expect(marked(table, '"> 5"', null)).toEqual([0]);
  });

  it.each([
    ["> abc", /“abc” is not a number/],
    ["> 1,00", /“1,00” is not a number/],
    [">", /after > comes a number, as in > 100/],
    ["!= ", /after != comes a number/],
    ["> 1 2", /“1 2” is not a number/],
  ])("that is none says so in words: %s", (text, why) => {
    expect(rows(text)).toMatch(why);
  });

  it("of numbers is refused where there are none", () => {
    expect(rows("> 1", 0)).toMatch(/> compares numbers, and there are none here/);
  });

  it("keeps the signs of a hostile operand as they are", () => {
    expect(rows("> $& %1 <b>")).toContain("“$& %1 <b>” is not a number");
  });
});

describe("the blank behind numbers", () => {
  it("puts the points below each other, a point's width for a point", () => {
    const [point, digit] = [" service-blank-point service-blank-2", " service-blank-1"];
    expect(blanksOf(numbers(["1.25", "1", "1000.5", null, "1e5"]), 0)).toEqual(["", point, digit, point, digit]);
  });

  it("is none where no number has a fraction", () => {
    expect(blanksOf(numbers(["1", "1000", "NaN"]), 0)).toEqual(["", "", ""]);
  });

  it("does not follow a tail of hundreds of digits", () => {
    const texts = [`0.${"3".repeat(300)}`, "0.5", "1"];
    expect(blanksOf(numbers(texts), 0)).toEqual(["", "", " service-blank-point service-blank-1"]);
  });
});
