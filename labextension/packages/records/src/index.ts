export { AGGREGATIONS } from "./aggregations.js";
export { decodeBase64 } from "./base64.js";
export { CanonicalError, canonicalText } from "./canonical.js";
export { CARD_KINDS, CARD_MIME, CARD_VERSION, decodeCard } from "./card.js";
export { ShapeError } from "./decode.js";
export { isObject, own } from "./json.js";
export { decodeLedger } from "./ledger.js";
export { MAX_CARD_BYTES, MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_NUMBER_CHARS, MAX_STATEMENT_BYTES } from "./limits.js";
export { JsonError } from "./json-error.js";
export { compareParts, isNumber, partsOf } from "./number.js";
export { parseJson } from "./parse.js";
export { decodeEnvelope, decodeReceipt, decodeSeal } from "./receipt.js";
export {
  decodeIndexStatement,
  decodeStatement,
  INDEX_PREDICATE_TYPE,
  PAYLOAD_TYPE,
  PREDICATE_TYPES,
  STATEMENT_TYPE,
} from "./statement.js";
export { decodeText } from "./texts.js";
export { decodeUtf8, encodeUtf8, utf8Length } from "./utf8.js";
export { failed, notCheckable, passed, verdict } from "./verdict.js";

export type { CanonicalFault } from "./canonical.js";
export type { Card, CardKind, DigestName, TextName } from "./card.js";
export type { ShapeFault } from "./decode.js";
export type { JsonObject, JsonValue } from "./json.js";
export type { LedgerDocument } from "./ledger.js";
export type { JsonCause, JsonFault } from "./json-error.js";
export type { Odd, Parts } from "./number.js";
export type { ParseOptions } from "./parse.js";
export type { Envelope, LogProof, NotebookSeal, Receipt, Signature } from "./receipt.js";
export type { IndexedCard, IndexStatement, Predicate, Statement, Subject } from "./statement.js";
export type {
  AnswerProvenance,
  Capability,
  Column,
  Condition,
  Definition,
  Identity,
  Plan,
  RecordType,
  ResolvedBinding,
  RunProvenance,
  Scalar,
  Source,
  Spec,
  ValueType,
} from "./texts.js";
export type {
  Check,
  CheckName,
  CheckStatus,
  FailedCause,
  FormCause,
  OpenCause,
  Verdict,
  VerdictStatus,
} from "./verdict.js";
