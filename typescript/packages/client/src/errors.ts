/** Errors of the client, with the codes, sources and details of Python's. */

import { type CODES } from "./deployment/codes.js";

/** What an error is, for programs; codes are stable. */
export type ErrorCode = (typeof CODES)[number];

export type ErrorSource = "engine" | "service";

/** Facts for programs, such as `line`, `column`, `met`, `expected`; undefined and null ones are left out. */
export type Details = Readonly<Record<string, unknown>>;

export interface ErrorOptions {
  /** What to do about it. */
  readonly hint?: string | undefined;
  readonly details?: Details;
  /** Of what a deployment tells; otherwise both follow from the code. */
  readonly source?: ErrorSource;
  readonly retryable?: boolean;
}

/** The codes whose cause is the surrounding service, and not data, a plan or a run. */
const OF_SERVICE: ReadonlySet<string> = new Set([
  "answer_mismatch",
  "deployment_required",
  "deployment_unavailable",
  "driver_missing",
  "engine_failed",
  "forbidden",
  "ledger_unavailable",
  "login_required",
  "overloaded",
  "rate_limited",
  "route_not_found",
  "runtime_provision_failed",
  "secret_unavailable",
  "unauthenticated",
  "unsupported_platform",
  "compute_runtime_unavailable",
]);
const RETRYABLE: ReadonlySet<string> = new Set([
  ...["timeout", "interrupted", "compute_runtime_unavailable", "deployment_unavailable", "rate_limited", "overloaded"],
]);

/** The base of every error that the client throws on purpose: a stable code, one sentence, what to do about it. */
export class ServiceError extends Error {
  override readonly name: string = "ServiceError";
  readonly code: ErrorCode;
  readonly source: ErrorSource;
  readonly retryable: boolean;
  hint: string | undefined;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message);
    this.code = code;
    this.source = options.source ?? (OF_SERVICE.has(code) ? "service" : "engine");
    this.retryable = options.retryable ?? RETRYABLE.has(code);
    this.hint = options.hint;
    const known = Object.entries(options.details ?? {}).filter(([, value]) => value !== undefined && value !== null);
    this.details = Object.fromEntries(known);
  }

  /** Of `unsupported_operation`: capabilities whose names are like the one that is not there, the nearest first. */
  get nearestMatches(): readonly string[] {
    const near = this.details["nearest_matches"];
    return Array.isArray(near) ? near.map(String) : [];
  }

  /** The error as JSON: code, message, hint, source, retryable, details. */
  toJSON(): Record<string, unknown> {
    const { code, message, source, retryable, details } = this;
    return { code, message, hint: this.hint ?? null, source, retryable, details };
  }
}

/** Builds the error of content that breaks the rules of its format. */
export function sourceMalformed(message: string, details: Details = {}, hint?: string): ServiceError {
  return new ServiceError("source_malformed", message, { hint, details });
}

/** Builds the error of an input or a result beyond a limit. */
export function beyondLimit(message: string, details: Details = {}, hint?: string): ServiceError {
  return new ServiceError("limit_exceeded", message, { hint, details });
}
