import { describe, expect, it } from "vitest";
import { readComputeLine } from "../src/command/compute-line.js";
import { quoteWord } from "../src/command/console.js";
import { readVariables } from "../src/command/reading.js";

describe("a compute line", () => {
  it("becomes a spec: literals, columns, a seed", () => {
    const line =
      "a.b x=-0.5 n=12345678901234567890 list=[1, [2.5, -3]] word='it''s' on=true v=sales.`net price` seed=7";
    expect(readComputeLine(line, "drop")).toEqual({
      module: "a",
      function: "b",
      kwargs: { x: -0.5, n: 12345678901234567890n, list: [1, [2.5, -3]], word: "it's", on: true },
      bindings: [{ parameter: "v", source: "sales", field: "net price", nullPolicy: "drop" }],
      seed: 7,
    });
  });

  it.each([
    "",
    "npv",
    "a.b x",
    "a.b x=",
    "a.b x=1 x=2",
    "a.b x=[1,",
    "a.b x=nope",
    "a.b __proto__=[1",
    "a.b x=1 where y = 2",
    `a.b ${"[".repeat(100_000)}`,
  ])("%s is refused, with the column", (line) => {
    expect(() => readComputeLine(line, undefined)).toThrow(expect.objectContaining({ code: "invalid_intent" }));
  });

  it("names no prototype", () => {
    const { kwargs } = readComputeLine("a.b __proto__=1 constructor=2", undefined);
    expect(Object.keys(kwargs ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});

describe("words of a shell", () => {
  it.each([
    ["sales.csv", "sales.csv"],
    ["my sales.csv", '"my sales.csv"'],
    ["a'b", `'a'"'"'b'`],
    ["$(rm x)", "'$(rm x)'"],
    ["", "''"],
  ])("%s is quoted as Python's command does", (text, quoted) => {
    expect(quoteWord(text)).toBe(quoted);
  });

  it("reads variables as an ask line reads values", () => {
    expect(readVariables(["year=2024", "name=North", "years=(1, 2)"])).toMatchObject({ year: 2024, name: "North" });
    expect(() => readVariables(["x=1", "x=2"])).toThrow(expect.objectContaining({ code: "invalid_intent" }));
  });
});
