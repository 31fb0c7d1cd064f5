import { describe, expect, it } from "vitest";
import { cases, fromBits } from "../../../tests/vectors.js";
import { type CanonicalError, canonicalText } from "../src/canonical.js";
import { parseJson } from "../src/parse.js";

interface Document {
  readonly name: string;
  readonly input: string;
  readonly canonical: string;
}

describe("canonical JSON", () => {
  for (const file of ["canonical/documents.json", "canonical/rfc8785.json"]) {
    it.each(cases<Document>(file))(`of ${file}: $name`, ({ input, canonical }) => {
      expect(canonicalText(parseJson(input, { integers: "exact" }))).toBe(canonical);
    });
  }

  it("writes numbers as ECMAScript does", () => {
    const numbers = cases<{ ieee: string; text: string }>("canonical/numbers.json");
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.map(({ ieee }) => canonicalText(fromBits(ieee)))).toEqual(numbers.map(({ text }) => text));
  });

  it("writes floats that are no JSON, and whole numbers that readers round, as strings", () => {
    const values = cases<{ type: string; value: string; canonical: string }>("canonical/values.json");
    const read = { float64: fromBits, integer: BigInt };
    const known = values.filter(({ type }) => Object.hasOwn(read, type));
    expect(known.length).toBeGreaterThan(15);
    for (const { type, value, canonical } of known) {
      expect(canonicalText(read[type as keyof typeof read](value))).toBe(canonical);
    }
  });

  it.each([
    ["type", undefined],
    ["type", [() => 0]],
    ["type", { a: new Date(0) }],
    ["surrogate", "\ud800"],
    ["surrogate", { "\udc00": 1 }],
    ["depth", Array.from({ length: 65 }).reduce((inner) => [inner], null)],
  ])("refuses what has none: %s", (fault, value) => {
    expect(() => canonicalText(value)).toThrow(expect.objectContaining({ fault }) as CanonicalError);
  });

  it("sees no key that an object has inherited", () => {
    expect(canonicalText(parseJson('{"__proto__":{"a":1},"toString":2}'))).toBe('{"__proto__":{"a":1},"toString":2}');
    expect(canonicalText(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });
});
