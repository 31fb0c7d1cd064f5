import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { encodeUtf8 } from "@service-nb/records";

/** What is hashed is of one meaning: the domain stands before it, so that equal texts of two meanings share no hash. */
export type Domain =
  | "service:plan:v1"
  | "service:schema:v1"
  | "service:result:v1"
  | "service:refusal:v1" // of earlier versions
  | "service:refusal:v2"
  | "service:error:v1"
  | "service:invocation:v1"
  | "service:computation:v1"
  | "service:replay:v1"
  | "service:provenance:v1"
  | "service:definition:v1"
  | "service:view:v1"
  | "service:rows:v1";

/** Hex SHA-256 over the domain, one NUL byte, and the parts one after the other as UTF-8. */
export function digest(domain: Domain, ...parts: readonly string[]): string {
  return sha256Hex(encodeUtf8(`${domain}\0${parts.join("")}`));
}

/** Hex SHA-256 of bytes, or of the UTF-8 of a text, as they stand. */
export function sha256Hex(content: Uint8Array | string): string {
  return bytesToHex(sha256Bytes(typeof content === "string" ? encodeUtf8(content) : content));
}

/** SHA-256 of the parts one after the other. */
export function sha256Bytes(...parts: readonly Uint8Array[]): Uint8Array {
  return sha256(concatBytes(...parts));
}
