import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { encodeUtf8 } from "@service-nb/records";
import { sha256Bytes } from "./digest.js";

const SPKI_PREFIX = hexToBytes("302a300506032b6570032100"); // DER of an Ed25519 key, up to its 32 bytes
const ED25519 = Uint8Array.of(0x01); // in the key hashes of signed notes

/** The name of a key in an envelope: 16 hex digits of the SHA-256 of its SubjectPublicKeyInfo. */
export function keyId(publicKey: Uint8Array): string {
  return bytesToHex(sha256Bytes(concatBytes(SPKI_PREFIX, publicKey)).subarray(0, 8));
}

/** The name under which a key signs checkpoints. */
export function keyName(publicKey: Uint8Array): string {
  return `service-nb/device/${keyId(publicKey)}`;
}

/** What stands before a signature in a signed note (C2SP): which key of that name it is. */
export function noteKeyHash(publicKey: Uint8Array): Uint8Array {
  return sha256Bytes(encodeUtf8(`${keyName(publicKey)}\n`), ED25519, publicKey).subarray(0, 4);
}
