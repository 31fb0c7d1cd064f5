import type { Channel } from "../src/index.js";

export const HELLO = { version: 1, made_by: "service_nb 0.0.0", contract_hash: null, capabilities: 3, project: "p" };

interface Sent {
  readonly service_nb: number;
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** A channel whose other end is the test. */
export class Transport implements Channel {
  readonly sent: Sent[] = [];
  isClosed = false;
  isBroken = false;
  #take: (message: unknown) => void = () => undefined;
  #closed: () => void = () => undefined;

  send(message: unknown): void {
    if (this.isBroken) throw new Error("the comm is closed");
    this.sent.push(message as Sent);
  }

  onMessage(take: (message: unknown) => void): void {
    this.#take = take;
  }

  onClose(closed: () => void): void {
    this.#closed = closed;
  }

  close(): void {
    this.isClosed = true;
  }

  /** The kernel sends this. */
  arrive(message: unknown): void {
    this.#take(message);
  }

  /** The kernel answers a request. */
  answer(id: number, result: unknown): void {
    this.arrive({ service_nb: 1, id, result });
  }

  greet(): this {
    this.answer(0, HELLO);
    return this;
  }

  /** The kernel closes the comm. */
  hangUp(): void {
    this.#closed();
  }
}
