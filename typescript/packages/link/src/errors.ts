/** What the link itself can meet. */
export const LINK_CODES = ["busy", "closed", "unknown_version", "malformed_answer"] as const;

/** The codes of the kernel's errors, as `service_nb/errors.py` draws them, and `internal` for what it did not expect. */
export const KERNEL_CODES = [
  "answer_mismatch",
  "canonical_json_invalid",
  "computation_error",
  "compute_runtime_unavailable",
  "connector_failed",
  "connector_not_found",
  "deployment_required",
  "deployment_unavailable",
  "domain_error",
  "driver_missing",
  "duplicate_argument_binding",
  "engine_failed",
  "evidence_invalid",
  "forbidden",
  "internal",
  "interrupted",
  "invalid_intent",
  "ledger_unavailable",
  "limit_exceeded",
  "login_required",
  "overloaded",
  "plan_invalid",
  "policy_denied_field",
  "policy_denied_function",
  "policy_denied_source",
  "rate_limited",
  "result_not_found",
  "route_not_found",
  "runtime_provision_failed",
  "schema_revision_mismatch",
  "secret_unavailable",
  "seed_required",
  "service_error",
  "source_already_registered",
  "source_changed",
  "source_error",
  "source_malformed",
  "source_not_found",
  "source_unreadable",
  "timeout",
  "unauthenticated",
  "undecided",
  "unsupported_operation",
  "unsupported_platform",
  "unsupported_source",
] as const;

export type LinkCode = (typeof LINK_CODES)[number];
export type KernelCode = (typeof KERNEL_CODES)[number];
export type ClientErrorCode = LinkCode | KernelCode;

/** Why something that was asked has no answer. `message` is for people; `hint` says what to do, where there is a hint. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  readonly hint: string | null;

  constructor(code: ClientErrorCode, message: string, hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** A code as it came from a kernel; one that is newer than this list is told as `internal`. */
export function kernelCode(code: string): ClientErrorCode {
  const known: readonly ClientErrorCode[] = KERNEL_CODES;
  return code === "unknown_version" ? code : (known.find((each) => each === code) ?? "internal");
}
