/** Checks and causes in words. Each record names every one there is, so that a new one does not compile without words. */

import type { Check, CheckName, FailedCause, OpenCause } from "@service-nb/records";

interface Reason {
  readonly said: string; // after "Mismatch: "
  readonly expected: string;
  readonly met: string;
}

const CHECKS: Readonly<Record<CheckName, string>> = {
  form: "form of the card",
  plan_hash: "plan",
  result_hash: "result",
  schema_revision: "schema of the source",
  refusal_hash: "question and reason",
  error_hash: "error",
  input_hash: "arguments",
  invocation_hash: "call",
  computation_hash: "value",
  contract_hash: "contract of the call",
  replay_hash: "report of the replay",
  view_hash: "what is shown",
  rows_hash: "rows that are shown",
  kind: "kind of the card",
  signature: "signature",
  signer: "whose signature it is",
  statement: "signed statement",
  inclusion: "place in the ledger",
  checkpoint: "checkpoint of the ledger",
  contract: "known contract",
  faces: "other forms of the output",
  entry: "entry of the ledger",
  order: "order of the ledger",
  texts: "texts of the ledger",
  root: "root of the ledger",
  cards: "cards of the notebook",
};

/** What a check is about. */
export function labelOf(check: CheckName): string {
  return CHECKS[check];
}

function hashed(what: string): Reason {
  return {
    said: `${what} was changed after its hash was taken`,
    expected: "a text with the hash that the card states",
    met: "a text with another hash",
  };
}

function unreadable(said: string, met: string): Reason {
  return { said, expected: "a card in strict JSON", met };
}

function unknown(said: string): Reason {
  return { said, expected: "a form that is known here", met: "one that is not" };
}

const REASONS: Readonly<Record<FailedCause, Reason>> = {
  plan_hash_mismatch: hashed("the plan"),
  result_hash_mismatch: hashed("the result"),
  schema_revision_mismatch: {
    said: "the plan was made for another schema than the card states",
    expected: "the schema that the plan names",
    met: "another schema",
  },
  refusal_hash_mismatch: hashed("the question or the reason why it was not run"),
  error_hash_mismatch: hashed("the error"),
  input_hash_mismatch: hashed("the list of arguments"),
  invocation_hash_mismatch: hashed("the call"),
  computation_hash_mismatch: hashed("the value"),
  contract_hash_mismatch: {
    said: "the call was made under another contract than the card states",
    expected: "the contract that the call names",
    met: "another contract",
  },
  replay_hash_mismatch: hashed("the report of the replay"),
  view_hash_mismatch: hashed("what the card shows"),
  rows_hash_mismatch: hashed("a row that the card shows"),
  malformed_json: unreadable("the card is not strict JSON", "a text that two readers could understand differently"),
  too_large: unreadable("the card is larger than any that was ever written", "a text beyond the limit"),
  too_deep: unreadable("the card is nested deeper than any that was ever written", "values beyond the limit of depth"),
  unsafe_number: unreadable("the card holds a number that readers would round", "a number beyond the safe ones"),
  malformed_card: {
    said: "the card does not have the form of one",
    expected: "the members that a card of its kind has",
    met: "others, or some are missing",
  },
  malformed_notebook: {
    said: "the notebook does not have the form of one",
    expected: "cells with outputs",
    met: "something else",
  },
  malformed_ledger: {
    said: "the ledger does not have the form of one",
    expected: "entries and a checkpoint",
    met: "something else",
  },
  index_malformed: {
    said: "the seal of the notebook does not have the form of one",
    expected: "a signed list of cards",
    met: "something else",
  },
  unknown_version: unknown("it was written in a version that is not known here"),
  unknown_kind: unknown("it is of a kind that is not known here"),
  unknown_document: unknown("it is no notebook, card or ledger"),
  kind_contradicted: {
    said: "the card shows another outcome than it is the evidence of",
    expected: "the outcome of its kind, and no more rows than there are",
    met: "another",
  },
  receipt_missing: {
    said: "the card is not signed, and only signed cards are trusted here",
    expected: "a receipt",
    met: "none",
  },
  receipt_malformed: {
    said: "the receipt does not have the form of one",
    expected: "a signed statement and its place in a ledger",
    met: "something else",
  },
  signature_invalid: {
    said: "the signature is not one of the key that is named",
    expected: "a signature over the statement",
    met: "one over something else, or by another key",
  },
  unknown_signer: {
    said: "it was signed by a device that is not among your trusted keys",
    expected: "one of your trusted keys",
    met: "another key",
  },
  statement_malformed: {
    said: "what was signed does not have the form of a statement",
    expected: "a statement of an outcome",
    met: "something else",
  },
  receipt_of_another_card: {
    said: "the receipt belongs to another card",
    expected: "a statement of the hashes of this card",
    met: "one of other hashes",
  },
  inclusion_invalid: {
    said: "the ledger does not hold this entry",
    expected: "a way from the entry to the root of the ledger",
    met: "a way to another root",
  },
  checkpoint_malformed: {
    said: "the checkpoint of the ledger does not have the form of one",
    expected: "a signed note",
    met: "something else",
  },
  checkpoint_invalid: {
    said: "the checkpoint of the ledger was not signed by the key that is named",
    expected: "a signature over the checkpoint",
    met: "one over something else, or by another key",
  },
  entry_malformed: {
    said: "an entry of the ledger does not have the form of one",
    expected: "a statement of an outcome",
    met: "something else",
  },
  duplicate_id: {
    said: "two entries of the ledger have the same id",
    expected: "an id for each entry",
    met: "one id twice",
  },
  text_mismatch: {
    said: "a text of the ledger was changed after its hash was taken",
    expected: "a text with the hash under which it is kept",
    met: "a text with another hash",
  },
  text_unknown: {
    said: "the ledger holds a text that none of its entries speaks of",
    expected: "texts of its entries",
    met: "another text",
  },
  root_mismatch: {
    said: "the entries are not those that the checkpoint was signed for",
    expected: "entries that lead to the root of the checkpoint",
    met: "entries that lead to another root",
  },
  card_missing: {
    said: "a card was taken out of the notebook",
    expected: "a card for each output that shows one, and the cards that were sealed",
    met: "fewer cards",
  },
  card_added: {
    said: "a card was put into the notebook",
    expected: "the cards that were sealed",
    met: "more cards",
  },
  card_replaced: {
    said: "a card of the notebook was replaced",
    expected: "the cards that were sealed",
    met: "another card",
  },
  card_moved: {
    said: "cards of the notebook were moved",
    expected: "the order that was sealed",
    met: "another order",
  },
};

/** Why a check failed, in words. */
export function reasonOf(cause: FailedCause): Reason {
  return REASONS[cause];
}

const OPEN: Readonly<Record<OpenCause, string>> = {
  text_not_kept: "the text is not kept in the card, only its hash",
  rows_not_kept: "the rows were taken out of the card, and only their hash is left",
  unsigned: "the card is not signed",
  no_trusted_keys: "nobody said whose keys are trusted",
  contract_unknown: "the contract is not one that is known here",
  no_known_contracts: "no contract was given to compare with",
  verifier_failed: "the verification broke off with an error, which the browser's console has",
};

type OpenCheck = Check & { readonly status: "not_checkable" };

/** Why a check cannot be made here, after "Not checkable here: ". */
export function whyOpen({ check, cause }: OpenCheck): string {
  if (cause !== "text_not_kept") return OPEN[cause];
  switch (check) {
    case "result_hash":
      return "the whole result is not kept in the card, only its hash";
    case "computation_hash":
      return "the whole value is not kept in the card, only its hash";
    case "input_hash":
      return "the arguments are not kept in the card, only their hash";
    default:
      return OPEN[cause];
  }
}

/** What is said beside a verdict of a check that is open and no fault of the card. `%1` is the id of a known signer. */
export function noteOf({ check, cause }: OpenCheck, isSignerKnown: boolean): string {
  switch (cause) {
    case "unsigned":
      return "not signed: the hashes agree with each other; who made it is not proven";
    case "no_trusted_keys":
      return isSignerKnown
        ? "signed by device %1, which is not among your trusted keys"
        : "signed by a key that is not among your trusted keys";
    case "contract_unknown":
      return "the contract it was made under is not one that is known here";
    case "no_known_contracts":
      return "no contract was given to compare with";
    case "verifier_failed":
      return "a part of the verification broke off";
    case "text_not_kept":
    case "rows_not_kept":
      return check === "input_hash"
        ? "long arguments stand in it by their signed hash"
        : "part of it stands in it by its hash only";
  }
}
