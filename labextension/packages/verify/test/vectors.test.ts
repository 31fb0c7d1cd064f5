import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/vectors.js";
import { digest, type Domain } from "../src/digest.js";
import { verifyDocument } from "../src/index.js";

interface Case {
  readonly name: string;
  readonly document?: string;
  readonly document_base64?: string;
  readonly keys: readonly string[];
  readonly contracts: readonly string[];
  readonly verdicts: readonly { readonly subject: string; readonly checks: readonly (readonly [string, string, string | null])[] }[];
}

describe.each(["cards", "forms", "ledgers", "notebooks", "receipts"])("the vectors of %s", (file) => {
  it.each(cases<Case>(`evidence/${file}.json`))("$name", ({ document, document_base64: base64 = "", verdicts, ...options }) => {
    const met = verifyDocument(document ?? Buffer.from(base64, "base64"), options);
    expect(
      met.map(({ subject, checks }) => ({ subject, checks: checks.map((each) => [each.check, each.status, each.cause]) })),
    ).toEqual(verdicts);
  });
});

describe("the vectors of hashes", () => {
  it.each(cases<{ name: string; domain: Domain; parts: readonly string[]; sha256: string }>("hashes.json"))(
    "$name",
    ({ domain, parts, sha256 }) => {
      expect(digest(domain, ...parts)).toBe(sha256);
    },
  );
});
