import { describe, expect, test } from "vitest";
import { ServiceError } from "../src/errors.js";
import { checkOptions, DEFAULT_LIMITS, type ReadingOptions } from "../src/readers/options.js";
import { findFormat, readBytes, readObjects } from "../src/readers/read.js";
import { type Table } from "../src/values/columns.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const readCsv = (text: string, given: ReadingOptions = {}): Table =>
  readBytes(encode(text), "csv", given, checkOptions(given, DEFAULT_LIMITS)).table;
const readJson = (text: string): Table => readBytes(encode(text), "json", {}, checkOptions({}, DEFAULT_LIMITS)).table;
const readOwn = (source: unknown): Table => readObjects(source, {}, checkOptions({}, DEFAULT_LIMITS)).table;
const typesOf = (table: Table): string[] => table.fields.map(({ name, physical }) => `${name} ${physical}`);

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return "nothing thrown";
}

test("columns have the narrowest type that all of their texts fit", () => {
  const table = readCsv(
    "zip,price,when,ok,big\n007,1.50,2024-01-31,true,1\n42,2.25,2024-02-01 10:00,FALSE,99999999999999999999\n",
  );
  expect(typesOf(table)).toEqual([
    "zip string",
    "price decimal(18,2)",
    "when datetime",
    "ok boolean",
    "big decimal(38,0)",
  ]);
});

test("a document keeps the order of its keys, and which numbers were written whole", () => {
  expect(typesOf(readJson('[{"b": 1, "1": 1.0, "a": 12345678901234567890}]'))).toEqual([
    "b int64",
    "1 float64",
    "a decimal(38,0)",
  ]);
});

describe("hostile input", () => {
  test("keys of prototypes are columns like any other, and change nothing", () => {
    const table = readJson('[{"__proto__": {"polluted": 1}, "constructor": 2, "toString": "x"}]');
    expect(table.fields.map(({ name }) => name)).toEqual(["__proto__", "constructor", "toString"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(typesOf(readCsv("__proto__,hasOwnProperty\n1,2\n", { types: { hasOwnProperty: "float64" } }))).toEqual([
      "__proto__ int64",
      "hasOwnProperty float64",
    ]);
  });

  test("cycles and values that are no data are refused", () => {
    const cycle: Record<string, unknown> = {};
    cycle["x"] = cycle["y"] = [cycle, cycle];
    expect(codeOf(() => readOwn([{ a: cycle }]))).toBe("source_malformed");
    expect(codeOf(() => readOwn([{ a: (): number => 1 }]))).toBe("source_malformed");
    expect(codeOf(() => readOwn([{ a: "\ud800" }]))).toBe("source_malformed");
    expect(codeOf(() => readOwn([{ a: 1 }, 2]))).toBe("source_malformed");
    expect(codeOf(() => readOwn(new Uint8Array(3)))).toBe("source_malformed");
  });

  test("a document beyond a limit is refused as such", () => {
    expect(codeOf(() => readJson("[".repeat(100_000)))).toBe("limit_exceeded");
    expect(codeOf(() => readJson(`[{"a": ${"9".repeat(10_000)}}]`))).toBe("limit_exceeded");
    expect(codeOf(() => readJson('[{"a": 1, "a": 2}]'))).toBe("source_malformed");
    const wide = `${Array.from({ length: 5_000 }, (_, at) => `c${String(at)}`).join(",")}\n`;
    expect(codeOf(() => readCsv(wide))).toBe("limit_exceeded");
    expect(codeOf(() => readCsv(`a\n${"x".repeat(1_000_001)}\n`))).toBe("limit_exceeded");
    const sparse = Array.from({ length: 4_000 }, (_, at) => ({ [`c${String(at)}`]: 1 }));
    expect(codeOf(() => readOwn(sparse))).toBe("limit_exceeded");
  });
});

test("files of Python's formats are refused with the client that reads them", () => {
  for (const name of ["a.xlsx", "b.parquet", "c.arrow"]) {
    expect(codeOf(() => findFormat(name))).toBe("unsupported_source");
    expect(() => findFormat(name)).toThrow(/does not read/);
  }
  expect(codeOf(() => findFormat("a.csv.gz"))).toBe("unsupported_source");
  expect(codeOf(() => findFormat("noending"))).toBe("unsupported_source");
  expect(findFormat("A.TSV")).toBe("tsv");
});

test("options that mean nothing are refused", () => {
  expect(codeOf(() => readCsv("a\n1\n", { types: { b: "number" } }))).toBe("invalid_intent");
  expect(codeOf(() => readCsv("a\n1\n", { types: { a: "decimal(40,2)" } }))).toBe("invalid_intent");
  expect(codeOf(() => readCsv("a\n1\n", { thousands: ".", decimal: "." }))).toBe("invalid_intent");
  expect(codeOf(() => readCsv("a\n1\n", { dateFormat: "%m" }))).toBe("invalid_intent");
  expect(codeOf(() => readCsv("a\n1\n", { delimiter: "ab" }))).toBe("invalid_intent");
  const given = { nulls: ["-"] };
  expect(codeOf(() => readBytes(encode("[]"), "json", given, checkOptions(given, DEFAULT_LIMITS)))).toBe(
    "invalid_intent",
  );
});
