import { anything, arrayOf, count, literal, mapOf, nullable, object, ShapeError, text, textLike } from "./decode.js";
import { publicKey } from "./receipt.js";

/** A whole ledger in one document. Without a device key its entries and its checkpoint are not signed. */
export interface LedgerDocument {
  readonly service_nb_ledger: typeof LEDGER_VERSION;
  readonly ledger: string;
  /** Each an `Envelope`, once it was read: a broken one fails a check of its own. */
  readonly entries: readonly unknown[];
  readonly public_key: string | null;
  readonly checkpoint: string;
  /** The hashed texts by their SHA-256, as far as they are kept. */
  readonly texts: Readonly<Record<string, string>>;
}

export const LEDGER_VERSION = 1;

// A ledger of another version may hold anything beside its version, so the rest is read after it.
const decodeNamed = object<Record<keyof LedgerDocument, unknown> & { readonly service_nb_ledger: number }>({
  service_nb_ledger: count,
  ledger: anything,
  entries: anything,
  public_key: anything,
  checkpoint: anything,
  texts: anything,
});

const decodeKnown = object<LedgerDocument>({
  service_nb_ledger: literal(LEDGER_VERSION),
  ledger: textLike(/^[0-9a-f]{32}$/, "32 hex digits"),
  entries: arrayOf(anything),
  public_key: nullable(publicKey),
  checkpoint: text,
  texts: mapOf(text),
});

/**
 * Narrows a parsed JSON value to a ledger document.
 *
 * @throws {ShapeError}
 */
export function decodeLedger(value: unknown): LedgerDocument {
  if (decodeNamed(value, "ledger").service_nb_ledger !== LEDGER_VERSION) {
    throw new ShapeError("ledger.service_nb_ledger", "a version that is known here", "unknown_version");
  }
  return decodeKnown(value, "ledger");
}
