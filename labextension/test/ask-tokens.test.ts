import { describe, expect, it } from "vitest";
import { askTokens, cellQuestionStart, questionStart } from "../src/ask-tokens.js";

/** The words of a question by kind: `kind:text`. */
function read(question: string): string[] {
  return askTokens(question).map(({ from, to, kind }) => `${kind}:${question.slice(from, to)}`);
}

/** The words that a question has of one kind. */
function of(kind: string, question: string): string[] {
  return read(question)
    .filter((each) => each.startsWith(`${kind}:`))
    .map((each) => each.slice(kind.length + 1));
}

const LONG =
  " sum revenue, avg `unit price` by month of order_date, amount in bins of 10 from sales" +
  " where (region = 'Nor''th' or year >= $year) and not sum is null having count > 1e3 order by revenue desc limit 5 --as x";

describe("a question's parts", () => {
  it("are aggregations where a measure begins, and names elsewhere", () => {
    expect(of("aggregation", LONG)).toEqual(["sum", "avg", "count"]);
    expect(of("name", LONG)).toEqual(
      "revenue|`unit price`|order_date|amount|sales|region|year|sum|revenue|x".split("|"),
    );
  });

  it("are words of the language, each where it is one", () => {
    expect(of("keyword", LONG).join(" ")).toBe(
      "by month of in bins of from where or and not is null having order by desc limit",
    );
    expect(of("keyword", " count month by month, having from s where x starts with 'a'")).toEqual([
      "by",
      "from",
      "where",
      "starts with",
    ]);
  });

  it("are strings, numbers, variables and options", () => {
    expect(of("string", LONG)).toEqual(["'Nor''th'"]);
    expect(of("number", LONG)).toEqual(["10", "1e3", "5"]);
    expect(of("variable", LONG)).toEqual(["$year"]);
    expect(of("option", LONG)).toEqual(["--as"]);
    expect(of("number", " sum x from s where d between 2024-01-31 and -1.5")).toEqual(["2024-01-31", "-1.5"]);
  });

  it("hold while they are typed, whatever is typed", () => {
    expect(read(" sum `unit pr")).toEqual(["aggregation:sum", "name:`unit pr"]);
    expect(read(" sum x from s where a = 'Nor # by")).toContain("string:'Nor # by");
    expect(read(" sum x from s # by hand")).toContain("remark:# by hand");
    expect(read(" ((((;;;===\u0000")).toEqual([]);
    expect(read("")).toEqual([]);
  });

  it("cost as much as a question is long", () => {
    for (const text of ["'".repeat(9_999), "`".repeat(9_999), "1.".repeat(5_000), "a ".repeat(5_000)]) {
      expect(askTokens(text).at(-1)?.to).toBeGreaterThan(0);
    }
  });
});

describe("a line that asks", () => {
  it.each(["%service_ask sum x", "  %service_explain sum x", "total = %service_ask sum x", "x=%service_ask"])(
    "%s",
    (line) => {
      expect(line.slice(0, questionStart(line))).toMatch(/%service_(?:ask|explain)$/);
    },
  );

  it.each([
    "print('%service_ask sum x')",
    "# %service_ask",
    "%service_asking",
    "%%service_ask",
    "a.b = %service_ask x",
    "%sql from",
  ])("is none: %s", (line) => {
    expect(questionStart(line)).toBe(-1);
  });

  it("is a cell where its first line says so", () => {
    expect(cellQuestionStart("%%service_ask --as x")).toBe("%%service_ask".length);
    expect(cellQuestionStart(" %%service_ask")).toBe(-1);
  });
});
