import { ServerConnection } from "@jupyterlab/services";
import { isObject, own } from "@service-nb/records";
import { isKey } from "./settings.js";

/** A key that the reader trusts, and whose it is. */
export interface TrustedKey {
  readonly key: string;
  readonly name: string;
}

/** What the Jupyter server knows of keys: that of its machine's own device, and those that its user trusts. */
export interface ServerKeys {
  readonly own: readonly string[];
  readonly trusted: readonly TrustedKey[];
  readonly faults: readonly string[];
}

export const NO_KEYS: ServerKeys = { own: [], trusted: [], faults: [] };

const QUIET_MS = 3_000; // between two questions: many cards of strangers are judged in a moment

/**
 * The keys that the server knows, asked when the page starts and again when a card of an unknown signer was judged: its
 * key may have been made, or become trusted, since. A server without our part knows none.
 */
export class KeysOfServer {
  readonly #ask: () => Promise<ServerKeys>;
  readonly #told: (keys: ServerKeys) => void;
  #isAsking = false;
  #isWanted = false;

  constructor(ask: () => Promise<ServerKeys>, told: (keys: ServerKeys) => void) {
    this.#ask = ask;
    this.#told = told;
  }

  /** Asks now, or as soon as the last question is some seconds ago. */
  refresh(): void {
    this.#isWanted = true;
    if (!this.#isAsking) void this.#askOnce();
  }

  async #askOnce(): Promise<void> {
    this.#isAsking = true;
    this.#isWanted = false;
    this.#told(await this.#ask());
    setTimeout(() => {
      this.#isAsking = false;
      if (this.#isWanted) void this.#askOnce();
    }, QUIET_MS);
  }
}

/** Asks the server which keys it knows. */
export async function askServer(server: ServerConnection.ISettings): Promise<ServerKeys> {
  try {
    const url = `${server.baseUrl.replace(/\/*$/, "/")}service-nb/keys`;
    const response = await ServerConnection.makeRequest(url, { method: "GET", cache: "no-store" }, server);
    return response.ok ? readKeys(await response.json()) : NO_KEYS;
  } catch {
    return NO_KEYS; // it is away, or what answers is no server of ours
  }
}

/** Reads an answer; what is no key in it is left out. */
export function readKeys(answer: unknown): ServerKeys {
  if (!isObject(answer)) return NO_KEYS;
  const trusted = listAt(answer, "trusted")
    .filter(isObject)
    .map((each) => ({ key: textAt(each, "key"), name: textAt(each, "name") }));
  return {
    own: listAt(answer, "own").filter((each): each is string => typeof each === "string" && isKey(each)),
    trusted: trusted.filter(({ key }) => isKey(key)),
    faults: listAt(answer, "faults").filter((each): each is string => typeof each === "string"),
  };
}

function listAt(value: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list = own(value, key);
  return Array.isArray(list) ? list : [];
}

function textAt(value: Readonly<Record<string, unknown>>, key: string): string {
  const text = own(value, key);
  return typeof text === "string" ? text : "";
}
