/**
 * gRPC over `node:http2`, to the runtime's socket. Small requests go on streams that stay open, one request at a time on
 * each. What ends a call before its answer ends its stream, by which the runtime knows that nobody waits any more.
 */

import { type IncomingHttpHeaders } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { connect as connectSocket } from "node:net";
import { cutPieces, readPiece, type WrittenRequest } from "./wire.js";

const SERVICE = "/service_nb.runtime.v1.Runtime/";
const IN_ONE_PIECE = 2 ** 21; // bytes of a request; longer ones are streamed
const HEADER_BYTES = 5; // of a message: whether it is packed, and its length
const MOST_BYTES = 2 ** 30; // of one message
const WINDOW_BYTES = 2 ** 24;

/** gRPC's own words for how a call that has no answer ended. */
export type Status = "UNAVAILABLE" | "DEADLINE_EXCEEDED" | "RESOURCE_EXHAUSTED" | "UNAUTHENTICATED" | "INTERNAL";

const STATUSES: Readonly<Record<string, Status>> = {
  "1": "UNAVAILABLE", // cancelled: the runtime ended
  "4": "DEADLINE_EXCEEDED",
  "8": "RESOURCE_EXHAUSTED",
  "14": "UNAVAILABLE",
  "16": "UNAUTHENTICATED",
};

/** A call that was not answered. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status, message = "") {
    super(message);
    this.status = status;
  }
}

/** Where a runtime listens: `unix:/path`, or `127.0.0.1:port`. */
export type Address = string;

/** A connection to a runtime. Its methods reject with a `StatusError` when it does not answer, or not in time. */
export class Channel {
  readonly #session: ClientHttp2Session;
  readonly #token: string;
  readonly #idle: OpenStream[] = [];
  #isOpen = true;
  #waiting = 0;

  constructor(address: Address, token: string) {
    this.#token = token;
    const socket = openSocket(address);
    this.#session = connect("http://localhost", {
      createConnection: () => socket,
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
    });
    this.#session.on("error", () => undefined); // the streams tell whoever waits
    this.#session.on("close", () => {
      this.#isOpen = false;
    });
    this.#session.on("goaway", () => {
      this.#isOpen = false;
    });
    this.#session.on("connect", () => {
      this.#session.setLocalWindowSize(WINDOW_BYTES);
    });
    this.#session.unref();
  }

  /** Whether the runtime at the other end is still there. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#session.closed && !this.#session.destroyed;
  }

  /** Calls a method that has one request and one reply. */
  async ask(
    method: "Describe" | "Echo" | "Stop",
    content: Uint8Array,
    limitMs: number | undefined,
  ): Promise<Uint8Array> {
    const stream = this.#openStream(method);
    try {
      const [reply] = await this.#wait(stream.exchangeAll([content], limitMs));
      return reply ?? new Uint8Array();
    } finally {
      stream.end();
    }
  }

  /** Sends a request and the long arrays that go with it, and returns the reply. */
  async call({ content, apart }: WrittenRequest, limitMs: number | undefined): Promise<Uint8Array> {
    if (apart.length === 0 && content.length <= IN_ONE_PIECE) return this.#exchange(content, limitMs);
    const head = cutPieces(content);
    const stream = this.#openStream("Stream", { head: String(head.length) });
    try {
      const pieces = [...head, ...apart.flatMap(cutPieces)];
      const replies = await this.#wait(stream.exchangeAll(pieces, limitMs));
      return Buffer.concat(replies.map(readPiece));
    } finally {
      stream.end();
    }
  }

  async #exchange(content: Uint8Array, limitMs: number | undefined): Promise<Uint8Array> {
    let stream = this.#idle.pop();
    while (stream?.isDone === true) stream = this.#idle.pop();
    stream ??= this.#openStream("Session");
    try {
      const reply = await this.#wait(stream.exchange(content, limitMs));
      this.#idle.push(stream);
      return reply;
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  /** Keeps the process alive as long as somebody waits for an answer, and no longer. */
  async #wait<T>(answer: Promise<T>): Promise<T> {
    this.#waiting += 1;
    this.#session.ref();
    try {
      return await answer;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#session.destroyed) this.#session.unref();
    }
  }

  #openStream(method: string, metadata: Readonly<Record<string, string>> = {}): OpenStream {
    if (!this.isOpen) throw new StatusError("UNAVAILABLE");
    const headers = { ":method": "POST", ":path": `${SERVICE}${method}`, "content-type": "application/grpc" };
    try {
      const sent = { ...headers, te: "trailers", token: this.#token, ...metadata };
      return new OpenStream(this.#session.request(sent, { endStream: false }));
    } catch {
      throw new StatusError("UNAVAILABLE"); // the session ended a moment ago
    }
  }

  close(): void {
    this.#isOpen = false;
    for (const stream of this.#idle.splice(0)) stream.end();
    this.#session.destroy();
  }
}

function openSocket(address: Address): ReturnType<typeof connectSocket> {
  if (address.startsWith("unix:")) return connectSocket(decodeURIComponent(address.slice("unix:".length)));
  const [host = "", port = ""] = address.split(":");
  return connectSocket(Number(port), host).setNoDelay(true);
}

/** One open stream of messages. */
class OpenStream {
  readonly #stream: ClientHttp2Stream;
  #received: Buffer[] = [];
  #size = 0;
  #status: StatusError | undefined;
  #isDone = false;
  #wake: (() => void) | undefined;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    stream.on("data", (block: Buffer) => {
      this.#received.push(block);
      this.#size += block.length;
      this.#wake?.();
    });
    stream.on("response", (headers) => {
      this.#readStatus(headers);
    });
    stream.on("trailers", (headers: IncomingHttpHeaders) => {
      this.#readStatus(headers);
    });
    stream.on("error", () => undefined); // followed by "close"
    const finish = (): void => {
      this.#isDone = true;
      this.#wake?.();
    };
    stream.on("end", finish); // the runtime says no more, while this side may still be open
    stream.on("close", finish);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  #readStatus(headers: IncomingHttpHeaders): void {
    const code = headers["grpc-status"];
    if (typeof code !== "string" || code === "0") return;
    const message = headers["grpc-message"];
    const status = STATUSES[code] ?? "INTERNAL";
    this.#status = new StatusError(status, typeof message === "string" ? decodeMessage(message) : "");
  }

  /** Sends one message and waits for one. */
  async exchange(content: Uint8Array, limitMs: number | undefined): Promise<Uint8Array> {
    return this.#within(limitMs, async () => {
      this.#stream.write(frame(content));
      return this.#receive();
    });
  }

  /** Sends messages and the end of them, and waits for all that come back. */
  async exchangeAll(pieces: readonly Uint8Array[], limitMs: number | undefined): Promise<readonly Uint8Array[]> {
    return this.#within(limitMs, async () => {
      for (const piece of pieces)
        if (!this.#stream.write(frame(piece)) && !this.#isDone)
          await new Promise<void>((resolve) => {
            this.#stream.once("drain", resolve).once("close", resolve);
          });
      this.#stream.end();
      const received: Uint8Array[] = [];
      for (;;) {
        while (this.#hasMessage()) received.push(this.#take());
        if (this.#isDone) break;
        await this.#next();
      }
      if (this.#status !== undefined || this.#size > 0 || received.length === 0) throw this.#explain();
      return received;
    });
  }

  async #within<T>(limitMs: number | undefined, action: () => Promise<T>): Promise<T> {
    if (limitMs === undefined) return action();
    const timer = setTimeout(() => {
      this.#status = new StatusError("DEADLINE_EXCEEDED");
      this.end();
    }, limitMs);
    try {
      return await action();
    } finally {
      clearTimeout(timer);
    }
  }

  async #receive(): Promise<Uint8Array> {
    while (!this.#hasMessage()) {
      if (this.#isDone) throw this.#explain();
      await this.#next();
    }
    return this.#take();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #explain(): StatusError {
    return this.#status ?? new StatusError("UNAVAILABLE");
  }

  #hasMessage(): boolean {
    return this.#size >= HEADER_BYTES && this.#size >= HEADER_BYTES + this.#readLength();
  }

  #readLength(): number {
    const [first] = this.#received;
    if (this.#received.length > 1 && (first?.length ?? 0) < HEADER_BYTES)
      this.#received = [Buffer.concat(this.#received)];
    const length = this.#received[0]?.readUInt32BE(1) ?? 0;
    if (length > MOST_BYTES || this.#received[0]?.[0] !== 0) {
      this.end();
      throw new StatusError("RESOURCE_EXHAUSTED", `a reply of more than ${String(MOST_BYTES)} bytes, or a packed one`);
    }
    return length;
  }

  #take(): Uint8Array {
    const length = this.#readLength();
    const whole = this.#received.length === 1 ? (this.#received[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#received);
    const rest = whole.subarray(HEADER_BYTES + length);
    this.#received = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return whole.subarray(HEADER_BYTES, HEADER_BYTES + length);
  }

  /** Ends the stream, whether or not somebody waits for it. */
  end(): void {
    if (!this.#stream.closed) this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}

function decodeMessage(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

function frame(content: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(HEADER_BYTES + content.length);
  framed[0] = 0;
  framed.writeUInt32BE(content.length, 1);
  framed.set(content, HEADER_BYTES);
  return framed;
}
