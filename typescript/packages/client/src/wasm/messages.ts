/** What the client and the thread of Pyodide tell each other. */

/** What a thread starts with. */
export interface Start {
  readonly kernels: string;
  readonly wheel: string;
  readonly wheelSha256: string;
}

/** A call, under a number of its own. */
export interface Request {
  readonly id: number;
  readonly text: string;
}

/** What the thread says: what it is, a reply, or why it cannot run. */
export type Said =
  | { readonly kind: "ready"; readonly contractHash: string; readonly libraries: Readonly<Record<string, string>> }
  | { readonly kind: "reply"; readonly id: number; readonly text: string }
  | { readonly kind: "failed"; readonly message: string };
