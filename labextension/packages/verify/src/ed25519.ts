import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { concatBytes } from "@noble/hashes/utils.js";

const { Point } = ed25519;
const { Fn } = Point;
type Key = InstanceType<typeof Point>;

/**
 * Whether a key of 32 bytes has signed a message, as strictly as RFC 8032 allows: S below the order of the group,
 * canonical encodings of key and R, no key of small order, and the equation without the cofactor.
 *
 * The last is why this is not the library's own `verify`: that multiplies the equation by 8, and so takes signatures
 * with a component of small order, which OpenSSL does not. Two verifiers that judge them differently are of no use.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  const key = decodedKey(publicKey);
  const scalar = bytesToNumberLE(signature.subarray(32));
  if (key === undefined || scalar >= Fn.ORDER) return false;
  const nonce = signature.subarray(0, 32);
  const challenge = Fn.create(bytesToNumberLE(sha512(concatBytes(nonce, publicKey, message))));
  // S·B - k·A is a point in its canonical encoding, so an R in any other never equals it.
  const expected = Point.BASE.multiplyUnsafe(scalar).subtract(key.multiplyUnsafe(challenge)).toBytes();
  return expected.every((byte, index) => byte === nonce[index]);
}

function decodedKey(publicKey: Uint8Array): Key | undefined {
  try {
    const key = Point.fromBytes(publicKey, false);
    return key.isSmallOrder() ? undefined : key;
  } catch {
    return undefined; // it is no point of the curve, or in an encoding that is not canonical
  }
}
