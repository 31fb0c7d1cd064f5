import type { JsonCause } from "./json-error.js";
import type { DigestName } from "./card.js";

export type CheckStatus = "passed" | "failed" | "not_checkable";
export type VerdictStatus = "verified" | "incomplete" | "mismatch";

/** What is checked, in the order of the checks of a card, of a ledger document, of the index of a notebook. */
export type CheckName =
  | "form"
  | DigestName
  | "kind"
  | "signature"
  | "signer"
  | "statement"
  | "inclusion"
  | "checkpoint"
  | "contract"
  | "faces"
  | "entry"
  | "order"
  | "texts"
  | "root"
  | "cards";

/** Why a thing is not even read. */
export type FormCause =
  | JsonCause
  | "malformed_card"
  | "malformed_notebook"
  | "malformed_ledger"
  | "index_malformed"
  | "unknown_version"
  | "unknown_kind"
  | "unknown_document";

/** Why a check failed. */
export type FailedCause =
  | FormCause
  | `${DigestName}_mismatch`
  | "kind_contradicted"
  | "receipt_missing"
  | "receipt_malformed"
  | "signature_invalid"
  | "unknown_signer"
  | "statement_malformed"
  | "receipt_of_another_card"
  | "inclusion_invalid"
  | "checkpoint_malformed"
  | "checkpoint_invalid"
  | "entry_malformed"
  | "duplicate_id"
  | "text_mismatch"
  | "text_unknown"
  | "root_mismatch"
  | "card_missing"
  | "card_added"
  | "card_replaced"
  | "card_moved";

/** Why a check cannot be made here. No verifier says `verifier_failed`: whoever runs one says so where it broke. */
export type OpenCause =
  | "text_not_kept"
  | "rows_not_kept"
  | "unsigned"
  | "no_trusted_keys"
  | "contract_unknown"
  | "no_known_contracts"
  | "verifier_failed";

/** One check. `message` is for people, and no two verifiers need to say the same. */
export type Check = { readonly check: CheckName; readonly message: string } & (
  | { readonly status: "passed"; readonly cause: null }
  | { readonly status: "failed"; readonly cause: FailedCause }
  | { readonly status: "not_checkable"; readonly cause: OpenCause }
);

/** The checks of one thing, in the order in which they were made. `subject` names it for people. */
export interface Verdict {
  readonly subject: string;
  readonly status: VerdictStatus;
  readonly checks: readonly Check[];
}

export function passed(check: CheckName, message = ""): Check {
  return { check, status: "passed", cause: null, message };
}

export function failed(check: CheckName, cause: FailedCause, message = ""): Check {
  return { check, status: "failed", cause, message };
}

export function notCheckable(check: CheckName, cause: OpenCause, message = ""): Check {
  return { check, status: "not_checkable", cause, message };
}

/** `mismatch` if a check failed, `incomplete` if one could not be made here, else `verified`. */
export function verdict(subject: string, checks: readonly Check[]): Verdict {
  const statuses = new Set(checks.map((check) => check.status));
  const status = statuses.has("failed") ? "mismatch" : statuses.has("not_checkable") ? "incomplete" : "verified";
  return { subject, status, checks };
}
