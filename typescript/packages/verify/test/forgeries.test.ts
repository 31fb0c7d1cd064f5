import { describe, expect, it } from "vitest";
import { lines } from "../../../tests/vectors.js";
import { verifyDocument } from "../src/index.js";

interface Forgery {
  readonly name: string;
  readonly says: string;
  readonly document: unknown;
  readonly keys: readonly string[];
  readonly contracts: readonly string[];
  readonly expected: { readonly check: string; readonly cause: string } | null;
}

const NOT_KEPT: readonly (string | null)[] = ["text_not_kept", "rows_not_kept"]; // which leave a card verified

const shipped = lines("service_nb/evidence/forgeries.jsonl") as readonly Forgery[];

describe("the shipped forgeries", () => {
  it("are at least a hundred, beside what is genuine", () => {
    expect(shipped.filter(({ expected }) => expected !== null).length).toBeGreaterThanOrEqual(100);
    expect(shipped.some(({ expected }) => expected === null)).toBe(true);
  });

  it.each(shipped)("$name", ({ document, keys, contracts, expected }) => {
    const text = typeof document === "string" ? document : JSON.stringify(document);
    const verdicts = verifyDocument(text, { keys, contracts });
    const checks = verdicts.flatMap((verdict) => verdict.checks);
    const deciding = [
      ...checks.filter(({ status }) => status === "failed"),
      ...checks.filter(({ status, cause }) => status === "not_checkable" && !NOT_KEPT.includes(cause)),
    ];
    const [first] = deciding.map(({ check, cause }) => ({ check, cause }));
    expect(first ?? null).toEqual(expected);
    expect(verdicts.every(({ status }) => status === "verified")).toBe(expected === null);
  });
});
