// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { cellText, INSERT_EVENT, isRunnable, lineOf } from "../src/insert.js";
import { linesIn } from "../src/lines-in.js";

describe("a line that an output wants to be a cell", () => {
  it.each([
    "%service_ask sum revenue by region from sales",
    "%service_compute finance.npv rate=0.1 cashflows=[-1000, 300]",
    "%service_panel",
    "%%service_ask --as x\nsum revenue\n\tfrom sales",
  ])("becomes one: %j", (line) => {
    expect(cellText(line)).toEqual({ text: line });
  });

  it("loses the space at its end", () => {
    expect(cellText("%service_panel  \n")).toEqual({ text: "%service_panel" });
  });

  it.each([
    ["", "not_ours"],
    ["import os", "not_ours"],
    [" %service_ask x", "not_ours"],
    ["%service_", "not_ours"],
    ["%%%service_ask", "not_ours"],
    ["%serviceask", "not_ours"],
    ["%system rm", "not_ours"],
    ["!ls\n%service_ask", "not_ours"],
    ["%SERVICE_ask x", "not_ours"],
    ["%service_ask x\nimport os", "odd_characters"],
    ["%service_ask x\rimport os", "odd_characters"],
    ["%service_ask x\u2028import os", "odd_characters"],
    ["%service_ask x\u0085y", "odd_characters"],
    ["%service_ask x\ty", "odd_characters"],
    ["%%service_ask\nx\u0000", "odd_characters"],
    [`%service_ask ${"x".repeat(100_001)}`, "too_long"],
    [null, "not_text"],
    [{ toString: () => "%service_ask x" }, "not_text"],
    [["%service_ask x"], "not_text"],
  ])("stays out: %j", (line, refusal) => {
    expect(cellText(line)).toEqual({ refusal });
  });
});

describe("the event of a panel", () => {
  it("carries its line", () => {
    expect(lineOf(new CustomEvent(INSERT_EVENT, { detail: { line: "%service_panel" } }))).toBe("%service_panel");
  });

  it.each([undefined, null, 7, "line", {}])("may carry none: %j", (detail) => {
    expect(lineOf(new CustomEvent(INSERT_EVENT, { detail }))).toBeUndefined();
    expect(lineOf(new Event(INSERT_EVENT))).toBeUndefined();
  });
});

describe("a line with a button", () => {
  it.each(["%service_ask sum revenue from sales", "%service_login", '%service_connect sales "my data.csv"'])(
    "runs: %j",
    (line) => {
      expect(isRunnable(line)).toBe(true);
    },
  );

  it.each([
    "!ls",
    "%%service_ask\nx",
    "%service_forget sales",
    "%service_disconnect sales",
    "%service_ask x\n!ls",
    "%pip x",
  ])("does not run: %j", (line) => {
    expect(isRunnable(line)).toBe(false);
  });

  it("is read from any value, and what has another shape is left out", () => {
    const lines = linesIn({
      says: 7,
      title: "Run",
      lines: [{ line: "%service_help", note: "Begin" }, "x", { line: 3 }],
    });
    expect(lines).toEqual({ says: "", title: "Run", more: "", lines: [{ line: "%service_help", note: "Begin" }] });
    expect(linesIn(null).lines).toEqual([]);
    expect(linesIn({ lines: Array.from({ length: 999 }, () => ({ line: "%service_help" })) }).lines).toHaveLength(20);
  });
});
