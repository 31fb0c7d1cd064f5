/** What a runtime refuses, as errors of the client. */

import { type ErrorCode, ServiceError } from "../errors.js";
import { describeValue } from "../query/text.js";

/** A kernel's refusal, or its failure, as a runtime tells it. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const CODES: readonly ErrorCode[] = [
  "domain_error",
  "undecided",
  "limit_exceeded",
  "invalid_intent",
  "seed_required",
  "unsupported_operation",
  "unsupported_platform",
  "compute_runtime_unavailable",
];
const UNSAID: ReadonlySet<string> = new Set(["hint", "message", "value"]);
const HINTS: Readonly<Record<string, string>> = {
  unsupported_operation: "Add its module to runtimeModules, or leave the option out.",
  compute_runtime_unavailable: "Call again: the runtime has replaced it.",
};

/** Builds the error of a kernel's refusal or failure of a call. */
export function buildFault(capabilityId: string, { code, message, details }: Fault, engine: string): ServiceError {
  if (code === "timeout") return buildTimeout(capabilityId);
  const known = CODES.find((each) => each === code);
  if (known === undefined)
    return new ServiceError("engine_failed", `${capabilityId} failed with ${message}.`, { details: { engine } });
  const facts = Object.fromEntries(Object.entries(details).filter(([key]) => !UNSAID.has(key)));
  const met = details["value"] === undefined ? {} : { met: describeValue(details["value"]) };
  return new ServiceError(known, `${capabilityId}: ${message}`, { hint: HINTS[code], details: { ...facts, ...met } });
}

/** Builds the error of a call that was stopped at its deadline. */
export function buildTimeout(capabilityId: string): ServiceError {
  const hint = "Raise `timeout`, or compute less.";
  return new ServiceError("timeout", `${capabilityId} was stopped at its deadline.`, { hint });
}

/** Says in an error's details which one of several calls failed, as `call`. */
export function markFailedCall(error: ServiceError, index: number, calls: number): ServiceError {
  if (calls > 1) error.details["call"] = index;
  return error;
}
