import { describe, expect, it } from "vitest";
import { documents } from "../../../tests/vectors.js";
import { verifyDocument } from "../src/index.js";

interface Forgery {
  readonly says: string;
  readonly document: unknown;
  readonly keys: readonly string[];
  readonly contracts: readonly string[];
  readonly expected: { readonly check: string; readonly cause: string } | null;
}

const shipped = documents("service_nb/evidence/forgeries") as readonly (readonly [string, Forgery])[];

describe("the shipped forgeries", () => {
  it("are at least forty, beside what is genuine", () => {
    expect(shipped.filter(([, { expected }]) => expected !== null).length).toBeGreaterThanOrEqual(40);
    expect(shipped.some(([, { expected }]) => expected === null)).toBe(true);
  });

  it.each(shipped)("%s", (_, { document, keys, contracts, expected }) => {
    const text = typeof document === "string" ? document : JSON.stringify(document);
    const checks = verifyDocument(text, { keys, contracts }).flatMap((verdict) => verdict.checks);
    if (expected === null) expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(["passed"]));
    else expect(checks).toContainEqual(expect.objectContaining({ ...expected, status: "failed" }));
  });
});
