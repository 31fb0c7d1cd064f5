import type { JsonCause } from "./json-error.js";
import { UNDECIDING } from "./constants.js";
import type { DigestName } from "./documents.js";

export type CheckStatus = "passed" | "failed" | "not_checkable";
/**
 * `verified`: everything that is shown was compared, and a trusted key signed it. `unaltered`: the same, signed by a key
 * that is not trusted here. `consistent`: the same, unsigned. `altered`: something contradicts something else.
 * `not_checkable`: a part that decides is not kept or not known.
 */
export type VerdictStatus = "verified" | "unaltered" | "consistent" | "not_checkable" | "altered";

/** What is checked, in the order of the checks of a card, of a ledger document, of the index of a notebook. */
export type CheckName =
  | "form"
  | DigestName
  | "kind"
  | "shown"
  | "capability"
  | "signature"
  | "signer"
  | "statement"
  | "inclusion"
  | "checkpoint"
  | "contract"
  | "faces"
  | "cell"
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
  | "shown_differs"
  | "capability_not_in_contract"
  | "call_misfit"
  | "receipt_missing"
  | "receipt_malformed"
  | "signature_invalid"
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
  | "card_moved"
  | "face_differs";

/** Why a check cannot be made here. No verifier says `verifier_failed`: whoever runs one says so where it broke. */
export type OpenCause =
  | "text_not_kept"
  | "rows_not_kept"
  | "shown_not_kept"
  | "unsigned"
  | "unknown_signer"
  | "face_of_another_version"
  | "cell_edited"
  | "contract_unknown"
  | "no_known_contracts"
  | "no_cards" // of a notebook, which reports say
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

/** The verdict of checks: what failed comes first, then what could not be decided, then who signed. */
export function verdict(subject: string, checks: readonly Check[]): Verdict {
  return { subject, status: statusOf(checks), checks };
}

function statusOf(checks: readonly Check[]): VerdictStatus {
  if (checks.some(({ status }) => status === "failed")) return "altered";
  const open = checks.flatMap((check) => (check.status === "not_checkable" ? [check.cause] : []));
  if (open.some((cause) => !(UNDECIDING as readonly OpenCause[]).includes(cause))) return "not_checkable";
  if (open.includes("unsigned")) return "consistent";
  return open.includes("unknown_signer") ? "unaltered" : "verified";
}
