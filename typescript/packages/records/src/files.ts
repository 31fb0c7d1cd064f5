/** Files that hold cards, seals of notebooks and ledger documents: what a page loads when one is opened. */

import { INDEX_PREDICATE_TYPE, LEDGER_VERSION } from "./constants.js";
import { anything, count, object, ShapeError } from "./decode.js";
import { decodeSubjects, requireSigned } from "./documents.js";
import * as files from "./file-shapes.js";
import type * as shapes from "./shapes.js";

/** The statement that seals a notebook. */
export interface IndexStatement extends Omit<shapes.Statement, "predicate"> {
  readonly predicate: files.IndexPredicate;
}

const anyLedger = object<Record<keyof files.LedgerDocument, unknown>>({
  service_nb_ledger: count,
  ledger: anything,
  entries: anything,
  public_key: anything,
  checkpoint: anything,
  texts: anything,
});

/**
 * Narrows a parsed JSON value to the seal of a notebook.
 *
 * @throws {ShapeError}
 */
export function decodeSeal(value: unknown): files.NotebookSeal {
  return requireSigned(files.notebookSeal(value, "metadata.service_nb"), "metadata.service_nb");
}

/**
 * Narrows a parsed JSON value to the statement of a notebook's index, which has one subject: its list of cards.
 *
 * @throws {ShapeError}
 */
export function decodeIndexStatement(value: unknown): IndexStatement {
  const statement = decodeSubjects(value);
  if (statement.predicateType !== INDEX_PREDICATE_TYPE) throw new ShapeError("statement.predicateType", "an index");
  if (statement.subject.length !== 1 || statement.subject[0]?.name !== "cards") {
    throw new ShapeError("statement.subject", "one subject, named cards");
  }
  return { ...statement, predicate: files.indexPredicate(statement.predicate, "statement.predicate") };
}

/**
 * Narrows a parsed JSON value to a ledger document.
 *
 * @throws {ShapeError}
 */
export function decodeLedger(value: unknown): files.LedgerDocument {
  if (anyLedger(value, "ledger").service_nb_ledger !== LEDGER_VERSION) {
    throw new ShapeError("ledger.service_nb_ledger", "a version that is known here", "unknown_version");
  }
  return files.ledgerDocument(value, "ledger");
}
