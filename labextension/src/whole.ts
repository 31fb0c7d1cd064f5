import type { HashedText, Loading, ResultKeeper } from "@service-nb/cards";
import type { Client } from "@service-nb/link";
import { decodeBase64, DIGESTS, encodeUtf8 } from "@service-nb/records";
import { sha256Hex } from "@service-nb/verify";

const MOST_CHARACTERS = 64_000_000; // of a whole; a kernel that sends more is not heard out
const HIGH_HALF = /[\ud800-\udbff]/g;

/** What came is not what the card was made from. Nothing of it is shown. */
export class RefusedResultError extends Error {
  override readonly name = "RefusedResultError";
}

/**
 * Whole results, read part by part from a kernel that recorded them or has their ledger.
 *
 * A kernel is believed nothing: a text has to have the hash that the card states, together with the hash before it.
 */
export class KernelResults implements ResultKeeper {
  readonly #client: () => Promise<Client>;

  /** `client` rejects with words for the reader where there is nobody to ask. */
  constructor(client: () => Promise<Client>) {
    this.#client = client;
  }

  async text(id: string, wanted: HashedText, loading: Loading): Promise<string> {
    const text = await this.#read(id, "text", loading);
    const met = await hashOf(text, wanted);
    if (met !== plain(wanted.hash)) {
      throw new RefusedResultError(
        `Refused: the rows that the kernel sent are not those of this card. Their hash is ${short(met)}, ` +
          `the card states ${short(plain(wanted.hash))}. None was loaded.`,
      );
    }
    return text;
  }

  async parquet(id: string, wanted: HashedText, loading: Loading): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = decodeBase64(await this.#read(id, "parquet", loading));
    // The metadata stands at the end of the file.
    if (bytes === undefined || !new TextDecoder("latin1").decode(bytes).includes(plain(wanted.hash))) {
      throw new RefusedResultError("Refused: the file that the kernel sent does not name the hash of this card.");
    }
    return new Uint8Array(bytes);
  }

  async #read(id: string, form: "text" | "parquet", { signal, progress }: Loading): Promise<string> {
    const client = await this.#client();
    const parts: string[] = [];
    let at = 0;
    let whole = 0;
    do {
      signal.throwIfAborted();
      const { part, size } = await client.ask("read_result", { id, form, at });
      if (size > MOST_CHARACTERS || part === "" || (at > 0 && size !== whole)) {
        throw new RefusedResultError("Refused: the kernel sent parts that make no whole.");
      }
      parts.push(part);
      whole = size;
      at += charactersOf(part);
      progress(Math.min(at, whole), whole);
    } while (at < whole);
    signal.throwIfAborted();
    return parts.join("");
  }
}

/** The hash of a text, made beside the page where the browser has somebody for it. */
async function hashOf(text: string, { name, after }: HashedText): Promise<string> {
  const { domain } = DIGESTS[name === "result" ? "result_hash" : "computation_hash"];
  const bytes = encodeUtf8(`${domain}\0${plain(after)}${text}`);
  const { crypto } = globalThis as { crypto?: { subtle?: SubtleCrypto } }; // none on plain-http hosts
  if (crypto?.subtle === undefined) return sha256Hex(bytes);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function plain(hash: string): string {
  return hash.replace(/^sha256:/, "");
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}

/** Python counts characters of Unicode, of which some are two here. */
function charactersOf(part: string): number {
  return part.length - (part.match(HIGH_HALF)?.length ?? 0);
}
