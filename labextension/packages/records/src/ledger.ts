import { anything, arrayOf, count, mapOf, nullable, object, ShapeError, text, textLike } from "./decode.js";
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

const ledger = object<Omit<LedgerDocument, "service_nb_ledger"> & { service_nb_ledger: number }>({
  service_nb_ledger: count,
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
  const document = ledger(value, "ledger");
  if (document.service_nb_ledger !== LEDGER_VERSION) {
    throw new ShapeError("ledger.service_nb_ledger", "a version that is known here", "unknown_version");
  }
  return { ...document, service_nb_ledger: LEDGER_VERSION };
}
