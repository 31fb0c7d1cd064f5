import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/vectors.js";
import { encodeUtf8 } from "../src/utf8.js";
import { JsonError } from "../src/json-error.js";
import { parseJson } from "../src/parse.js";

interface Refused {
  readonly name: string;
  readonly input: string;
  readonly error: "canonical_json_invalid" | "limit_exceeded";
  readonly reason: string;
  readonly line?: number;
  readonly column?: number;
}

describe("strict JSON", () => {
  it.each(cases<Refused>("canonical/errors.json"))("refuses $name", ({ input, error, reason, line, column }) => {
    for (const document of [input, encodeUtf8(input)]) {
      const met = refusal(document);
      expect(met.fault).toBe(reason);
      if (line !== undefined && column !== undefined) {
        expect([met.line, met.column]).toEqual([line, column]);
      }
      expect(met.reason === "malformed_json").toBe(error === "canonical_json_invalid" && reason !== "overflow");
    }
  });

  it.each([
    ["unsafe_number", "[9007199254740992]"],
    ["unsafe_number", '{"a":-9007199254740993}'],
    ["unsafe_number", "1e999"],
    ["unsafe_number", `[0.${"1".repeat(399)}]`],
    ["unsafe_number", "[1e999,]"],
    ["malformed_json", "[,1e999]"],
    ["malformed_json", '[1e999,"\\ud800"]'],
    ["malformed_json", '"\ud800"'],
    ["too_deep", `[,${"[".repeat(64)}`],
    ["malformed_json", Uint8Array.of(0x22, 0xc0, 0x80, 0x22)],
    ["malformed_json", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ["malformed_json", Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)],
    ["malformed_json", Uint8Array.of(0x31, 0x00)],
    ["malformed_json", `"${"a".repeat(12 * 1024 ** 2)}`],
    ["malformed_json", `["${"\\n".repeat(1024 ** 2)}`],
    ["malformed_json", "\\".repeat(1024 ** 2)],
    ["too_deep", "[".repeat(100_000)],
    ["too_large", "1".repeat(32 * 1024 ** 2 + 1)],
    ["too_large", `"${"é".repeat(16 * 1024 ** 2)}"`],
    ["too_large", new Uint8Array(32 * 1024 ** 2 + 1)],
  ])("says %s of it", (reason, document) => {
    expect(refusal(document).reason).toBe(reason);
  });

  it("reads what is at a limit", () => {
    expect(parseJson(`[9007199254740991,-9007199254740991,${"1".repeat(100)}.0]`)).toHaveLength(3);
    expect(parseJson(`0.${"1".repeat(398)}`)).toBeCloseTo(1 / 9, 15);
    expect(parseJson("[".repeat(64) + "]".repeat(64))).toHaveLength(1);
    expect(parseJson('"123"', { maxBytes: 5 })).toBe("123");
  });

  it("keeps whole numbers of any size where it is asked to", () => {
    expect(parseJson("[9007199254740993,1e20,1]", { integers: "exact" })).toEqual([9007199254740993n, 1e20, 1]);
  });

  it("reads what JSON.parse reads, alike", () => {
    const texts = cases<{ input: string }>("canonical/documents.json").map(({ input }) => input);
    const safe = texts.filter((text) => !/[0-9]{16}/.test(text));
    expect(safe.length).toBeGreaterThan(50);
    for (const text of safe) expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
  });
});

function refusal(document: string | Uint8Array): JsonError {
  try {
    parseJson(document);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error("it was read");
}
