import { Point } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { equalBytes } from "./bytes.js";
import { Memory } from "./memory.js";

const ORDER = Point.CURVE().n; // of the group that B generates: RFC 8032, 5.1

/** For each digit of a scalar in base 16, from the lowest on, what the digits 1 to 15 there multiply a point to. */
type Table = readonly (readonly Point[])[];

const DIGITS = 64;
const BASE = 16n;

/** A key that was decoded; null if it is none that may sign. */
type Key = { readonly point: Point; uses: number; table?: Table } | null;

// The cards of a notebook have few keys, and are verified again whenever they are shown again.
const KEYS = new Memory<Key>(16);
const SIGNATURES = new Memory<boolean>(4096);
const USES_WORTH_A_TABLE = 4; // making one takes as long as verifying about three signatures without
let baseTable: Table | undefined;

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
    return key !== null && holds(key, nonce, numberOf(scalar), numberOf(challenge) % ORDER);
  });
}

function holds(key: NonNullable<Key>, nonce: Uint8Array, scalar: bigint, challenge: bigint): boolean {
  if (scalar >= ORDER) return false;
  baseTable ??= tableOf(Point.BASE);
  key.uses += 1;
  if (key.uses === USES_WORTH_A_TABLE) key.table = tableOf(key.point);
  const ofKey = key.table === undefined ? key.point.multiplyUnsafe(challenge) : multiplied(key.table, challenge);
  // The bytes of S·B - k·A are a canonical encoding, so an R in any other never equals them.
  return equalBytes(multiplied(baseTable, scalar).subtract(ofKey).toBytes(), nonce);
}

function tableOf(point: Point): Table {
  const table: Point[][] = [];
  for (let [digit, unit] = [0, point]; digit < DIGITS; digit += 1) {
    const row = [unit];
    while (row.length < Number(BASE) - 1) row.push(unit.add(row.at(-1) ?? unit));
    table.push(row);
    unit = unit.add(row.at(-1) ?? unit);
  }
  return table;
}

/** The point of a table times a scalar below 2^256. What is multiplied is public, so it may take as long as it does. */
function multiplied(table: Table, scalar: bigint): Point {
  let sum = Point.ZERO;
  let left = scalar;
  for (const row of table) {
    const multiple = row[Number(left % BASE) - 1];
    if (multiple !== undefined) sum = sum.add(multiple);
    left /= BASE;
  }
  return sum;
}

/** The number that bytes write with the lowest first. */
function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes.toReversed())}`);
}

function decodedKey(publicKey: Uint8Array): Key {
  try {
    const point = Point.fromBytes(publicKey, false);
    return point.isSmallOrder() ? null : { point, uses: 0 };
  } catch {
    return null; // it is no point of the curve, or in an encoding that is not canonical
  }
}
