import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
import { CATALOGUE } from "../src/catalogue.js";
import { headline } from "../src/index.js";
import { cardNamed } from "./vectors.js";

const DIGESTS: readonly CheckName[] = ["plan_hash", "result_hash", "schema_revision", "view_hash", "rows_hash"];

function judged(...checks: readonly Check[]): ReturnType<typeof headline> {
  return headline(verdict("card", [passed("form"), ...DIGESTS.map((name) => passed(name)), passed("kind"), ...checks]));
}

const KEY = publicKeyOf("money");
const CONTRACTS = [decodeCard(cardNamed("money")).digests.contract_hash ?? ""];

function publicKeyOf(name: string): string {
  return (decodeCard(cardNamed(name)) as Card & { receipt: { public_key: string } }).receipt.public_key;
}

describe("a real card", () => {
  const signed = verifyCard(cardNamed("money"), { contracts: CONTRACTS });
  const trusted = verifyCard(cardNamed("money"), { keys: [KEY], contracts: CONTRACTS });

  it("is verified where the reader trusts the key and knows the contract, and says whose signature it has", () => {
    expect(headline(trusted)).toMatchObject({ state: "verified", sign: "✓", notes: [] });
    expect(headline(trusted).label).toBe("Verified · signed by a key that you trust");
    expect(headline(trusted, { owner: "you" }).label).toBe("Verified · signed by you");
    expect(headline(trusted, { owner: { name: "Anna" } }).label).toBe("Verified · signed by Anna");
    const signer = "fd495865754d4383";
    expect(headline(trusted, { signer, owner: { name: "Anna" } }).label).toBe(
      "Verified · signed by Anna, key fd495865…",
    );
    expect(headline(trusted, { signer, owner: { name: "" } }).label).toBe("Verified · signed by key fd495865…");
  });

  it("is unaltered where nobody has trusted the key, with its fingerprint and the line that trusts it", () => {
    const said = headline(signed, { signer: "fd495865754d4383", key: KEY });
    expect(said).toMatchObject({ state: "unaltered", sign: "○" });
    expect(said.label).toBe("Unaltered · signed by an unknown key fd495865…");
    expect(said.notes[0]).toBe("Its fingerprint begins with fd495865754d4383.");
    expect(said.notes[1]).toContain(`\`service-nb key trust ${KEY}\``);
  });

  it("is calm about rows that are not kept only where nothing failed and nothing else is open", () => {
    const part = notCheckable("shown", "shown_not_kept", "20 of 9,000 rows kept");
    expect(judged(part).label).toBe("20 of 9,000 rows kept");
    expect(judged(part, notCheckable("signature", "unsigned")).label).toBe("20 of 9,000 rows kept · not signed");
    expect(judged(part, failed("signature", "signature_invalid", "9 of 9 rows kept")).label).toMatch(/^Altered: /);
    expect(judged(part, notCheckable("cell", "cell_edited")).label).toMatch(/^Not checkable here: /);
  });

  it("does not name a signer that nobody told", () => {
    expect(headline(signed).label).toBe("Unaltered · signed by an unknown key");
  });

  it("is consistent where it is not signed: anyone can have made it", () => {
    const said = headline(verifyCard(cardNamed("of the evidence"), { keys: [KEY] }));
    expect(said.label).toBe("Consistent, unsigned: anyone can have made it");
    expect(said).toMatchObject({ state: "consistent", notes: [] });
  });

  it("is altered where it shows another number, with what was recorded and what is shown", () => {
    const card = cardNamed("of the evidence");
    const view = card["view"] as Record<string, unknown>;
    const said = headline(verifyCard({ ...card, view: { ...view, row_count: 9_999_999 } }));
    expect(said.state).toBe("altered");
    expect(said.label).toBe("Altered: what the card shows beside its rows was changed after it was made");
    expect(said.checks.filter(({ cause }) => cause === "shown_differs")).toHaveLength(1);
    const rehashed = headline(verdict("card", verifyCard(cardNamed("grouped")).checks));
    expect(rehashed.label).toBe("Altered: the card shows something that does not follow from what was hashed");
    expect(rehashed.failure).toMatchObject({ name: "shown", check: "shown" });
    expect(rehashed.failure?.found).toMatch(/: recorded is .*; shown is .*\.$/);
    expect(rehashed.failure?.remedy).toContain("service-nb show ID --card");
  });

  it("is not checkable here without the text of what it shows, or without a known contract, and says what to do", () => {
    const said = headline(verifyCard(cardNamed("value not kept")));
    expect(said.state).toBe("not_checkable");
    expect(said.label).toMatch(/^Not checkable here: the card does not keep all that it shows/);
    const unknown = headline(verifyCard(cardNamed("money"), { keys: [KEY] }));
    expect(unknown.label).toBe("Not checkable here: no contract was given to compare with");
    expect(unknown.notes).toHaveLength(1);
  });

  it("tells calmly that long arguments are left to their hash", () => {
    const said = headline(verifyCard(cardNamed("arguments not kept"), { keys: [KEY], contracts: CONTRACTS }));
    expect(said.state).toBe("verified");
    expect(said.notes.join()).toMatch(/^input hash: the card has the hash and not the text/);
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
  "shown_differs",
  "capability_not_in_contract",
  "call_misfit",
  "provenance_hash_mismatch",
  "definition_hash_mismatch",
  "receipt_missing",
  "receipt_malformed",
  "signature_invalid",
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
  "face_differs",
];

describe("words", () => {
  it.each(FAILED)("%s is altered, in a sentence without code names", (cause) => {
    const said = judged(failed("form", cause));
    expect(said.state).toBe("altered");
    expect(said.label).toMatch(/^Altered: [a-z]/);
    expect([said.label, said.failure?.found, said.failure?.remedy].join(" ")).not.toMatch(/[a-z]_[a-z]/);
  });

  it("says something else of each cause", () => {
    const said = FAILED.map((cause) => judged(failed("form", cause)).label);
    expect(new Set(said).size).toBe(FAILED.length);
  });

  const states: readonly (readonly [OpenCause, string])[] = [
    ["unsigned", "consistent"],
    ["unknown_signer", "unaltered"],
    ["text_not_kept", "verified"],
    ["rows_not_kept", "verified"],
    ["shown_not_kept", "not_checkable"],
    ["older_form", "not_checkable"],
    ["contract_unknown", "not_checkable"],
    ["no_known_contracts", "not_checkable"],
    ["face_of_another_version", "not_checkable"],
    ["cell_edited", "not_checkable"],
    ["verifier_failed", "not_checkable"],
  ];

  it.each(states)("%s alone leaves a card %s", (cause, state) => {
    const said = judged(notCheckable("signature", cause));
    expect(said.state).toBe(state);
    if (state === "not_checkable") expect(said.label).toMatch(/^Not checkable here: [a-z]/);
  });

  it("tells the failure of the first check that failed", () => {
    const said = judged(failed("signature", "signature_invalid"), failed("checkpoint", "checkpoint_invalid"));
    expect(said.failure?.check).toBe("signature");
  });

  it("are those of the catalogue that every program shares", () => {
    const path = fileURLToPath(new URL("../../../../service_nb/evidence/catalogue.json", import.meta.url));
    // Of causes the browser has those that it may name: each of them, or it would not compile.
    expect(JSON.parse(readFileSync(path, "utf-8"))).toMatchObject(CATALOGUE);
  });

  it("puts the sentences into the reader's language before it fills them", () => {
    const german: Record<string, string> = { "Consistent, unsigned": "Widerspruchsfrei", "%1: %2": "%1 – %2" };
    const said = headline(verifyCard(cardNamed("of the evidence")), { say: (text) => german[text] ?? text });
    expect(said.label).toBe("Widerspruchsfrei – anyone can have made it");
  });
});
