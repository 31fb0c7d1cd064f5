/** Bytes as base64. */

const SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [one = 0, two = 0, three = 0] = bytes.subarray(at, at + 3);
    const word = (one << 16) | (two << 8) | three;
    const signs = [18, 12, 6, 0].map((shift) => SIGNS.charAt((word >>> shift) & 63)).join("");
    const missing = Math.max(at + 3 - bytes.length, 0);
    parts.push(missing === 0 ? signs : signs.slice(0, 4 - missing).padEnd(4, "="));
  }
  return parts.join("");
}
