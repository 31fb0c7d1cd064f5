/** Receipts: each outcome is signed by the device's key, and stands in a log whose root the key signs too. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import {
  canonicalText,
  type Card,
  decodeBase64,
  encodeUtf8,
  PAYLOAD_TYPE,
  PREDICATE_TYPES,
  STATEMENT_TYPE,
} from "@service-nb/records";
import { encodeBase64 } from "../base64.js";
import { type Unsigned } from "./cards.js";
import { type Host, type Signer } from "./host.js";
import { type InputForm } from "./registry.js";
import { VERSION } from "../version.js";

const MOST_PAYLOAD = 12 * 1024; // characters of base64; a larger statement does not fit into a card
const LOG_DIGITS = 32;
const KEY_PREFIX = "302a300506032b6570032100"; // of a public key in DER
const KEY_ID_DIGITS = 16;

/** The largest complete trees of what was appended, the largest first. */
interface Peak {
  readonly size: number;
  readonly hash: Uint8Array;
}

/** Signs the cards of one client, in the order of its outcomes. Without a key they carry hashes alone. */
export class Receipts {
  readonly #host: Host;
  readonly #tenant: string | null;
  readonly #log: string;
  #peaks: readonly Peak[] = [];
  #size = 0;

  constructor(host: Host, tenant: string | null) {
    this.#host = host;
    this.#tenant = tenant;
    this.#log = host.drawHex(LOG_DIGITS);
  }

  /** Signs a card; `id` is that of its outcome, `time` when it came. */
  sign(unsigned: Unsigned, id: string, inputs: readonly InputForm[], time = new Date()): Card {
    const { card } = unsigned;
    const signer = this.#host.findSigner?.();
    if (signer === undefined) return card;
    const payload = encodeUtf8(this.#writeStatement(unsigned, { id, inputs, time }));
    if (payload.length * (4 / 3) > MOST_PAYLOAD) return card;
    const key = decodeBase64(signer.publicKey) ?? new Uint8Array();
    const keyId = bytesToHex(sha256(concatBytes(hexToBytes(KEY_PREFIX), key))).slice(0, KEY_ID_DIGITS);
    const signature = encodeBase64(signer.sign(encodePae(payload)));
    const envelope = {
      payloadType: PAYLOAD_TYPE,
      payload: encodeBase64(payload),
      signatures: [{ keyid: keyId, sig: signature }],
    };
    const log = this.#append(payload, { signer, key, keyId });
    return { ...card, receipt: { version: 1, envelope, public_key: signer.publicKey, log } };
  }

  #writeStatement({ card, texts, about }: Unsigned, { id, inputs, time }: Told): string {
    const hashes = new Map(Object.entries(about?.subjects ?? {}));
    for (const [name, text] of Object.entries(texts)) hashes.set(name, bytesToHex(sha256(encodeUtf8(text))));
    const names = [...hashes.keys()].sort();
    return canonicalText({
      _type: STATEMENT_TYPE,
      predicateType: PREDICATE_TYPES[card.kind],
      subject: names.map((name) => ({ name, digest: { sha256: hashes.get(name) } })),
      predicate: {
        version: 1,
        id,
        kind: card.kind,
        time: time.toISOString().replace("Z", "000Z"),
        tenant: this.#tenant,
        digests: card.digests,
        inputs,
        bindings: about?.bindings ?? [],
        determinism: about?.determinism ?? null,
        place: null,
        made_by: { service_nb: VERSION, contract_hash: about?.contractHash ?? null },
      },
    });
  }

  /** Appends a statement to the log, and proves that it is its last entry. */
  #append(payload: Uint8Array, { signer, key, keyId }: Signing): Readonly<Record<string, unknown>> {
    const leaf = sha256(concatBytes(Uint8Array.of(0), payload));
    const proof = [...this.#peaks].reverse().map(({ hash }) => bytesToHex(hash));
    const root = [...this.#peaks].reverse().reduce<Uint8Array>((right, { hash }) => hashNode(hash, right), leaf);
    const index = this.#size;
    this.#size += 1;
    this.#peaks = joinPeaks([...this.#peaks, { size: 1, hash: leaf }]);
    const text = `service-nb/${this.#log}\n${String(this.#size)}\n${encodeBase64(root)}\n`;
    const name = `service-nb/device/${keyId}`;
    const hint = sha256(concatBytes(encodeUtf8(`${name}\n\u0001`), key)).subarray(0, 4);
    const signed = encodeBase64(concatBytes(hint, signer.sign(encodeUtf8(text))));
    return { index, size: this.#size, proof, checkpoint: `${text}\n\u2014 ${name} ${signed}\n` };
  }
}

/** What a statement says of an outcome: its id, what was read, and when it was. */
interface Told {
  readonly id: string;
  readonly inputs: readonly InputForm[];
  readonly time: Date;
}

interface Signing {
  readonly signer: Signer;
  readonly key: Uint8Array;
  readonly keyId: string;
}

function joinPeaks(peaks: readonly Peak[]): readonly Peak[] {
  const [left, right] = peaks.slice(-2);
  if (left === undefined || right?.size !== left.size) return peaks;
  return joinPeaks([...peaks.slice(0, -2), { size: 2 * left.size, hash: hashNode(left.hash, right.hash) }]);
}

function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(1), left, right));
}

/** The bytes of a statement that are signed, as DSSE has it. */
function encodePae(payload: Uint8Array): Uint8Array {
  const kind = PAYLOAD_TYPE;
  return concatBytes(encodeUtf8(`DSSEv1 ${String(kind.length)} ${kind} ${String(payload.length)} `), payload);
}
