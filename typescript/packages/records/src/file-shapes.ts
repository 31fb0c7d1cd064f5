// Written by typescript/shapes.py from service_nb/schema.

import { type Decoder, anything, arrayOf, literal, mapOf, nullable, object, text, textLike } from "./decode.js";
import { type Envelope, hash, envelope, publicKey, moment } from "./shapes.js";

/** A card of a sealed notebook; `digest` is the SHA-256 of the canonical JSON of its digests. */
export interface IndexedCard {
  readonly cell: string | null;
  readonly kind: string;
  readonly id: string | null;
  readonly digest: string;
}

export const indexedCard: Decoder<IndexedCard> = object<IndexedCard>({
  cell: nullable(text),
  kind: text,
  id: nullable(text),
  digest: hash,
});

/** The predicate of a sealed notebook: its cards, in their order. */
export interface IndexPredicate {
  readonly version: 1;
  readonly time: string;
  readonly cards: readonly IndexedCard[];
}

export const indexPredicate: Decoder<IndexPredicate> = object<IndexPredicate>({
  version: literal(1),
  time: moment,
  cards: arrayOf(indexedCard),
});

/** The seal of a notebook, stored in its metadata under `service_nb`. */
export interface NotebookSeal {
  readonly version: 1;
  readonly envelope: Envelope;
  readonly public_key: string;
}

export const notebookSeal: Decoder<NotebookSeal> = object<NotebookSeal>({
  version: literal(1),
  envelope: envelope,
  public_key: publicKey,
});

export const ledgerId = textLike(/^[0-9a-f]{32}$/, "32 hex digits");

/** A whole ledger in one document. Without a device key its entries and its checkpoint are not signed. */
export interface LedgerDocument {
  readonly service_nb_ledger: 1;
  readonly ledger: string;
  readonly entries: readonly unknown[];
  readonly public_key: string | null;
  readonly checkpoint: string;
  readonly texts: Readonly<Record<string, string>>;
}

export const ledgerDocument: Decoder<LedgerDocument> = object<LedgerDocument>({
  service_nb_ledger: literal(1),
  ledger: ledgerId,
  entries: arrayOf(anything),
  public_key: nullable(publicKey),
  checkpoint: text,
  texts: mapOf(text),
});
