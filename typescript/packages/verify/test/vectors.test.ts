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
  readonly verdicts: readonly {
    readonly subject: string;
    readonly status: string;
    readonly checks: readonly Outcome[];
  }[];
}

type Outcome = readonly [check: string, status: string, cause: string | null];

describe.each(["cards", "forgeries", "forms", "ledgers", "notebooks", "outputs", "receipts"])(
  "the vectors of %s",
  (file) => {
    it.each(cases<Case>(`evidence/${file}.json`))("$name", (each) => {
      const met = verifyDocument(each.document ?? Buffer.from(each.document_base64 ?? "", "base64"), each);
      const outcomes = met.map(({ subject, status, checks }) => ({
        subject,
        status,
        checks: checks.map(({ check, status, cause }) => [check, status, cause]),
      }));
      expect(outcomes).toEqual(each.verdicts);
    });
  },
);

describe("the vectors of hashes", () => {
  it.each(cases<{ name: string; domain: Domain; parts: readonly string[]; sha256: string }>("hashes.json"))(
    "$name",
    ({ domain, parts, sha256 }) => {
      expect(digest(domain, ...parts)).toBe(sha256);
    },
  );
});
