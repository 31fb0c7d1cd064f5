import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { equalBytes } from "./bytes.js";
import { Memory } from "./memory.js";

const { Point } = ed25519;
const { Fn } = Point;

/** A key that was decoded; null if it is none that may sign. */
type Key = { readonly point: InstanceType<typeof Point>; uses: number } | null;

// The cards of a notebook have few keys, and are verified again whenever they are shown again.
const KEYS = new Memory<Key>(16);
const SIGNATURES = new Memory<boolean>(4096);
const USES_WORTH_A_TABLE = 8; // making one takes as long as verifying about eight signatures without
const TABLE_BITS = 6;

/**
 * Whether a key of 32 bytes has signed a message, as strictly as RFC 8032 allows: S below the order of the group,
 * canonical encodings of key and R, no key of small order, and the equation without the cofactor.
 *
 * The last is why this is not the library's own `verify`: that multiplies the equation by 8, and so takes signatures
 * with a component of small order, which OpenSSL does not. Two verifiers that judge them differently are of no use.
 */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  const nonce = signature.subarray(0, 32);
  const scalar = signature.subarray(32);
  const challenge = sha512(concatBytes(nonce, publicKey, message));
  // Nonce, key and message are in the challenge, so it and S decide.
  return SIGNATURES.recall(bytesToHex(concatBytes(challenge, scalar)), () => {
    const key = KEYS.recall(bytesToHex(publicKey), () => decodedKey(publicKey));
    return key !== null && holds(key, nonce, bytesToNumberLE(scalar), Fn.create(bytesToNumberLE(challenge)));
  });
}

function holds(key: NonNullable<Key>, nonce: Uint8Array, scalar: bigint, challenge: bigint): boolean {
  if (scalar >= Fn.ORDER) return false;
  key.uses += 1;
  if (key.uses === USES_WORTH_A_TABLE) key.point.precompute(TABLE_BITS, false);
  // The bytes of S·B - k·A are a canonical encoding, so an R in any other never equals them.
  return equalBytes(Point.BASE.multiplyUnsafe(scalar).subtract(key.point.multiplyUnsafe(challenge)).toBytes(), nonce);
}

function decodedKey(publicKey: Uint8Array): Key {
  try {
    const point = Point.fromBytes(publicKey, false);
    return point.isSmallOrder() ? null : { point, uses: 0 };
  } catch {
    return null; // it is no point of the curve, or in an encoding that is not canonical
  }
}
