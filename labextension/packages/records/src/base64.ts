import { type Decoder, ShapeError } from "./decode.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const VALUES: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (letter, value) => [letter, value]));

/**
 * The bytes of standard padded base64, or undefined. Bits that no byte takes are zero: no two texts are the same bytes.
 *
 * Written out, because `atob` takes white space and stray bits, and `Uint8Array.fromBase64` is younger than we may ask.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!FORM.test(text)) return undefined;
  const letters = text.replace(/=+$/, "");
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of letters) {
    bits = ((bits << 6) | (VALUES.get(letter) ?? 0)) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[at++] = bits >> held;
      bits &= (1 << held) - 1;
    }
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
