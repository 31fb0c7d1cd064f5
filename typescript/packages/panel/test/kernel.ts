import { type Channel, Link } from "@service-nb/link";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Exchange {
  readonly name: string;
  readonly request: { readonly method: string; readonly params: unknown };
  readonly response: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const FILE = join(import.meta.dirname, "../../../../tests/vectors/link/exchanges.json");
const EXCHANGES = (JSON.parse(readFileSync(FILE, "utf-8")) as { readonly cases: readonly Exchange[] }).cases;

/** What a real kernel answered to the request of that name. */
export function answer(name: string): Readonly<Record<string, unknown>> {
  const found = EXCHANGES.find((exchange) => exchange.name === name);
  if (found === undefined) throw new Error(`no exchange is called ${name}`);
  return found.response["result"] as Readonly<Record<string, unknown>>;
}

type Answers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => unknown>>;

/** A channel to a kernel that answers as recorded, or as a test wants it to. */
export class Recorded implements Channel {
  readonly asked: Asked[] = [];
  readonly #answers: Answers;
  #take: (message: unknown) => void = () => undefined;
  #closed: () => void = () => undefined;

  constructor(answers: Answers = {}) {
    this.#answers = answers;
  }

  send(message: unknown): void {
    const request = message as Asked;
    this.asked.push(request);
    const made = this.#answers[request.method];
    const result = made === undefined ? this.#recorded(request) : made(request.params);
    queueMicrotask(() => {
      this.#take({ service_nb: 1, id: request.id, result });
    });
  }

  onMessage(take: (message: unknown) => void): void {
    this.#take = take;
  }

  onClose(closed: () => void): void {
    this.#closed = closed;
  }

  close(): void {
    this.#closed();
  }

  link(): Link {
    return new Link(this);
  }

  /** The parameters of the last request of this method. */
  last(method: string): Readonly<Record<string, unknown>> | undefined {
    return this.asked.findLast((request) => request.method === method)?.params;
  }

  #recorded({ method, params }: Asked): unknown {
    const wanted = JSON.stringify(params);
    const same = EXCHANGES.filter((exchange) => exchange.request.method === method && "result" in exchange.response);
    return (same.find((exchange) => JSON.stringify(exchange.request.params) === wanted) ?? same[0])?.response["result"];
  }
}
