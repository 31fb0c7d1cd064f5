import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Digits, digitsIn, digitsOf, displayCell, EXACT, keyDigitsOf, rounded } from "../src/digits.js";

interface Case {
  readonly column: readonly (string | null)[];
  readonly digits: number | "exact" | null;
  readonly places: number | null;
  readonly shown: readonly (string | null)[];
}

const FILE = join(import.meta.dirname, "../../../../tests/vectors/digits.json");
const { cases } = JSON.parse(readFileSync(FILE, "utf-8")) as { cases: readonly Case[] };

describe("numbers rounded for reading", () => {
  it("are those that Python shows", () => {
    for (const { column, digits, places, shown } of cases) {
      const rule = digitsOf(column, digits ?? undefined);
      const made = column.map((text) => (text === null ? null : rounded(text, rule)));
      expect({ column, digits, places: rule.places, shown: made }).toEqual({ column, digits, places, shown });
    }
  });

  it("stand in a cell with separators; texts are never rounded, labels only where they stay different", () => {
    const digits = digitsOf(["21920.704845814978"], undefined);
    expect(displayCell("21920.704845814978", { type: "number", role: "metric", digits })).toBe("21,920.7");
    expect(displayCell("21920.704845814978", { type: "number", role: "key", digits })).toBe("21920.7");
    expect(keyDigitsOf(["0.3", "0.30000000000000004", null], undefined)).toEqual(EXACT);
    expect(keyDigitsOf(["12.1", "12.100000000000001", "12.2"], undefined)).toEqual(EXACT);
    expect(keyDigitsOf(["12.100000000000001", "12.2", "12.2"], undefined)).toEqual({ places: 4, digits: 6 });
    expect(displayCell("21920.704845814978", { type: "string", role: "metric", digits })).toBe("21920.704845814978");
    expect(displayCell(null, { type: "number", role: "metric", digits })).toBe("—");
  });

  it.each([
    [4, 4],
    ["exact", "exact"],
    [0, undefined],
    [18, undefined],
    [2.5, undefined],
    ["4", undefined],
    [null, undefined],
    [{}, undefined],
  ] as [unknown, Digits][])("%j asks for %j", (value, expected) => {
    expect(digitsIn(value)).toBe(expected);
  });
});
