import { type Decoder, ShapeError } from "./decode.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const NONE = 64; // beyond every value of six bits

const VALUES = new Uint8Array(128).fill(NONE);
for (let value = 0; value < NONE; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

/**
 * The bytes of standard padded base64, or undefined. Bits that no byte takes are zero: no two texts are the same bytes.
 *
 * Written out, because `atob` takes white space and stray bits, and `Uint8Array.fromBase64` is younger than we may ask.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const letters = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let index = 0; index < letters; index += 1) {
    const value = VALUES[text.charCodeAt(index)] ?? NONE;
    if (value === NONE) return undefined;
    bits = (bits << 6) | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = bits >> held;
    bits &= (1 << held) - 1;
  }
  return bits === 0 ? bytes : undefined;
}

/** A text that is base64, of so many bytes where that is said. */
export function base64(length?: number): Decoder<string> {
  return (value, path) => {
    const bytes = typeof value === "string" ? decodeBase64(value) : undefined;
    if (bytes === undefined || (length !== undefined && bytes.length !== length)) {
      throw new ShapeError(path, length === undefined ? "base64" : `the base64 of ${String(length)} bytes`);
    }
    return value as string;
  };
}
