import {
  type Check,
  decodeLedger,
  decodeStatement,
  failed,
  type LedgerDocument,
  notCheckable,
  passed,
  ShapeError,
  type Statement,
  type Verdict,
  verdict,
} from "@service-nb/records";
import { equalBytes, fromBase64 } from "./bytes.js";
import { refused } from "./card.js";
import { type Checkpoint, isSignedBy, parseCheckpoint } from "./checkpoint.js";
import { sha256Hex } from "./digest.js";
import { isSigned } from "./envelope.js";
import { leafHash, rootOf } from "./merkle.js";
import type { VerifyOptions } from "./options.js";
import { decoded } from "./shape.js";
import { checkSigner } from "./signer.js";
import { strictly } from "./texts.js";

/** Verifies a parsed ledger document: its entries one by one, then all of them against the signed checkpoint. */
export function verifyLedger(document: unknown, options: VerifyOptions = {}): Verdict {
  const ledger = decoded(decodeLedger, document);
  if (ledger instanceof ShapeError) return refused("ledger", "malformed_ledger", ledger.message);
  const statements = ledger.entries.map(({ payload }) => decoded(decodeStatement, strictly(fromBase64(payload))));
  const readable = statements.filter((statement): statement is Statement => !(statement instanceof ShapeError));
  const checkpoint = parseCheckpoint(ledger.checkpoint);
  const keys = options.keys ?? [];
  return verdict("ledger", [
    passed("form"),
    checkEntries(ledger, statements),
    checkOrder(readable),
    checkTexts(ledger, readable),
    checkRoot(ledger, checkpoint),
    ledger.public_key === null ? withoutKey(keys) : checkSigner(ledger.public_key, keys),
    checkCheckpoint(ledger, checkpoint),
  ]);
}

function checkEntries(ledger: LedgerDocument, statements: readonly (Statement | ShapeError)[]): Check {
  for (const [index, statement] of statements.entries()) {
    const at = `Entry ${String(index)}`;
    if (statement instanceof ShapeError) return failed("entry", "entry_malformed", `${at}: ${statement.message}`);
    const envelope = ledger.entries[index];
    if (envelope === undefined || !isSignedLike(ledger.public_key, envelope)) {
      return failed("entry", "signature_invalid", `${at} is not signed by the key of the ledger.`);
    }
  }
  if (ledger.public_key === null) return notCheckable("entry", "unsigned", "The ledger was written without a key.");
  return passed("entry");
}

function isSignedLike(publicKey: string | null, envelope: LedgerDocument["entries"][number]): boolean {
  return publicKey === null ? envelope.signatures.length === 0 : isSigned(envelope, publicKey);
}

/** Ids are unique. Times may run backwards: clocks do. */
function checkOrder(statements: readonly Statement[]): Check {
  const ids = new Set<string>();
  for (const { predicate } of statements) {
    if (ids.has(predicate.id)) return failed("order", "duplicate_id", "Two entries have the same id.");
    ids.add(predicate.id);
  }
  return passed("order");
}

function checkTexts({ texts }: LedgerDocument, statements: readonly Statement[]): Check {
  const known = new Set(statements.flatMap(({ subject }) => subject.map(({ digest }) => digest.sha256)));
  for (const [hash, text] of Object.entries(texts)) {
    if (sha256Hex(text) !== hash) return failed("texts", "text_mismatch", "A text has another hash than its name.");
    if (!known.has(hash)) return failed("texts", "text_unknown", "A text belongs to no entry.");
  }
  return passed("texts");
}

function checkRoot(ledger: LedgerDocument, checkpoint: Checkpoint | undefined): Check {
  if (checkpoint === undefined) {
    return failed("root", "checkpoint_malformed", "The checkpoint does not have the form of one.");
  }
  const root = rootOf(ledger.entries.map(({ payload }) => leafHash(fromBase64(payload))));
  const agrees = checkpoint.ledger === ledger.ledger && checkpoint.size === ledger.entries.length;
  if (!agrees || !equalBytes(root, checkpoint.root)) {
    return failed("root", "root_mismatch", "The entries do not give the root that the checkpoint states.");
  }
  return passed("root");
}

function withoutKey(keys: readonly string[]): Check {
  if (keys.length > 0) return failed("signer", "unknown_signer", "A signed ledger was demanded.");
  return notCheckable("signer", "no_trusted_keys", "The ledger was written without a key.");
}

function checkCheckpoint(ledger: LedgerDocument, checkpoint: Checkpoint | undefined): Check {
  if (ledger.public_key === null && checkpoint !== undefined && checkpoint.signature === undefined) {
    return notCheckable("checkpoint", "unsigned", "The ledger was written without a key.");
  }
  if (ledger.public_key === null || checkpoint === undefined || !isSignedBy(checkpoint, fromBase64(ledger.public_key))) {
    return failed("checkpoint", "checkpoint_invalid", "The key of the ledger has not signed the checkpoint.");
  }
  return passed("checkpoint");
}
