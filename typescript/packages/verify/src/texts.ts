import { JsonError, type JsonValue, MAX_DOCUMENT_BYTES, parseJson } from "@service-nb/records";

/** The value of a text or of bytes that are hashed or signed; undefined if it is not strict JSON. */
export function strictly(text: string | Uint8Array, maxBytes = MAX_DOCUMENT_BYTES): JsonValue | undefined {
  try {
    return parseJson(text, { integers: "exact", maxBytes });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
