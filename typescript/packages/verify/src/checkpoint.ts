import { decodeBase64, encodeUtf8 } from "@service-nb/records";
import { equalBytes } from "./bytes.js";
import { verifyEd25519 } from "./ed25519.js";
import { keyName, noteKeyHash } from "./key.js";

/** The state of a ledger, as a checkpoint states it (C2SP tlog-checkpoint). */
export interface Checkpoint {
  readonly ledger: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** The three lines that are signed. */
  readonly signedText: string;
  readonly signature: { readonly keyName: string; readonly bytes: Uint8Array } | undefined;
}

// Exactly this, so that a checkpoint has one text: no extension lines, no further signatures.
const BODY = /service-nb\/([0-9a-f]{32})\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/=]{44})\n/;
const SIGNATURE = /— (service-nb\/device\/[0-9a-f]{16}) ([A-Za-z0-9+/=]+)\n/;
const FORM = new RegExp(`^(${BODY.source})\\n(?:${SIGNATURE.source})?$`);
const SIGNATURE_BYTES = 4 + 64;

/** Reads the text of a checkpoint; undefined if it does not have the form of one. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, signedText = "", ledger = "", digits = "", rootText = "", name, signatureText] = match;
  const size = Number(digits);
  const root = decodeBase64(rootText);
  if (root?.length !== 32 || !Number.isSafeInteger(size)) return undefined;
  const checkpoint = { ledger, size, root, signedText };
  if (name === undefined || signatureText === undefined) return { ...checkpoint, signature: undefined };
  const bytes = decodeBase64(signatureText);
  return bytes?.length === SIGNATURE_BYTES ? { ...checkpoint, signature: { keyName: name, bytes } } : undefined;
}

/** Whether a key has signed a checkpoint, under its own name. */
export function isSignedBy(checkpoint: Checkpoint, publicKey: Uint8Array): boolean {
  const { signature, signedText } = checkpoint;
  if (signature?.keyName !== keyName(publicKey)) return false;
  if (!equalBytes(signature.bytes.subarray(0, 4), noteKeyHash(publicKey))) return false;
  return verifyEd25519(signature.bytes.subarray(4), encodeUtf8(signedText), publicKey);
}
