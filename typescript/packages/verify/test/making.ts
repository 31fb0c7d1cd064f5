/** Cards made for tests: hashed, and where it is asked for signed, by this file alone. */

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalText } from "@service-nb/records";

export type Members = Record<string, unknown>;

/** A card whose texts are still values: what a forger edits before hashing. */
export interface Draft {
  readonly kind: "query" | "computation" | "clarification" | "rejection" | "error" | "replay";
  readonly texts: Members;
  readonly view: Members;
}

export type Secret = Uint8Array;

export const AUTHOR: Secret = new Uint8Array(32).fill(1);
export const STRANGER: Secret = new Uint8Array(32).fill(2);

export function publicKey(secret: Secret): string {
  return base64(ed25519.getPublicKey(secret));
}

/** The card of a draft, every digest right; signed where a secret is given. */
export function card({ kind, texts, view }: Draft, secret?: Secret, id = idOf(view)): Members {
  const canonical = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, canonicalText(value)]));
  const made = { kind, version: 1, canonical, digests: digestsOf(kind, canonical, texts, view), receipt: null, view };
  return secret === undefined ? made : { ...made, receipt: receipt(made, texts, secret, id) };
}

/** The same without a member. */
export function without(value: Members, key: string): Members {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== key));
}

function idOf(view: Members): string {
  const id = view["query_id"] ?? view["request_id"];
  return typeof id === "string" ? id : "refusal_0011223344556677";
}

function digestsOf(kind: string, text: Record<string, string>, texts: Members, view: Members): Record<string, string> {
  const { rows, ...rest } = view;
  const shown = {
    view_hash: hash("view", canonicalText(rest)),
    ...(rows === undefined ? {} : { rows_hash: hash("rows", canonicalText(rows)) }),
  };
  const at = (name: string): string => text[name] ?? "";
  const provenance_hash = hash("provenance", at("provenance"));
  switch (kind) {
    case "query": {
      const plan_hash = hash("plan", at("plan"));
      const schema_revision = String((texts["plan"] as Members)["schema_revision"]);
      return {
        plan_hash,
        result_hash: hash("result", plan_hash + at("result")),
        schema_revision,
        provenance_hash,
        ...shown,
      };
    }
    case "computation": {
      const invocation_hash = hash("invocation", at("identity"));
      return {
        input_hash: bytesToHex(sha256(utf8ToBytes(at("arguments")))),
        invocation_hash,
        computation_hash: hash("computation", invocation_hash + at("value")),
        contract_hash: String((texts["identity"] as Members)["contract_hash"]),
        definition_hash: hash("definition", at("definition")),
        provenance_hash,
        ...shown,
      };
    }
    case "error":
      return { error_hash: hash("error", at("error")), ...shown };
    case "replay":
      return { replay_hash: hash("replay", at("report")), ...shown };
    default:
      return { refusal_hash: refused(at("spec"), texts["resolution"]), ...shown };
  }
}

function hash(domain: string, text: string): string {
  return bytesToHex(sha256(utf8ToBytes(`service:${domain}:v1\0${text}`)));
}

/** The hash of a refusal: of codes, slots and candidates, without the sentence. */
function refused(spec: string, resolution: unknown): string {
  const codes = Object.fromEntries(Object.entries(resolution as Members).filter(([name]) => name !== "reason"));
  return bytesToHex(sha256(utf8ToBytes(`service:refusal:v2\0${spec}\0${canonicalText(codes)}`)));
}

const TYPES: Readonly<Record<string, string>> = { clarification: "refusal", rejection: "refusal" };

/** The receipt of a card in a ledger of its own. */
function receipt(made: Members & { kind: string }, texts: Members, secret: Secret, id: string): Members {
  const told = (texts["provenance"] ?? {}) as Members;
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    predicateType: `urn:service-nb:${TYPES[made.kind] ?? made.kind}:v1`,
    subject: Object.entries(made["canonical"] as Record<string, string>).map(([name, text]) => ({
      name,
      digest: { sha256: bytesToHex(sha256(utf8ToBytes(text))) },
    })),
    predicate: {
      version: 1,
      id,
      kind: made.kind,
      time: "2026-11-22T09:00:00Z",
      tenant: null,
      digests: made["digests"],
      inputs: told["sources"] ?? [],
      bindings: told["bindings"] ?? [],
      determinism: told["determinism"] ?? null,
      place: null,
      made_by: { service_nb: "0.1.0", contract_hash: null },
    },
  };
  const payload = utf8ToBytes(canonicalText(statement));
  const key = ed25519.getPublicKey(secret);
  const keyid = bytesToHex(sha256(concatBytes(hexToBytes("302a300506032b6570032100"), key)).subarray(0, 8));
  const type = "application/vnd.in-toto+json";
  const pae = utf8ToBytes(`DSSEv1 ${String(type.length)} ${type} ${String(payload.length)} `);
  const root = base64(sha256(concatBytes(Uint8Array.of(0), payload)));
  const note = `service-nb/${"0".repeat(32)}\n1\n${root}\n`;
  const name = `service-nb/device/${keyid}`;
  const hint = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(1), key)).subarray(0, 4);
  const noteSignature = concatBytes(hint, ed25519.sign(utf8ToBytes(note), secret));
  return {
    version: 1,
    envelope: {
      payloadType: type,
      payload: base64(payload),
      signatures: [{ keyid, sig: base64(ed25519.sign(concatBytes(pae, payload), secret)) }],
    },
    public_key: base64(key),
    log: { index: 0, size: 1, proof: [], checkpoint: `${note}\n— ${name} ${base64(noteSignature)}\n` },
  };
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
