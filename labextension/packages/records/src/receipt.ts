import { base64 } from "./base64.js";
import { arrayOf, count, type Decoder, hash, literal, object, ShapeError, text } from "./decode.js";
import { PAYLOAD_TYPE } from "./statement.js";

export interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

/** A DSSE envelope: `payload` and `sig` are base64. There is one signature, or none where there was no key. */
export interface Envelope {
  readonly payloadType: typeof PAYLOAD_TYPE;
  readonly payload: string;
  readonly signatures: readonly Signature[];
}

/** That an entry is in a ledger: its index, and the way from its leaf to the root that the checkpoint signs. */
export interface LogProof {
  readonly index: number;
  readonly size: number;
  readonly proof: readonly string[];
  readonly checkpoint: string;
}

/** The evidence that one card carries: checkable alone. */
export interface Receipt {
  readonly version: 1;
  readonly envelope: Envelope;
  readonly public_key: string;
  readonly log: LogProof;
}

/** What seals a notebook, as its metadata hold it. */
export interface NotebookSeal {
  readonly version: 1;
  readonly envelope: Envelope;
  readonly public_key: string;
}

/** Base64 of the 32 bytes of an Ed25519 key. */
export const publicKey = base64(32);

/** An envelope with at most one signature. */
const envelope = object<Envelope>({
  payloadType: literal(PAYLOAD_TYPE),
  payload: base64(),
  signatures: (value, path) => {
    const signatures = arrayOf(object<Signature>({ keyid: text, sig: base64(64) }))(value, path);
    if (signatures.length > 1) throw new ShapeError(path, "one signature");
    return signatures;
  },
});

const signedEnvelope: Decoder<Envelope> = (value, path) => {
  const decoded = envelope(value, path);
  if (decoded.signatures.length === 0) throw new ShapeError(`${path}.signatures`, "one signature");
  return decoded;
};

const receipt = object<Receipt>({
  version: literal(1),
  envelope: signedEnvelope,
  public_key: publicKey,
  log: object<LogProof>({ index: count, size: count, proof: arrayOf(hash), checkpoint: text }),
});

const seal = object<NotebookSeal>({ version: literal(1), envelope: signedEnvelope, public_key: publicKey });

/**
 * Narrows a parsed JSON value to an envelope, signed or not.
 *
 * @throws {ShapeError}
 */
export function decodeEnvelope(value: unknown): Envelope {
  return envelope(value, "envelope");
}

/**
 * Narrows a parsed JSON value to a receipt.
 *
 * @throws {ShapeError}
 */
export function decodeReceipt(value: unknown): Receipt {
  return receipt(value, "receipt");
}

/**
 * Narrows a parsed JSON value to the seal of a notebook.
 *
 * @throws {ShapeError}
 */
export function decodeSeal(value: unknown): NotebookSeal {
  return seal(value, "metadata.service_nb");
}
