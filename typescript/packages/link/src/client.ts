import type { Answered, Asked, Method } from "./messages.js";

/**
 * The kernel's half of service_nb, wherever it is: behind a comm, or behind a widget.
 *
 * `ask` rejects with a `ClientError`, whose code is one of the kernel's, or `busy` (no answer in time), `closed`,
 * `unknown_version`, `malformed_answer`.
 */
export interface Client {
  ask<M extends Method>(method: M, params: Asked[M]): Promise<Answered[M]>;
  close(): void;
}

/** What carries messages: a comm, the custom messages of a widget. */
export interface Channel {
  send(message: unknown): void;
  onMessage(take: (message: unknown) => void): void;
  onClose(closed: () => void): void;
  close(): void;
}
