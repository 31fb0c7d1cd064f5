import {
  isObject,
  JsonError,
  type JsonValue,
  MAX_CARD_BYTES,
  parseJson,
  utf8Length,
  type Verdict,
} from "@service-nb/records";
import { refused, verifyCardAt } from "./card.js";
import { verifyLedger } from "./ledger.js";
import { verifyNotebook } from "./notebook.js";
import type { VerifyOptions } from "./options.js";

/**
 * Verifies a notebook, a card or a ledger document, as its text or its bytes.
 *
 * Nothing is thrown for what is in it. In a notebook only cards and index are ours: a whole number beyond 2^53-1 in what
 * stands around them is nobody's fault.
 */
export function verifyDocument(document: string | Uint8Array, options: VerifyOptions = {}): Verdict[] {
  const value = parsed(document);
  if (value instanceof JsonError) return [refused("document", value.reason, value.message)];
  if (!isObject(value)) return [unknown()];
  if ("nbformat" in value) return verifyNotebook(value, options);
  if ("kind" in value) return [verifyAlone(value, document, options)];
  if ("service_nb_ledger" in value) return [verifyLedger(value, options)];
  return [unknown()];
}

function parsed(document: string | Uint8Array): JsonValue | JsonError {
  try {
    return parseJson(document, { integers: "exact" });
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
}

function verifyAlone(card: unknown, document: string | Uint8Array, options: VerifyOptions): Verdict {
  const size = typeof document === "string" ? utf8Length(document, MAX_CARD_BYTES) : document.length;
  if (size > MAX_CARD_BYTES) return refused("card", "too_large", "A card that stands alone has at most 1 MB.");
  return verifyCardAt("card", card, options);
}

function unknown(): Verdict {
  return refused("document", "unknown_document", "It is no notebook, no card and no ledger document.");
}
