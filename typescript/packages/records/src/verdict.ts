import type { CheckName, FailedCause, OpenCause } from "./causes.js";
import { UNDECIDING } from "./constants.js";

export type CheckStatus = "passed" | "failed" | "not_checkable";
/**
 * `verified`: everything that is shown was compared, and a trusted key signed it. `unaltered`: the same, signed by a key
 * that is not trusted here. `consistent`: the same, unsigned. `altered`: something contradicts something else.
 * `not_checkable`: a part that decides is not kept or not known.
 */
export type VerdictStatus = "verified" | "unaltered" | "consistent" | "not_checkable" | "altered";

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
