import { decodeBase64 } from "@service-nb/records";

/** The bytes of base64 that a decoder has let in. */
export function fromBase64(text: string): Uint8Array {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new RangeError("This text is no base64: decode the record that holds it first.");
  return bytes;
}

export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
