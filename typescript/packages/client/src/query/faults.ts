/** The errors of questions. */

import { type Details, ServiceError } from "../errors.js";

/** Builds the error of a spec, a line or an argument that is malformed. */
export function invalidIntent(message: string, details: Details = {}, hint?: string): ServiceError {
  return new ServiceError("invalid_intent", message, { hint, details });
}

/** Builds the error of what is beyond a limit. */
export function limitExceeded(message: string, details: Details = {}, hint?: string): ServiceError {
  return new ServiceError("limit_exceeded", message, { hint, details });
}

/** Whether an error says that a question is malformed. */
export function isInvalidIntent(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === "invalid_intent";
}

/** Whether an error says that a question is beyond a limit. */
export function isLimitExceeded(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === "limit_exceeded";
}
