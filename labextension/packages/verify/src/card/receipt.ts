import { hexToBytes } from "@noble/hashes/utils.js";
import {
  type Card,
  type Check,
  decodeReceipt,
  failed,
  notCheckable,
  own,
  passed,
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
import { readStatement } from "../statement.js";

/** Who vouches for a card: its signature, whose it is, what it is about, and the ledger that it stands in. */
export function checkReceipt(card: Card, keys: readonly string[]): Check[] {
  if (card.receipt === null) return [withoutReceipt(keys)];
  const receipt = decoded(decodeReceipt, card.receipt);
  if (receipt instanceof ShapeError) return [failed("signature", "receipt_malformed", receipt.message)];
  if (!isSigned(receipt.envelope, receipt.public_key)) {
    return [failed("signature", "signature_invalid", "The key of the receipt has not signed this statement.")];
  }
  const checkpoint = parseCheckpoint(receipt.log.checkpoint);
  return [
    passed("signature"),
    checkSigner(receipt.public_key, keys),
    checkStatement(card, receipt),
    checkInclusion(receipt, checkpoint),
    checkCheckpoint(receipt, checkpoint),
  ];
}

function withoutReceipt(keys: readonly string[]): Check {
  if (keys.length > 0) return failed("signature", "receipt_missing", "A signed card was demanded.");
  return notCheckable("signature", "unsigned", "The card has no receipt: nobody vouches for it.");
}

function checkStatement(card: Card, receipt: Receipt): Check {
  const statement = readStatement(receipt.envelope);
  if (statement instanceof ShapeError) return failed("statement", "statement_malformed", statement.message);
  if (!isAbout(statement, card)) {
    return failed("statement", "receipt_of_another_card", "What was signed is about another card.");
  }
  return passed("statement");
}

function isAbout({ predicate, predicateType, subject }: Statement, card: Card): boolean {
  if (predicateType !== PREDICATE_TYPES[card.kind] || predicate.kind !== card.kind) return false;
  if (!equalMembers(predicate.digests, card.digests)) return false;
  const hashes = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  return Object.entries(card.canonical).every(([name, text]) => hashes.get(name) === sha256Hex(text));
}

function equalMembers(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === own(other, name));
}

function checkInclusion({ envelope, log }: Receipt, checkpoint: Checkpoint | undefined): Check {
  if (checkpoint === undefined) {
    return failed("inclusion", "checkpoint_malformed", "The checkpoint of the receipt does not have the form of one.");
  }
  const leaf = leafHash(fromBase64(envelope.payload));
  const root = log.size === checkpoint.size ? rootFrom(leaf, log, log.proof.map(hexToBytes)) : undefined;
  if (root === undefined || !equalBytes(root, checkpoint.root)) {
    return failed("inclusion", "inclusion_invalid", "The proof does not lead from this entry to the ledger's root.");
  }
  return passed("inclusion");
}

function checkCheckpoint(receipt: Receipt, checkpoint: Checkpoint | undefined): Check {
  if (checkpoint === undefined || !isSignedBy(checkpoint, fromBase64(receipt.public_key))) {
    return failed("checkpoint", "checkpoint_invalid", "The key of the receipt has not signed the checkpoint.");
  }
  return passed("checkpoint");
}
