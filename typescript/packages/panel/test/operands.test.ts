import { describe, expect, it } from "vitest";
import { argumentText, columnText, typedExample } from "../src/argument.js";
import { operand } from "../src/operands.js";

describe("an operand", () => {
  it.each([
    ["10.50", 10.5],
    ["1e3", 1000],
    ["-0.1", -0.1],
    ["9007199254740993", "9007199254740993"],
    ["0.1234567890123456789", "0.1234567890123456789"],
    ["1e400", "1e400"],
    ["123456789012345680000", 123456789012345680000],
  ])("of a number column, %s, is %s: never another number", (text, value) => {
    expect(operand(text, "number")).toEqual({ value });
  });

  it.each(["", "1,5", "0x10", "Infinity", "NaN", "1 2", "١"])("of a number column is not %j", (text) => {
    expect(operand(text, "number")).toHaveProperty("misfit");
  });

  it("of a text column is the text, blanks and all", () => {
    expect(operand(" a ", "string")).toEqual({ value: " a " });
  });
});

describe("an argument", () => {
  const number = (rank: number) => ({ scalar: "number", rank }) as const;

  it.each([
    ["-1000, 300\n420", 1, "[-1000, 300, 420]"],
    ["[1, 2]", 1, "[1, 2]"],
    ["1  2,\n3; 4\n", 1, "[1, 2, 3, 4]"],
    ["sales.revenue", 1, "sales.revenue"],
    ["$x", 1, "$x"],
    ["1 2\n3 4", 2, "[[1, 2], [3, 4]]"],
    ["[[1, 2],\n [3, 4]]", 2, "[[1, 2], [3, 4]]"],
    ["  0.10 ", 0, "0.10"],
  ])("typed as %j with rank %i is %s", (typed, rank, text) => {
    expect(argumentText(typed, number(rank))).toBe(text);
  });

  it.each(["1,,3", "1\t\t3", "1\n\n3"])("keeps the place of an empty cell, for the kernel to refuse: %j", (typed) => {
    expect(argumentText(typed, number(1))).toBe("[1, , 3]");
  });

  it("that is a text stands in quotes, whatever it holds", () => {
    expect(argumentText("it's", { scalar: "string", rank: 0 })).toBe("'it''s'");
  });

  it("is typed by its example", () => {
    expect(argumentText(typedExample("[[1, 2], [3, 4]]", number(2)), number(2))).toBe("[[1, 2], [3, 4]]");
    expect(typedExample("'it''s'", { scalar: "string", rank: 0 })).toBe("it's");
  });

  it("names a column that is no bare word in backticks", () => {
    expect(columnText("my data", "a`b")).toBe("`my data`.`a``b`");
  });
});
