import { type Card, decodeReceipt, type DigestName, type Receipt, ShapeError } from "@service-nb/records";
import type { Fact, Span } from "../blocks.js";
import { whole } from "../format.js";
import { code, digest, fact, text } from "./facts.js";

const LABELS: Readonly<Partial<Record<DigestName, string>>> = {
  plan_hash: "plan",
  result_hash: "result",
  schema_revision: "schema",
  refusal_hash: "refusal",
  error_hash: "error",
  invocation_hash: "invocation",
  computation_hash: "computation",
  input_hash: "input",
  contract_hash: "contract",
  replay_hash: "replay",
};

/** The digests of what was asked and answered, but for one `shown` elsewhere, and the signature. */
export function proof(card: Card, shown?: string): readonly Fact[] {
  // The digests of the view are for verifiers: a person sees the view itself.
  const digests: Readonly<Record<string, string | undefined>> = card.digests;
  // In the order of the labels, whatever order the keys have: who saves a notebook may sort them.
  const lines = Object.entries(LABELS).flatMap(([name, label]) => {
    const hex = digests[name];
    return hex === undefined || hex === shown ? [] : [[text(`${label} `), digest(hex.replace(/^sha256:/, ""))]];
  });
  return [fact("hashes", ...lines), fact("signed", signature(card))];
}

function signature(card: Card): readonly Span[] {
  if (card.receipt === null) return [text("no; the hashes stand for themselves")];
  const receipt = receiptOf(card);
  if (receipt === undefined) return [text("the receipt does not have the form of one")];
  const { envelope, log } = receipt;
  const ledger = (log.checkpoint.split("\n", 1)[0] ?? "").replace(/^service-nb\//, "");
  return [
    text("by device "),
    code(envelope.signatures[0]?.keyid ?? ""),
    text(` · entry ${whole(log.index + 1)} of the ledger `),
    digest(ledger),
  ];
}

/** The receipt of a card, if it has the form of one. */
export function receiptOf(card: Card): Receipt | undefined {
  if (card.receipt === null) return undefined;
  try {
    return decodeReceipt(card.receipt);
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}
