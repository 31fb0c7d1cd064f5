const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The UTF-8 of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return ENCODER.encode(text);
}

/** The text, with its byte order mark if it has one, or undefined if the bytes are no UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return DECODER.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** How many bytes of UTF-8 a text has; one that is longer than `limit` is not encoded in order to be told so. */
export function utf8Length(text: string, limit: number): number {
  return text.length > limit ? text.length : ENCODER.encode(text).length;
}
