import { concatBytes } from "@noble/hashes/utils.js";
import { type Envelope, encodeUtf8 } from "@service-nb/records";
import { fromBase64 } from "./bytes.js";
import { verifyEd25519 } from "./ed25519.js";
import { keyId } from "./key.js";

/** What a DSSE envelope signs: type and payload, each after its length. */
export function pae(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = encodeUtf8(payloadType);
  const head = `DSSEv1 ${String(type.length)} ${payloadType} ${String(payload.length)} `;
  return concatBytes(encodeUtf8(head), payload);
}

/** Whether a key has signed an envelope, under its own name. */
export function isSigned(envelope: Envelope, publicKey: string): boolean {
  const [signature] = envelope.signatures;
  const key = fromBase64(publicKey);
  if (signature?.keyid !== keyId(key)) return false;
  return verifyEd25519(fromBase64(signature.sig), pae(envelope.payloadType, fromBase64(envelope.payload)), key);
}
