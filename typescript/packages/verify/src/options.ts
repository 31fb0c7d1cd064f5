/** What the verifier of a document knows by another way than from the document. */
export interface VerifyOptions {
  /** Base64 of the public keys that are trusted. */
  readonly keys?: readonly string[];
  /** Hashes of the contracts that are known: `sha256:…`. */
  readonly contracts?: readonly string[];
}
