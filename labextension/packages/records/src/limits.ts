/** Levels of nested arrays and objects. */
export const MAX_DEPTH = 64;

/** Characters of one number. */
export const MAX_NUMBER_CHARS = 400;

/** Bytes of a notebook or of a ledger document. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 ** 2;

/** Bytes of the statement of one outcome. */
export const MAX_STATEMENT_BYTES = 256 * 1024;

/** Bytes of a card that stands alone. */
export const MAX_CARD_BYTES = 1024 ** 2;
