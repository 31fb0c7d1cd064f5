/** The error of a call that failed: by its code, by its status, or by what never arrived. */

import { isObject } from "@service-nb/records";
import { type Details, type ErrorCode, ServiceError } from "../errors.js";
import { makeVisible } from "../query/text.js";
import { CODES, FAILURES, MASK, REASONED } from "./codes.js";
import { decodeMessage } from "./decode.js";
import { type ErrorBody } from "./messages.js";
import { type Secret } from "./secret.js";
import { parseJsonBytes } from "./values.js";

const MOST_CHARS = 2_000; // of one text of an error
const MOST_DETAILS = 50;
const MOST_ITEMS = 1_000; // of a list in the details
const MOST_DEPTH = 4;
const SHORTEST_SECRET = 4; // shorter ones are part of every other word
const CODE = /^[a-z][a-z0-9_]{0,63}$/;
const KNOWN: ReadonlySet<string> = new Set(CODES);
const WITH_REASON: ReadonlySet<string> = new Set(REASONED);
const UNAVAILABLE = "deployment_unavailable";
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Why no answer came, or none that is one. */
export type Reason = "unreachable" | "timed_out" | "lost" | "tls" | "malformed" | "redirected" | "refused";

interface Unavailable {
  /** The same call may succeed later. */
  readonly passes: boolean;
  readonly hint?: string;
  readonly details?: Details;
}

export function buildUnavailable(reason: Reason, message: string, about: Unavailable): ServiceError {
  const { passes, hint, details } = about;
  return new ServiceError(UNAVAILABLE, message, { hint, retryable: passes, details: { reason, ...details } });
}

/** The error of an answer that is not what it has to be: it is not used. */
export function buildMismatch(message: string, hint: string, details: Details = {}): ServiceError {
  return new ServiceError("answer_mismatch", message, { hint, details });
}

/** An answer with a status that is none of success. */
export interface FailedAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly isJson: boolean;
}

/** The error that an answer has, with no secret in it. */
export function readError(answer: FailedAnswer, hidden: readonly Secret[]): ServiceError {
  const told = answer.isJson ? decodeBody(answer.body) : undefined;
  if (told === undefined) return buildFromStatus(answer.status);
  const isOther = !KNOWN.has(told.code) && (answer.status >= 500 || !CODE.test(told.code));
  const code = isOther ? UNAVAILABLE : told.code;
  const details = readDetails(told, hidden);
  if (isOther) Object.assign(details, { status: answer.status, met: makeVisible(told.code.slice(0, 64)) });
  if (code === "connector_failed" && !FAILURES.some((known) => known === details["reason"]))
    details["reason"] = "malformed";
  if (WITH_REASON.has(code)) details["reason"] ??= "unknown";
  if (code === "unsupported_operation") details["nearest_matches"] ??= [];
  const hint = typeof told.hint === "string" ? cleanText(told.hint, hidden) : undefined;
  const { source, retryable } = told;
  return new ServiceError(code as ErrorCode, cleanText(told.message, hidden), { hint, details, source, retryable });
}

function readDetails(told: ErrorBody, hidden: readonly Secret[]): Record<string, unknown> {
  const pairs = Object.entries(told.details ?? {}).slice(0, MOST_DETAILS);
  const cleaned = pairs.map(([key, value]) => [cleanText(key, hidden), hideSecrets(value, hidden)] as const);
  return { request_id: cleanText(told.request_id, hidden), ...Object.fromEntries(cleaned) };
}

function decodeBody(body: Uint8Array): ErrorBody | undefined {
  try {
    return decodeMessage("ErrorBody", parseJsonBytes(body));
  } catch {
    return undefined;
  }
}

/** The error of an answer that is none of ours: another server stands at that address, or in front of it. */
function buildFromStatus(status: number): ServiceError {
  const details = { status };
  if (status === 401)
    return new ServiceError("unauthenticated", "A proxy in front of the deployment asks for another key.", { details });
  if (status === 403)
    return new ServiceError("forbidden", "A proxy in front of the deployment blocks this request.", { details });
  if (status >= 300 && status < 400)
    return buildUnavailable(
      "redirected",
      `The deployment's address answers ${String(status)}: it redirects, and the key is not sent to another address.`,
      { passes: false, hint: "Set SERVICE_DEPLOYMENT_URL to the address that it redirects to.", details },
    );
  return buildUnavailable(
    "refused",
    `The deployment's address answers ${String(status)}, which is not an answer of a deployment.`,
    { passes: PASSING_STATUS.has(status), hint: "Is SERVICE_DEPLOYMENT_URL the address of a deployment?", details },
  );
}

function hideSecrets(value: unknown, hidden: readonly Secret[], depth = 0): unknown {
  if (typeof value === "string") return cleanText(value, hidden);
  if (depth < MOST_DEPTH && Array.isArray(value))
    return value.slice(0, MOST_ITEMS).map((item) => hideSecrets(item, hidden, depth + 1));
  if (depth < MOST_DEPTH && isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [cleanText(key, hidden), hideSecrets(item, hidden, depth + 1)]),
    );
  return typeof value === "boolean" || typeof value === "number" ? value : null;
}

function cleanText(text: string, hidden: readonly Secret[]): string {
  let cleaned = text;
  for (const secret of hidden)
    if (secret.reveal().length >= SHORTEST_SECRET) cleaned = cleaned.replaceAll(secret.reveal(), () => MASK);
  return makeVisible(cleaned.slice(0, MOST_CHARS));
}
