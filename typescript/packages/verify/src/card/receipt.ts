import { hexToBytes } from "@noble/hashes/utils.js";
import {
  type Card,
  CARD_KINDS,
  type Check,
  decodeReceipt,
  failed,
  isObject,
  notCheckable,
  own,
  passed,
  type Predicate,
  PREDICATE_TYPES,
  type Receipt,
  ShapeError,
  type Statement,
} from "@service-nb/records";
import { equalBytes, fromBase64 } from "../bytes.js";
import { type Checkpoint, isSignedBy, parseCheckpoint } from "../checkpoint.js";
import { sha256Hex } from "../digest.js";
import { isSigned } from "../envelope.js";
import { leafHash, rootFrom } from "../merkle.js";
import { decoded } from "../shape.js";
import { checkSigner } from "../signer.js";
import { isSame } from "../shown/comparing.js";
import { readStatement } from "../statement.js";
import type { ReadTexts } from "./shown.js";

/** Who vouches for a card: its signature, whose it is, what it is about, and the ledger that it stands in. */
export function checkReceipt(card: Card, texts: ReadTexts, keys: readonly string[]): Check[] {
  if (card.receipt === null) return [notCheckable("signature", "unsigned")];
  const receipt = decoded(decodeReceipt, card.receipt);
  if (receipt instanceof ShapeError) return [failed("signature", "receipt_malformed", receipt.message)];
  if (!isSigned(receipt.envelope, receipt.public_key)) {
    return [failed("signature", "signature_invalid")];
  }
  const checkpoint = parseCheckpoint(receipt.log.checkpoint);
  return [
    passed("signature"),
    checkSigner(receipt.public_key, keys),
    checkStatement(card, texts, receipt),
    checkInclusion(receipt, checkpoint),
    checkCheckpoint(receipt, checkpoint),
  ];
}

function checkStatement(card: Card, texts: ReadTexts, receipt: Receipt): Check {
  const statement = readStatement(receipt.envelope);
  if (statement instanceof ShapeError) return failed("statement", "statement_malformed", statement.message);
  if (!isAbout(statement, card) || !tellsOf(statement.predicate, card, texts)) {
    return failed("statement", "receipt_of_another_card");
  }
  return passed("statement");
}

function isAbout({ predicate, predicateType, subject }: Statement, card: Card): boolean {
  if (predicateType !== PREDICATE_TYPES[card.kind] || predicate.kind !== card.kind) return false;
  if (!equalMembers(predicate.digests, card.digests)) return false;
  const hashes = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  return Object.entries(card.canonical).every(([name, text]) => hashes.get(name) === sha256Hex(text));
}

/** Whether what a statement says of how an outcome came about is what the card holds, its id included. */
function tellsOf(told: Predicate, { kind, view }: Card, texts: ReadTexts): boolean {
  const ids = ["query_id", "request_id"].filter((name) => Object.hasOwn(view, name));
  if (ids.some((name) => view[name] !== told.id)) return false;
  // A refusal, an error and a replay have no provenance: no bindings, no run, and their inputs are the author's words.
  const isRecorded = (CARD_KINDS[kind].texts as readonly string[]).includes("provenance");
  if (isRecorded && !Object.hasOwn(texts, "provenance")) return true;
  const provenance = isRecorded ? texts.provenance : {};
  if (!isObject(provenance)) return false;
  const { sources, bindings = [], determinism = null } = provenance;
  return (
    (sources === undefined || isTold(told.inputs, sources, ["origin", "reading"])) &&
    isTold(told.bindings, bindings, ["filter"]) &&
    isSame(told.determinism, determinism)
  );
}

/** As it was recorded; what was too long for a statement is null in it, one after the other. */
function isTold(told: readonly unknown[], recorded: unknown, leftOut: readonly string[]): boolean {
  if (!Array.isArray(recorded) || told.length !== recorded.length) return false;
  return recorded.every((each: unknown, at) => {
    if (!isObject(each)) return false;
    const nulls = leftOut.map((key) => [key, null] as const);
    const ways = Array.from({ length: nulls.length + 1 }, (_, count) => Object.fromEntries(nulls.slice(0, count)));
    return ways.some((way) => isSame(told[at], { ...each, ...way }));
  });
}

function equalMembers(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === own(other, name));
}

function checkInclusion({ envelope, log }: Receipt, checkpoint: Checkpoint | undefined): Check {
  if (checkpoint === undefined) {
    return failed("inclusion", "checkpoint_malformed");
  }
  const leaf = leafHash(fromBase64(envelope.payload));
  const root = log.size === checkpoint.size ? rootFrom(leaf, log, log.proof.map(hexToBytes)) : undefined;
  if (root === undefined || !equalBytes(root, checkpoint.root)) {
    return failed("inclusion", "inclusion_invalid");
  }
  return passed("inclusion");
}

function checkCheckpoint(receipt: Receipt, checkpoint: Checkpoint | undefined): Check {
  if (checkpoint === undefined || !isSignedBy(checkpoint, fromBase64(receipt.public_key))) {
    return failed("checkpoint", "checkpoint_invalid");
  }
  return passed("checkpoint");
}
