import { isObject, JsonError, type JsonValue, MAX_DOCUMENT_BYTES, own, parseJson } from "@service-nb/records";

/**
 * What a hashed text says under a key, or undefined. The text is read strictly, and may hold whole numbers of any size:
 * canonical JSON writes large floats as bare digits.
 */
export function member(text: string, key: string): JsonValue | undefined {
  const value = strictly(text);
  return isObject(value) ? (own(value, key) as JsonValue | undefined) : undefined;
}

/** Whether a hashed text is a strict JSON object. */
export function isObjectText(text: string): boolean {
  return isObject(strictly(text));
}

/** The value of a text or of bytes that are hashed or signed; undefined if it is not strict JSON. */
export function strictly(text: string | Uint8Array, maxBytes = MAX_DOCUMENT_BYTES): JsonValue | undefined {
  try {
    return parseJson(text, { integers: "exact", maxBytes });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
