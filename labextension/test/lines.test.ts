import type { Field, Parameter } from "@service-nb/link";
import { describe, expect, it } from "vitest";
import { askLine, computeLine, fitsInLine, nameInLine } from "../src/lines.js";

function field(name: string, type: string): Field {
  return { name, type, physical: type, nullable: true, aliases: [] };
}

function parameter(name: string, example: string | null): Parameter {
  return { name, example, type: "float64", unit: "1", domain: null, about: "", symbol: null, shape: [], choices: [] };
}

describe("a name in a line", () => {
  it.each(["region", "Größe", "_x1", "日付", "sum"])("stands bare: %s", (name) => {
    expect(nameInLine(name)).toBe(name);
  });

  it.each([
    ["Order Year", "`Order Year`"],
    ["where", "`where`"],
    ["BY", "`BY`"],
    ["1st", "`1st`"],
    ["a`b", "`a``b`"],
    ["a.b", "`a.b`"],
    ["x; import os", "`x; import os`"],
    ["", "``"],
  ])("stands in backticks: %s", (name, written) => {
    expect(nameInLine(name)).toBe(written);
  });

  it.each(["a\nb", "a\rb", "\u2028", "a\u0000", ""])("fits no line: %j", (name) => {
    expect(fitsInLine(name)).toBe(false);
  });
});

describe("a question to begin with", () => {
  it("sums the first number of a source", () => {
    const source = { name: "my sales", fields: [field("region", "string"), field("revenue", "number")] };
    expect(askLine(source)).toBe("%service_ask sum revenue from `my sales`");
  });

  it("counts where there is no number, or none whose name is one line", () => {
    expect(askLine({ name: "s", fields: [field("a", "string")] })).toBe("%service_ask count from s");
    expect(askLine({ name: "s", fields: [field("a\nb", "number")] })).toBe("%service_ask count from s");
  });

  it("is open without a source", () => {
    expect(askLine()).toBe("%service_ask ");
  });
});

describe("a call to begin with", () => {
  it("takes the examples of the contract, and leaves a gap where there is none", () => {
    const params = [parameter("rate", "0.1"), parameter("cash flows", "[-1000, 300]"), parameter("x", null)];
    expect(computeLine({ name: "finance.npv", params, needs_seed: false })).toBe(
      "%service_compute finance.npv rate=0.1 `cash flows`=[-1000, 300] x=",
    );
  });

  it("has a seed where one is needed, once", () => {
    expect(computeLine({ name: "a.b", params: [], needs_seed: true })).toBe("%service_compute a.b seed=1");
    const params = [parameter("seed", "7")];
    expect(computeLine({ name: "a.b", params, needs_seed: true })).toBe("%service_compute a.b seed=7");
  });
});
