import { edwards } from "@noble/curves/abstract/edwards.js";
import { bytesToNumberLE } from "@noble/curves/utils.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { equalBytes } from "./bytes.js";
import { Memory } from "./memory.js";

// RFC 8032, 5.1. The library's own `ed25519` is this curve with all that signs, which a page need not load.
const P = 2n ** 255n - 19n;
const Point = edwards(
  {
    p: P,
    n: 2n ** 252n + 27742317777372353535851937790883648493n,
    h: 8n,
    a: P - 1n,
    d: 37095705934669439343138083508754565189542113879843219016388785533085940283555n,
    Gx: 15112221349535400772501151409588531511454012693041857206046113283949847762202n,
    Gy: 46316835694926478169428394003475163141307993866256225615783033603165251855960n,
  },
  { uvRatio: squareRootOfRatio },
);
const { Fn, Fp } = Point;

/** The square root of u/v: RFC 8032, 5.1.3, step 2 and 3. */
function squareRootOfRatio(u: bigint, v: bigint): { isValid: boolean; value: bigint } {
  const v3 = Fp.mul(Fp.sqr(v), v);
  const root = Fp.mul(Fp.mul(u, v3), Fp.pow(Fp.mul(Fp.mul(u, v3), Fp.mul(Fp.sqr(v), Fp.sqr(v))), (P - 5n) / 8n));
  const square = Fp.mul(v, Fp.sqr(root));
  if (square === u) return { isValid: true, value: root };
  return { isValid: square === Fp.neg(u), value: Fp.mul(root, Fp.pow(2n, (P - 1n) / 4n)) };
}

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
