import { decodeAnswer, envelope, type Envelope, failure } from "./answers.js";
import type { Channel, Client } from "./client.js";
import { AnswerError } from "./decode.js";
import { ClientError, kernelCode } from "./errors.js";
import { type Answered, type Asked, LINK_VERSION, type Method } from "./messages.js";

/** How long an answer may take, in milliseconds, before what was asked is given up as `busy`. */
export interface Patience {
  readonly answer: number;
  readonly hello: number; // a kernel that runs a long cell is no reason to give it up
  readonly replay: number; // or to write out a whole result
}

const PATIENCE: Patience = { answer: 15_000, hello: 600_000, replay: 600_000 };
const GREETING = 0; // the id of the hello that opens the link; those that are asked count from 1

interface Pending {
  readonly method: Method;
  readonly params: Asked[Method];
  readonly take: (result: unknown) => void;
  readonly refuse: (error: ClientError) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * A `Client` over a channel.
 *
 * It says hello first, and asks nothing of a kernel that speaks another version. Any number of questions may be on their
 * way at once. What takes too long is given up as `busy`: a kernel that runs a cell may answer only when the cell is
 * done. An answer that comes after that is dropped, but for the greeting, which opens the link whenever it comes.
 */
export class Link implements Client {
  readonly #channel: Channel;
  readonly #patience: Patience;
  readonly #pending = new Map<number, Pending>();
  #state: "greeting" | "open" | ClientError = "greeting";
  #last = GREETING;

  constructor(channel: Channel, patience: Partial<Patience> = {}) {
    this.#channel = channel;
    this.#patience = { ...PATIENCE, ...patience };
    channel.onMessage((message) => {
      this.#take(message);
    });
    channel.onClose(() => {
      this.#end(new ClientError("closed", "The link to the kernel is closed."));
    });
    this.#send(GREETING, "hello", {});
  }

  ask<M extends Method>(method: M, params: Asked[M]): Promise<Answered[M]> {
    if (typeof this.#state === "object") return Promise.reject(this.#state);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(busy());
      }, this.#patienceOf(method));
      const take = (result: unknown): void => {
        resolve(decodeAnswer(method, result));
      };
      this.#pending.set(id, { method, params, take, refuse: reject, timer });
      if (this.#state === "open") this.#send(id, method, params);
    });
  }

  close(): void {
    this.#end(new ClientError("closed", "The link to the kernel was closed."));
    this.#channel.close();
  }

  #patienceOf(method: Method): number {
    if (method === "read_result") return this.#patience.replay;
    return method === "replay" || method === "hello" ? this.#patience[method] : this.#patience.answer;
  }

  #send(id: number, method: Method, params: Asked[Method]): void {
    try {
      this.#channel.send({ service_nb: LINK_VERSION, id, method, params });
    } catch (error) {
      const why = error instanceof Error ? error.message : "unknown";
      this.#refuse(id, new ClientError("closed", `The message could not be sent: ${why}`));
    }
  }

  #take(message: unknown): void {
    const response = envelope(message);
    if (response === undefined || typeof this.#state === "object") return;
    if (response.version !== LINK_VERSION) {
      this.#end(otherVersion());
      return;
    }
    if (response.id === GREETING) this.#greeted(response);
    else this.#settle(response);
  }

  #greeted(response: Envelope): void {
    if (this.#state !== "greeting") return;
    const refusal = read(response, (result) => {
      if (decodeAnswer("hello", result).version !== LINK_VERSION) throw otherVersion();
    });
    if (refusal !== null) {
      this.#end(refusal);
      return;
    }
    this.#state = "open";
    for (const [id, { method, params }] of [...this.#pending]) this.#send(id, method, params);
  }

  #settle(response: Envelope): void {
    const pending = this.#pending.get(response.id);
    if (pending === undefined) return; // it was given up, or never asked
    const refusal = read(response, pending.take);
    if (refusal === null) this.#forget(response.id, pending);
    else this.#refuse(response.id, refusal);
  }

  #refuse(id: number, error: ClientError): void {
    if (id === GREETING) {
      this.#end(error);
      return;
    }
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#forget(id, pending);
    pending.refuse(error);
  }

  #forget(id: number, pending: Pending): void {
    clearTimeout(pending.timer);
    this.#pending.delete(id);
  }

  #end(error: ClientError): void {
    if (typeof this.#state === "object") return;
    this.#state = error;
    for (const id of [...this.#pending.keys()]) this.#refuse(id, error);
  }
}

/** Gives a response's result to `take`; returns the error that came instead, or that `take` met. */
function read(response: Envelope, take: (result: unknown) => void): ClientError | null {
  try {
    if ("result" in response.body) {
      take(response.body.result);
      return null;
    }
    const { code, message, hint } = failure(response.body.error, "error");
    return new ClientError(kernelCode(code), message, hint);
  } catch (error) {
    if (error instanceof ClientError) return error;
    if (error instanceof AnswerError) {
      return new ClientError("malformed_answer", `The kernel's answer is not understood: ${error.message}`);
    }
    throw error;
  }
}

function busy(): ClientError {
  return new ClientError(
    "busy",
    "The kernel has not answered in time.",
    "It answers when the cell that runs is done; interrupt it, or ask again then.",
  );
}

function otherVersion(): ClientError {
  return new ClientError(
    "unknown_version",
    `This extension speaks version ${String(LINK_VERSION)} of the link, and the kernel's service_nb another one.`,
    "Install the same version of service_nb where JupyterLab runs and where the kernel runs.",
  );
}
