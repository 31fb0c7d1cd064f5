import {
  type Card,
  type Check,
  type CheckName,
  decodeCard,
  type FailedCause,
  failed,
  notCheckable,
  type OpenCause,
  passed,
  verdict,
} from "@service-nb/records";
import { verifyCard } from "@service-nb/verify";
import { describe, expect, it } from "vitest";
import { headline } from "../src/index.js";
import { cardCases, cardNamed } from "./vectors.js";

const DIGESTS: readonly CheckName[] = ["plan_hash", "result_hash", "schema_revision", "view_hash", "rows_hash"];

function judged(...checks: readonly Check[]): ReturnType<typeof headline> {
  return headline(verdict("card", [passed("form"), ...DIGESTS.map((name) => passed(name)), passed("kind"), ...checks]));
}

describe("a real card", () => {
  it("is verified where it is signed, and says whose signature it has", () => {
    const card = cardNamed("grouped");
    const said = headline(verifyCard(card), { signer: "fd495865754d4383" });
    expect(said).toMatchObject({ state: "verified", label: "Verified: 11 checks" });
    expect(said.notes).toEqual(["signed by device fd495865…, which is not among your trusted keys"]);
  });

  it("does not name a signer that nobody told", () => {
    const { notes } = headline(verifyCard(cardNamed("grouped")));
    expect(notes).toEqual(["signed by a key that is not among your trusted keys"]);
  });

  it("is verified where it is not signed, with a note", () => {
    const said = headline(verifyCard(cardNamed("grouped, not signed")));
    expect(said).toMatchObject({ state: "verified", label: "Verified: 7 checks" });
    expect(said.notes).toEqual(["not signed: the hashes agree with each other; who made it is not proven"]);
  });

  it("has no notes where the reader trusts the key and knows the contract", () => {
    const card = cardNamed("money");
    const { receipt, digests } = decodeCard(card) as Card & { receipt: { public_key: string } };
    const said = headline(verifyCard(card, { keys: [receipt.public_key], contracts: [digests.contract_hash ?? ""] }));
    expect(said).toMatchObject({ state: "verified", label: "Verified: 14 checks", notes: [] });
  });

  it("is a mismatch where a shown number is another, and says which check failed", () => {
    const card = cardNamed("one number");
    const view = card["view"] as Record<string, unknown>;
    const said = headline(verifyCard({ ...card, view: { ...view, rows: [["2257175", "336776"]] } }));
    expect(said.state).toBe("mismatch");
    expect(said.label).toBe("Mismatch: a row that the card shows was changed after its hash was taken");
    expect(said.failure).toMatchObject({ name: "rows_hash", check: "rows that are shown" });
    expect(said.checks.filter((check) => check.status === "failed")).toHaveLength(1);
  });

  it.each(["value not kept", "rows not kept", "cut"])("%s: is not checkable here", (name) => {
    const said = headline(verifyCard(cardNamed(name)));
    expect(said.state).toBe("open");
    expect(said.label).toMatch(/^Not checkable here: the whole (value|result) is not kept/);
  });

  it("counts long arguments that are not kept as a note where it is signed, and as open where it is not", () => {
    const signed = cardNamed("arguments not kept");
    expect(headline(verifyCard(signed)).state).toBe("verified");
    expect(headline(verifyCard(signed)).notes).toContain("long arguments stand in it by their signed hash");
    const unsigned = headline(verifyCard({ ...signed, receipt: null }));
    expect(unsigned.label).toBe("Not checkable here: the arguments are not kept in the card, only their hash");
  });

  it.each([
    ["version", { version: 9 }],
    ["kind", { kind: "prophecy" }],
  ])("of a %s that is not known is no forgery", (_, change) => {
    const said = headline(verifyCard({ ...cardNamed("grouped"), ...change }));
    expect(said.state).toBe("open");
    expect(said.failure).toBeUndefined();
  });

  it.each(cardCases())("$name: holds what it says", ({ card }) => {
    expect(headline(verifyCard(card)).state).not.toBe("mismatch");
  });
});

const FAILED: readonly FailedCause[] = [
  "malformed_json",
  "too_large",
  "too_deep",
  "unsafe_number",
  "malformed_card",
  "malformed_notebook",
  "malformed_ledger",
  "index_malformed",
  "plan_hash_mismatch",
  "result_hash_mismatch",
  "schema_revision_mismatch",
  "refusal_hash_mismatch",
  "error_hash_mismatch",
  "input_hash_mismatch",
  "invocation_hash_mismatch",
  "computation_hash_mismatch",
  "contract_hash_mismatch",
  "replay_hash_mismatch",
  "view_hash_mismatch",
  "rows_hash_mismatch",
  "kind_contradicted",
  "receipt_missing",
  "receipt_malformed",
  "signature_invalid",
  "unknown_signer",
  "statement_malformed",
  "receipt_of_another_card",
  "inclusion_invalid",
  "checkpoint_malformed",
  "checkpoint_invalid",
  "entry_malformed",
  "duplicate_id",
  "text_mismatch",
  "text_unknown",
  "root_mismatch",
  "card_missing",
  "card_added",
  "card_replaced",
  "card_moved",
];

describe("words", () => {
  it.each(FAILED)("%s is a mismatch, in a sentence without code names", (cause) => {
    const said = judged(failed("form", cause, "…"));
    expect(said.state).toBe("mismatch");
    expect(said.label).toMatch(/^Mismatch: [a-z]/);
    expect([said.label, said.failure?.expected, said.failure?.met].join(" ")).not.toMatch(/_/);
  });

  it("says something else of each cause", () => {
    const said = FAILED.map((cause) => judged(failed("form", cause)).label);
    expect(new Set(said).size).toBe(FAILED.length);
  });

  it.each<OpenCause>(["unsigned", "no_trusted_keys", "contract_unknown", "no_known_contracts"])(
    "%s is a note beside a verified card",
    (cause) => {
      const said = judged(notCheckable("signature", cause, "…"));
      expect(said).toMatchObject({ state: "verified", label: "Verified: 7 checks" });
      expect(said.notes).toHaveLength(1);
    },
  );

  it("tells the failure of the first check that failed", () => {
    const said = judged(failed("signature", "signature_invalid"), failed("checkpoint", "checkpoint_invalid"));
    expect(said.failure?.check).toBe("signature");
  });

  it("counts one check as one", () => {
    expect(headline(verdict("index", [passed("form")])).label).toBe("Verified: 1 check");
  });

  it("puts the sentences into the reader's language before it fills them", () => {
    const german: Record<string, string> = { "Verified: %1 checks": "Geprüft: %1-mal" };
    const said = headline(verifyCard(cardNamed("grouped, not signed")), { say: (text) => german[text] ?? text });
    expect(said.label).toBe("Geprüft: 7-mal");
  });
});
