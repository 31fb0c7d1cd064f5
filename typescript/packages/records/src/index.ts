export type { CheckName, FailedCause, FormCause, OpenCause } from "./causes.js";
export { AGGREGATIONS } from "./aggregations.js";
export { decodeBase64 } from "./base64.js";
export { CanonicalError, canonicalText } from "./canonical.js";
export {
  CARD_KINDS,
  CARD_MIME,
  CARD_VERSION,
  CELL_TYPES,
  DIGESTS,
  INDEX_PREDICATE_TYPE,
  MAX_CARD_BYTES,
  MAX_DEPTH,
  MAX_DOCUMENT_BYTES,
  MAX_NUMBER_CHARS,
  MAX_STATEMENT_BYTES,
  NAME_HEADS,
  NOTEBOOK_FORMAT,
  OTHER_CELLS,
  OUTPUT_CELL,
  OUTPUT_TYPES,
  PAYLOAD_TYPE,
  PREDICATE_TYPES,
  QUOTED,
  STATEMENT_TYPE,
  LETTERS_NOTE,
  UNDECIDING,
} from "./constants.js";
export { ShapeError } from "./decode.js";
export { isObject, own } from "./json.js";
export { JsonError } from "./json-error.js";
export { compareParts, isNumber, partsOf } from "./number.js";
export { parseJson } from "./parse.js";
export { decodeCard, decodeEnvelope, decodeReceipt, decodeStatement, decodeText } from "./documents.js";
export { decodeIndexStatement, decodeLedger, decodeSeal } from "./files.js";
export { decodeUtf8, encodeUtf8, utf8Length } from "./utf8.js";
export { findAdvice, isOfRows, listPlaces, nameSource, qualifyMethod, writeNote, writeShort } from "./reading-notes.js";
export { MOST_NOTES } from "./reading-note-kinds.js";
export { keyNames, measuresOf, orderPlace, resultColumns } from "./result-columns.js";
export { failed, notCheckable, passed, verdict } from "./verdict.js";

export type { CanonicalFault } from "./canonical.js";
export type { CardKind } from "./constants.js";
export type { Card, DigestName, LeafText, Statement, TextName } from "./documents.js";
export type { IndexedCard, LedgerDocument, NotebookSeal } from "./file-shapes.js";
export type { IndexStatement } from "./files.js";
export type { Scalar, ShapeFault } from "./decode.js";
export type { JsonObject, JsonValue } from "./json.js";
export type { JsonCause, JsonFault } from "./json-error.js";
export type { Odd, Parts } from "./number.js";
export type { ParseOptions } from "./parse.js";
export type { ReadingNote } from "./reading-notes.js";
export type {
  AnswerProvenance,
  CallIdentity,
  CapabilityEntry,
  Column,
  ConditionText,
  Definition,
  Envelope,
  EnvelopeSignature,
  HavingCondition,
  Input,
  LogProof,
  KeyText,
  MeasureText,
  PlanText,
  Predicate,
  Receipt,
  RecordType,
  BoundColumns,
  RunProvenance,
  SpecText,
  Subject,
  ValueType,
} from "./shapes.js";
export type { Check, CheckStatus, Verdict, VerdictStatus } from "./verdict.js";
