import {
  type Check,
  decodeEnvelope,
  decodeLedger,
  type Envelope,
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
import { refusalOf } from "./plain.js";
import { decoded } from "./shape.js";
import { checkSigner } from "./signer.js";
import { readStatement } from "./statement.js";

/** Verifies a parsed ledger document: its entries one by one, then all of them against the signed checkpoint. */
export function verifyLedger(document: unknown, options: VerifyOptions = {}): Verdict {
  const refusal = refusalOf(document);
  if (refusal !== undefined) return refused("ledger", refusal, "No strict JSON text has this value.");
  const ledger = decoded(decodeLedger, document);
  if (ledger instanceof ShapeError) {
    return refused("ledger", ledger.reason === "unknown_version" ? ledger.reason : "malformed_ledger", ledger.message);
  }
  const entries = readEntries(ledger);
  if (!Array.isArray(entries)) return verdict("ledger", [passed("form"), entries]);
  const statements = entries.map((entry) => entry.statement);
  const checkpoint = parseCheckpoint(ledger.checkpoint);
  return verdict("ledger", [
    passed("form"),
    checkSigned(entries),
    checkOrder(statements),
    checkTexts(ledger, statements),
    checkRoot(ledger, entries, checkpoint),
    ...checkKey(ledger.public_key, checkpoint, options.keys ?? []),
  ]);
}

interface Entry {
  readonly envelope: Envelope;
  readonly statement: Statement;
}

/** The entries, or the check that the first of them fails which is no entry of this ledger. */
function readEntries({ entries, public_key: key }: LedgerDocument): Entry[] | Check {
  const read: Entry[] = [];
  for (const [index, value] of entries.entries()) {
    const at = `Entry ${String(index)}`;
    const envelope = decoded(decodeEnvelope, value);
    if (envelope instanceof ShapeError) return failed("entry", "entry_malformed", `${at}: ${envelope.message}`);
    const statement = readStatement(envelope);
    if (statement instanceof ShapeError) return failed("entry", "entry_malformed", `${at}: ${statement.message}`);
    if (envelope.signatures.length > 0 && (key === null || !isSigned(envelope, key))) {
      return failed("entry", "signature_invalid", `${at} is not signed by the key of the ledger.`);
    }
    read.push({ envelope, statement });
  }
  return read;
}

/** Entries from before there was a key: only the checkpoint vouches for them. */
function checkSigned(entries: readonly Entry[]): Check {
  const unsigned = entries.filter(({ envelope }) => envelope.signatures.length === 0).length;
  if (unsigned > 0) return notCheckable("entry", "unsigned", `${String(unsigned)} entries were written without a key.`);
  return passed("entry");
}

/** Ids are unique. Times may run backwards: clocks do. */
function checkOrder(statements: readonly Statement[]): Check {
  const ids = new Set(statements.map(({ predicate }) => predicate.id));
  if (ids.size < statements.length) return failed("order", "duplicate_id");
  return passed("order");
}

function checkTexts({ texts }: LedgerDocument, statements: readonly Statement[]): Check {
  const hashes = Object.keys(texts);
  if (hashes.some((hash) => sha256Hex(texts[hash] ?? "") !== hash)) {
    return failed("texts", "text_mismatch");
  }
  const known = new Set(statements.flatMap(({ subject }) => subject.map(({ digest }) => digest.sha256)));
  if (!hashes.every((hash) => known.has(hash))) return failed("texts", "text_unknown");
  return passed("texts");
}

function checkRoot({ ledger }: LedgerDocument, entries: readonly Entry[], checkpoint: Checkpoint | undefined): Check {
  if (checkpoint === undefined) {
    return failed("root", "checkpoint_malformed");
  }
  const root = rootOf(entries.map(({ envelope }) => leafHash(fromBase64(envelope.payload))));
  const isOfThese = checkpoint.ledger === ledger && checkpoint.size === entries.length;
  if (!isOfThese || !equalBytes(root, checkpoint.root)) {
    return failed("root", "root_mismatch");
  }
  return passed("root");
}

function checkKey(key: string | null, checkpoint: Checkpoint | undefined, keys: readonly string[]): Check[] {
  if (key === null) {
    return [notCheckable("signer", "unsigned"), notCheckable("checkpoint", "unsigned")];
  }
  if (checkpoint === undefined || !isSignedBy(checkpoint, fromBase64(key))) {
    return [checkSigner(key, keys), failed("checkpoint", "checkpoint_invalid")];
  }
  return [checkSigner(key, keys), passed("checkpoint")];
}
