import { arrayOf, literal, mapOf, nullable, object, text, textLike } from "./decode.js";
import { type Envelope, envelope, publicKey } from "./receipt.js";

/** A whole ledger in one document. Without a device key its entries and its checkpoint are not signed. */
export interface LedgerDocument {
  readonly service_nb_ledger: 1;
  readonly ledger: string;
  readonly entries: readonly Envelope[];
  readonly public_key: string | null;
  readonly checkpoint: string;
  /** The hashed texts by their SHA-256, as far as they are kept. */
  readonly texts: Readonly<Record<string, string>>;
}

const ledger = object<LedgerDocument>({
  service_nb_ledger: literal(1),
  ledger: textLike(/^[0-9a-f]{32}$/, "32 hex digits"),
  entries: arrayOf(envelope),
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
  return ledger(value, "ledger");
}
