/** What calls of a deployment ask of the machine: one exchange of HTTP, a clock, randomness. */

export interface HttpRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the address of the deployment. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Milliseconds within which the whole answer has to be there. */
  readonly withinMs: number;
  /** Bytes that the answer may have. */
  readonly mostBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Why an exchange has no response; `overdue`: the time was over, `too_large`: the answer was longer than allowed. */
export type Failure = "overdue" | "too_large" | "unreachable" | "slow_connection" | "untrusted" | "tls" | "lost";

export class ExchangeError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string) {
    super(message);
    this.failure = failure;
  }
}

export interface Transport {
  /** The host, and its port if one is told. */
  readonly host: string;
  /**
   * Sends a request, and reads the whole response. Redirects are not followed, nothing is decompressed.
   *
   * @throws {ExchangeError}
   */
  readonly send: (request: HttpRequest) => Promise<HttpResponse>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly now: () => number;
  readonly random: () => number;
  readonly drawHex: (digits: number) => string;
  readonly close: () => void;
}
