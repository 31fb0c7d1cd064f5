/**
 * Calls of a deployment: each ends by its deadline in an answer of the expected form, or in a typed error.
 *
 * Every call carries an `Idempotency-Key`, so sending it again repeats nothing.
 */

import { sha256 } from "@noble/hashes/sha2.js";
import { decodeBase64, encodeUtf8 } from "@service-nb/records";
import { encodeBase64 } from "../base64.js";
import { beyondLimit, ServiceError } from "../errors.js";
import { decodeMessage, MisfitError } from "./decode.js";
import { buildUnavailable, readError } from "./faults.js";
import { type Messages } from "./messages.js";
import { type Secret } from "./secret.js";
import { ExchangeError, type HttpRequest, type HttpResponse, type Transport } from "./transport.js";
import { parseJsonBytes } from "./values.js";
import { VERSION } from "../version.js";

const MOST_BYTES = 64 * 1024 ** 2; // of an answer, unless more is asked for
const LONGEST_S = 900; // of a call without a timeout
const GRACE_S = 2; // beyond the timeout: the deployment's own `timeout` error arrives first
const MOST_TRIES = 5;
const PROBE_S = 0.75; // for a deployment that did not answer the last call to show that it is there
const [FIRST_PAUSE_S, LONGEST_PAUSE_S] = [0.05, 5];
const RETRYABLE: ReadonlySet<string> = new Set(["rate_limited", "overloaded", "compute_runtime_unavailable"]);
const SHA256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]{1,128}):\s*(?:$|,)/;

/** Options of a call. */
export interface CallOptions {
  /** Seconds; undefined: 900. */
  readonly timeoutS?: number | undefined;
  readonly mostBytes?: number | undefined;
  /** Secrets in the body, which no error may show. */
  readonly hidden?: readonly Secret[] | undefined;
}

interface Call extends CallOptions {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly body: unknown;
}

/** The call may be sent again after a pause. */
class RetryError extends Error {
  readonly error: ServiceError;
  readonly pauseS: number | undefined;

  constructor(error: ServiceError, pauseS?: number) {
    super(error.message);
    [this.error, this.pauseS] = [error, pauseS];
  }
}

/** One deployment, with one key, for one tenant. */
export class DeploymentClient {
  readonly #transport: Transport;
  readonly #key: Secret | undefined;
  readonly #tenant: string | undefined;
  #isSilent = false; // nothing answered the last call

  constructor(transport: Transport, key: Secret | undefined, tenant?: string) {
    [this.#transport, this.#key, this.#tenant] = [transport, key, tenant];
  }

  /** The host of the deployment, and its port if one is told. */
  get host(): string {
    return this.#transport.host;
  }

  async get<K extends keyof Messages>(path: string, kind: K, options: CallOptions = {}): Promise<Messages[K]> {
    return this.#decode(kind, await this.#call({ method: "GET", path, body: undefined, ...options }));
  }

  async post<K extends keyof Messages>(
    path: string,
    body: unknown,
    kind: K,
    options: CallOptions = {},
  ): Promise<Messages[K]> {
    return this.#decode(kind, await this.#call({ method: "POST", path, body, ...options }));
  }

  async delete(path: string, options: CallOptions = {}): Promise<void> {
    await this.#call({ method: "DELETE", path, body: undefined, ...options });
  }

  close(): void {
    this.#transport.close();
  }

  #decode<K extends keyof Messages>(kind: K, value: unknown): Messages[K] {
    try {
      return decodeMessage(kind, value);
    } catch (error) {
      if (!(error instanceof MisfitError)) throw error;
      throw buildUnavailable("malformed", "The deployment's answer does not have the form that this version expects.", {
        passes: false,
        hint: "Use the same release on both sides; service-nb doctor compares them.",
        details: { met: error.message.slice(0, 200) },
      });
    }
  }

  async #call(call: Call): Promise<unknown> {
    const content = call.body === undefined ? undefined : encodeUtf8(JSON.stringify(call.body));
    if (this.#isSilent && !(await this.#isReachable()))
      throw buildUnreached(`nothing answers at ${this.host}, as at the previous call`);
    const deadline = this.#transport.now() + ((call.timeoutS ?? LONGEST_S) + GRACE_S) * 1_000;
    const answered = { isTrue: false };
    try {
      return await this.#tryRepeatedly(call, content, deadline, answered);
    } catch (error) {
      this.#isSilent = !answered.isTrue;
      throw error;
    }
  }

  async #tryRepeatedly(
    call: Call,
    content: Uint8Array | undefined,
    deadline: number,
    answered: { isTrue: boolean },
  ): Promise<unknown> {
    const headers = this.#buildHeaders(content);
    let fault: ServiceError | undefined;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const left = deadline - this.#transport.now();
      if (left <= 0) break;
      headers["X-Service-Timeout"] = Math.max(0.001, left / 1_000 - GRACE_S).toFixed(3);
      const id = (headers["X-Request-Id"] = `request_${this.#transport.drawHex(16)}`);
      try {
        const response = await this.#sendOnce(call, content, { headers, withinMs: left });
        answered.isTrue = true;
        this.#isSilent = false;
        return this.#readResponse(response, id, call.hidden ?? []);
      } catch (error) {
        if (error instanceof ExchangeError && error.failure === "overdue") break;
        if (!(error instanceof RetryError)) throw error;
        fault = error.error;
        const pause = this.#choosePause(tries, error.pauseS) * 1_000;
        if (tries + 1 === MOST_TRIES || this.#transport.now() + pause >= deadline - GRACE_S * 1_000) throw fault;
        await this.#transport.sleep(pause);
      }
    }
    const hint = "Raise `timeout`, or ask for less.";
    throw fault ?? new ServiceError("timeout", "The deployment did not answer by the deadline.", { hint });
  }

  async #sendOnce(
    { method, path, mostBytes = MOST_BYTES }: Call,
    body: Uint8Array | undefined,
    { headers, withinMs }: Pick<HttpRequest, "headers" | "withinMs">,
  ): Promise<HttpResponse> {
    try {
      return await this.#transport.send({ method, path, headers, body, withinMs, mostBytes });
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.failure === "overdue") throw error;
      throw explainFailure(error, this.host, mostBytes);
    }
  }

  /** The JSON of a response that is whole, of this call, and no error. */
  #readResponse({ status, headers, body }: HttpResponse, id: string, hidden: readonly Secret[]): unknown {
    if ((headers["content-encoding"] ?? "identity") !== "identity")
      throw buildUnavailable("malformed", "The answer is compressed, which was not requested.", { passes: false });
    if ((headers["x-request-id"] ?? id) !== id) throw new RetryError(buildGarbled("it answers another call"));
    if (!hasDigest(headers["content-digest"], body))
      throw new RetryError(buildGarbled("its bytes do not have the digest that it carries"));
    const isJson = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() === "application/json";
    if (status < 200 || status >= 300) throw this.#readFault({ status, headers, body }, { isJson, id, hidden });
    if (status === 204) return null;
    if (!isJson)
      throw buildUnavailable("malformed", "The server at that address is not a deployment: its answer is not JSON.", {
        passes: false,
        hint: "Is SERVICE_DEPLOYMENT_URL the address of a deployment?",
        details: { status },
      });
    try {
      return parseJsonBytes(body);
    } catch {
      throw new RetryError(buildGarbled("it is not JSON"));
    }
  }

  #readFault({ status, headers, body }: HttpResponse, { isJson, id, hidden }: Asked): Error {
    const secrets = this.#key === undefined ? hidden : [...hidden, this.#key];
    const error = readError({ status, body, isJson }, secrets);
    if ((error.details["request_id"] ?? id) !== id) return new RetryError(buildGarbled("it answers another call"));
    const passes = RETRYABLE.has(error.code) || (error.code === "deployment_unavailable" && error.retryable);
    return passes ? new RetryError(error, readRetryAfter(headers["retry-after"])) : error;
  }

  async #isReachable(): Promise<boolean> {
    try {
      const asked = { method: "GET", path: "/healthz", headers: {}, body: undefined } as const;
      await this.#transport.send({ ...asked, withinMs: PROBE_S * 1_000, mostBytes: MOST_BYTES });
      return true;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      return ["untrusted", "too_large"].includes(error.failure); // the call says what is wrong
    }
  }

  #buildHeaders(content: Uint8Array | undefined): Record<string, string> {
    return {
      Accept: "application/json",
      "Accept-Encoding": "identity",
      "User-Agent": `service-nb-client/${VERSION}`,
      "Idempotency-Key": this.#transport.drawHex(32),
      ...(content !== undefined && {
        "Content-Type": "application/json",
        "Content-Digest": `sha-256=:${encodeBase64(sha256(content))}:`,
      }),
      ...(this.#key !== undefined && { Authorization: `Bearer ${this.#key.reveal()}` }),
      ...(this.#tenant !== undefined && { "X-Service-Tenant": quoteTenant(this.#tenant) }),
    };
  }

  /** The pause before the next try: as asked, or ever longer; random, so that clients do not come together. */
  #choosePause(tries: number, askedS: number | undefined): number {
    const random = this.#transport.random();
    if (askedS !== undefined) return askedS + random * FIRST_PAUSE_S;
    const [least, most] = [FIRST_PAUSE_S / 2, Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 4 ** tries)];
    return least + random * (most - least);
  }
}

interface Asked {
  readonly isJson: boolean;
  readonly id: string;
  readonly hidden: readonly Secret[];
}

function explainFailure({ failure, message }: ExchangeError, host: string, most: number): Error {
  switch (failure) {
    case "too_large":
      return beyondLimit(
        `The deployment's answer has more than ${String(most)} bytes.`,
        { limit: most, limit_name: "answer_bytes" },
        "Ask for fewer rows: add a condition, or a limit.",
      );
    case "untrusted":
      return buildUnavailable("tls", `The certificate of ${host} is not trusted: ${message}.`, {
        passes: false,
        hint: "Set SERVICE_DEPLOYMENT_CA to a file of the certificates to trust.",
      });
    case "tls":
      return new RetryError(buildUnavailable("tls", `${host} failed the TLS handshake.`, { passes: false }));
    case "unreachable":
      return new RetryError(buildUnreached(`nothing answers at ${host}`));
    case "slow_connection":
      return new RetryError(buildUnreached("the connection was not made in time"));
    case "lost":
    case "overdue":
      return new RetryError(
        buildUnavailable("lost", `The connection with the deployment broke: ${message}.`, { passes: true }),
      );
  }
}

/** Whether a body has the SHA-256 that its header states; true if the header states none. */
function hasDigest(header: string | undefined, body: Uint8Array): boolean {
  const found = header === undefined ? null : SHA256.exec(header);
  if (found === null) return true;
  const [met, due] = [sha256(body), decodeBase64(found[1] ?? "")];
  return due?.length === met.length && due.every((byte, at) => byte === met[at]);
}

function readRetryAfter(header: string | undefined): number | undefined {
  const seconds = header === undefined || header.trim() === "" ? NaN : Number(header);
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.min(seconds, LONGEST_S));
}

/** A tenant as a header carries it: all but ASCII is escaped. */
function quoteTenant(tenant: string): string {
  return encodeURIComponent(tenant).replace(/%(?:20|23|24|26|2B|2C|2F|3A|3B|3D|3F|40|5B|5D)/g, decodeURIComponent);
}

function buildUnreached(what: string): ServiceError {
  const hint = "Check that it runs and that SERVICE_DEPLOYMENT_URL is its address; run service-nb doctor.";
  return buildUnavailable("unreachable", `The deployment cannot be reached: ${what}.`, { passes: true, hint });
}

function buildGarbled(what: string): ServiceError {
  return buildUnavailable("malformed", `The answer is not from a deployment: ${what}.`, { passes: true });
}
