// Written by typescript/shapes.py from service_nb/schema.

import { base64 } from "./base64.js";
import type { AGGREGATIONS } from "./aggregations.js";
import type { CardKind } from "./constants.js";
import { type Decoder, anyObject, anything, arrayOf, count, holding, literal, mapOf, name, nullable, object, oneOf, scalar, tagged, text, textLike, textOr, type Scalar } from "./decode.js";

/** The evidence of one outcome; a text may be missing from `canonical`, and its digest stays. */
export interface Card {
  readonly kind: CardKind;
  readonly version: 1;
  readonly canonical: Readonly<Record<string, string>>;
  readonly digests: Readonly<Record<string, string>>;
  readonly receipt: Readonly<Record<string, unknown>> | null;
  readonly view: Readonly<Record<string, unknown>>;
}

export const card: Decoder<Card> = object<Card>({
  kind: oneOf("query", "clarification", "rejection", "error", "computation", "replay"),
  version: literal(1),
  canonical: mapOf(text),
  digests: mapOf(text),
  receipt: nullable(anyObject),
  view: anyObject,
});

export const percent = textLike(/^(?:100|[1-9]?[0-9](?:\.[0-9]{0,3}[1-9])?)$/, "a decimal number from 0 to 100");

/** One of several aggregations that are asked for. */
export interface MeasureText {
  readonly aggregation: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
}

export const measureText: Decoder<MeasureText> = object<MeasureText>({
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
}, ["metric", "percent"]);

export const width = textLike(/^(?:[1-9][0-9]{0,14}(?:\.[0-9]{0,13}[1-9])?|0\.[0-9]{0,14}[1-9])$/, "a decimal number above 0");

/** A group key made of a column: the period of a date, or the bin of a number; it has one of the two. */
export interface KeyText {
  readonly column: string;
  readonly unit?: "day" | "week" | "month" | "quarter" | "year";
  readonly width?: string;
  readonly zone?: string;
}

export const keyText: Decoder<KeyText> = object<KeyText>({
  column: name,
  unit: oneOf("day", "week", "month", "quarter", "year"),
  width: width,
  zone: name,
}, ["unit", "width", "zone"]);

/** Conditions of which one holds, or more. */
export interface AnyText {
  readonly any: readonly ConditionText[];
}

export const anyText: Decoder<AnyText> = object<AnyText>({
  any: arrayOf((...met) => conditionText(...met), 2),
});

/** Conditions that all hold, as one of several alternatives. */
export interface AllText {
  readonly all: readonly ConditionText[];
}

export const allText: Decoder<AllText> = object<AllText>({
  all: arrayOf((...met) => conditionText(...met), 2),
});

/** A column that holds null, or does not. */
export interface NullText {
  readonly column: string;
  readonly op: "is_null" | "is_not_null";
}

export const nullText: Decoder<NullText> = object<NullText>({
  column: name,
  op: oneOf("is_null", "is_not_null"),
});

/** A column compared with a list of values. */
export interface ListText {
  readonly column: string;
  readonly op: "in" | "not_in";
  readonly values: readonly Scalar[];
}

export const listText: Decoder<ListText> = object<ListText>({
  column: name,
  op: oneOf("in", "not_in"),
  values: arrayOf(scalar),
});

/** A column between two values, both included. */
export interface RangeText {
  readonly column: string;
  readonly op: "between";
  readonly values: readonly Scalar[];
}

export const rangeText: Decoder<RangeText> = object<RangeText>({
  column: name,
  op: literal("between"),
  values: arrayOf(scalar, 2, 2),
});

/** A column compared with one value. */
export interface ComparisonText {
  readonly column: string;
  readonly op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "starts_with";
  readonly value: Scalar;
}

export const comparisonText: Decoder<ComparisonText> = object<ComparisonText>({
  column: name,
  op: oneOf("eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"),
  value: scalar,
});

export type ConditionText = AnyText | AllText | NullText | ListText | RangeText | ComparisonText;

export const conditionText: Decoder<ConditionText> = holding<AnyText, AllText | NullText | ListText | RangeText | ComparisonText>("any", anyText, holding<AllText, NullText | ListText | RangeText | ComparisonText>("all", allText, tagged<NullText | ListText | RangeText | ComparisonText>("op", [[["is_null", "is_not_null"], nullText], [["in", "not_in"], listText], [["between"], rangeText]], comparisonText)));

/** A calendar period, as it was asked for. */
export interface PeriodText {
  readonly column: string;
  readonly period: string;
}

export const periodText: Decoder<PeriodText> = object<PeriodText>({
  column: name,
  period: text,
});

/** The filter of a question. */
export interface FilterText {
  readonly conditions?: readonly ConditionText[];
  readonly time_filter?: PeriodText;
}

export const filterText: Decoder<FilterText> = object<FilterText>({
  conditions: arrayOf((...met) => conditionText(...met)),
  time_filter: periodText,
}, ["conditions", "time_filter"]);

/** Conditions on measures of which one holds, or more. */
export interface HavingAny {
  readonly any: readonly HavingCondition[];
}

export const havingAny: Decoder<HavingAny> = object<HavingAny>({
  any: arrayOf((...met) => havingCondition(...met), 2),
});

/** Conditions on measures that all hold, as one of several alternatives. */
export interface HavingAll {
  readonly all: readonly HavingCondition[];
}

export const havingAll: Decoder<HavingAll> = object<HavingAll>({
  all: arrayOf((...met) => havingCondition(...met), 2),
});

/** A measure that is null, or is not. */
export interface HavingNull {
  readonly aggregation: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
  readonly op: "is_null" | "is_not_null";
}

export const havingNull: Decoder<HavingNull> = object<HavingNull>({
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
  op: oneOf("is_null", "is_not_null"),
}, ["metric", "percent"]);

/** A measure compared with a list of values. */
export interface HavingList {
  readonly aggregation: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
  readonly op: "in" | "not_in";
  readonly values: readonly Scalar[];
}

export const havingList: Decoder<HavingList> = object<HavingList>({
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
  op: oneOf("in", "not_in"),
  values: arrayOf(scalar),
}, ["metric", "percent"]);

/** A measure between two values, both included. */
export interface HavingRange {
  readonly aggregation: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
  readonly op: "between";
  readonly values: readonly Scalar[];
}

export const havingRange: Decoder<HavingRange> = object<HavingRange>({
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
  op: literal("between"),
  values: arrayOf(scalar, 2, 2),
}, ["metric", "percent"]);

/** A measure compared with one value. */
export interface HavingValue {
  readonly aggregation: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
  readonly op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "contains" | "starts_with";
  readonly value: Scalar;
}

export const havingValue: Decoder<HavingValue> = object<HavingValue>({
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
  op: oneOf("eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"),
  value: scalar,
}, ["metric", "percent"]);

export type HavingCondition = HavingAny | HavingAll | HavingNull | HavingList | HavingRange | HavingValue;

export const havingCondition: Decoder<HavingCondition> = holding<HavingAny, HavingAll | HavingNull | HavingList | HavingRange | HavingValue>("any", havingAny, holding<HavingAll, HavingNull | HavingList | HavingRange | HavingValue>("all", havingAll, tagged<HavingNull | HavingList | HavingRange | HavingValue>("op", [[["is_null", "is_not_null"], havingNull], [["in", "not_in"], havingList], [["between"], havingRange]], havingValue)));

/** Conditions that all hold of each group in a result. */
export interface HavingText {
  readonly conditions: readonly HavingCondition[];
}

export const havingText: Decoder<HavingText> = object<HavingText>({
  conditions: arrayOf((...met) => havingCondition(...met), 1),
});

/** A question as it was asked. */
export interface SpecText {
  readonly aggregation?: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
  readonly measures?: readonly MeasureText[];
  readonly group_by?: readonly (string | KeyText)[];
  readonly filter?: FilterText;
  readonly having?: HavingText;
  readonly order_by?: string;
  readonly order?: "asc" | "desc";
  readonly limit?: number;
  readonly source_name?: string;
}

export const specText: Decoder<SpecText> = object<SpecText>({
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
  measures: arrayOf(measureText),
  group_by: arrayOf(textOr(name, keyText)),
  filter: filterText,
  having: havingText,
  order_by: name,
  order: oneOf("asc", "desc"),
  limit: count,
  source_name: name,
}, ["aggregation", "metric", "percent", "measures", "group_by", "filter", "having", "order_by", "order", "limit", "source_name"]);

export const hash = textLike(/^[0-9a-f]{64}$/, "64 hex digits");

/** The filter of a plan: no period is left in it. */
export interface PlanFilterText {
  readonly conditions: readonly ConditionText[];
}

export const planFilterText: Decoder<PlanFilterText> = object<PlanFilterText>({
  conditions: arrayOf((...met) => conditionText(...met)),
});

/** A plan, as `plan_hash` covers it: it has an aggregation, or several measures. */
export interface PlanText {
  readonly order: "asc" | "desc";
  readonly schema_revision: string;
  readonly aggregation?: keyof typeof AGGREGATIONS;
  readonly metric?: string;
  readonly percent?: string;
  readonly measures?: readonly MeasureText[];
  readonly group_by?: readonly (string | KeyText)[];
  readonly order_by?: string;
  readonly filter?: PlanFilterText;
  readonly having?: HavingText;
  readonly limit?: number;
}

export const planText: Decoder<PlanText> = object<PlanText>({
  order: oneOf("asc", "desc"),
  schema_revision: hash,
  aggregation: oneOf("sum", "avg", "count", "min", "max", "median", "count_distinct", "stddev", "variance", "percentile"),
  metric: name,
  percent: percent,
  measures: arrayOf(measureText),
  group_by: arrayOf(textOr(name, keyText)),
  order_by: name,
  filter: planFilterText,
  having: havingText,
  limit: count,
}, ["aggregation", "metric", "percent", "measures", "group_by", "order_by", "filter", "having", "limit"]);

/** A plan that shows a source, as `plan_hash` covers it. */
export interface InspectionText {
  readonly inspect: "preview" | "profile";
  readonly schema_revision: string;
  readonly limit?: number;
  readonly order?: "columns";
}

export const inspectionText: Decoder<InspectionText> = object<InspectionText>({
  inspect: oneOf("preview", "profile"),
  schema_revision: hash,
  limit: count,
  order: literal("columns"),
}, ["limit", "order"]);

/** A column of a shown table. `role` says what it is: a group key, the aggregate, or the count of rows. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly physical: string;
  readonly role: "key" | "metric" | "count";
  readonly zone?: string;
}

export const column: Decoder<Column> = object<Column>({
  name: name,
  type: text,
  physical: text,
  role: oneOf("key", "metric", "count"),
  zone: name,
}, ["zone"]);

/** A source that took part. */
export interface Input {
  readonly name: string;
  readonly source_id: string;
  readonly schema_revision: string;
  readonly row_count: number;
  readonly content: Readonly<Record<string, unknown>>;
  readonly origin: Readonly<Record<string, unknown>> | null;
  readonly reading: Readonly<Record<string, unknown>> | null;
}

export const input: Decoder<Input> = object<Input>({
  name: name,
  source_id: text,
  schema_revision: hash,
  row_count: count,
  content: anyObject,
  origin: nullable(anyObject),
  reading: nullable(anyObject),
});

/** A note as provenance and cards have it. */
export interface ReadingNoteText {
  readonly kind: string;
  readonly columns: readonly string[];
  readonly facts?: Readonly<Record<string, string>>;
}

export const readingNoteText: Decoder<ReadingNoteText> = object<ReadingNoteText>({
  kind: name,
  columns: arrayOf(name),
  facts: mapOf(text),
}, ["facts"]);

/** The provenance of a question's answer. */
export interface AnswerProvenance {
  readonly columns: readonly Column[];
  readonly decision_path: string;
  readonly engine: string;
  readonly method: string;
  readonly notes: Readonly<Record<string, string>>;
  readonly row_count: number;
  readonly shown_rows: number;
  readonly sources: readonly Input[];
  readonly used_rows?: number;
  readonly dropped?: Readonly<Record<string, number>>;
  readonly reading_notes?: readonly ReadingNoteText[];
}

export const answerProvenance: Decoder<AnswerProvenance> = object<AnswerProvenance>({
  columns: arrayOf(column),
  decision_path: text,
  engine: text,
  method: text,
  notes: mapOf(text),
  row_count: count,
  shown_rows: count,
  sources: arrayOf(input, 1, 1),
  used_rows: count,
  dropped: mapOf(count),
  reading_notes: arrayOf(readingNoteText),
}, ["used_rows", "dropped", "reading_notes"]);

/** Columns of a source that a computation read. */
export interface BoundColumns {
  readonly source_name: string;
  readonly fields: readonly string[];
  readonly parameters: readonly string[];
  readonly input_hash: string;
  readonly input_hashes?: readonly string[];
  readonly schema_revision?: unknown;
  readonly row_count?: unknown;
  readonly dropped?: unknown;
  readonly source_rows?: number;
  readonly filter?: unknown;
}

export const boundColumns: Decoder<BoundColumns> = object<BoundColumns>({
  source_name: name,
  fields: arrayOf(name),
  parameters: arrayOf(name),
  input_hash: hash,
  input_hashes: arrayOf(hash),
  schema_revision: anything,
  row_count: anything,
  dropped: anything,
  source_rows: count,
  filter: anything,
}, ["input_hashes", "schema_revision", "row_count", "dropped", "source_rows", "filter"]);

/** The provenance of a computation. */
export interface RunProvenance {
  readonly bindings: readonly BoundColumns[];
  readonly determinism: Readonly<Record<string, unknown>>;
  readonly sources: readonly Input[];
  readonly reading_notes?: readonly ReadingNoteText[];
}

export const runProvenance: Decoder<RunProvenance> = object<RunProvenance>({
  bindings: arrayOf(boundColumns),
  determinism: anyObject,
  sources: arrayOf(input),
  reading_notes: arrayOf(readingNoteText),
}, ["reading_notes"]);

/** A bound parameter in the identity of a call. */
export interface ResolvedBinding {
  readonly input_hash: string;
}

export const resolvedBinding: Decoder<ResolvedBinding> = object<ResolvedBinding>({
  input_hash: hash,
});

/** The identity of a call, as `invocation_hash` covers it. */
export interface CallIdentity {
  readonly args: readonly unknown[];
  readonly contract_hash: string;
  readonly execution_scope: string;
  readonly function: string;
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly module: string;
  readonly resolved_bindings: readonly (ResolvedBinding | null)[];
  readonly seed: number | null;
}

export const callIdentity: Decoder<CallIdentity> = object<CallIdentity>({
  args: arrayOf(anything),
  contract_hash: text,
  execution_scope: text,
  function: name,
  kwargs: anyObject,
  module: name,
  resolved_bindings: arrayOf(nullable(resolvedBinding)),
  seed: nullable(count),
});

/** A parameter, as the contract has it. */
export interface ParameterEntry {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly about?: string;
  readonly shape?: readonly string[];
  readonly domain?: unknown;
  readonly symbol?: unknown;
  readonly min_size?: unknown;
  readonly structure?: string;
  readonly choices?: unknown;
  readonly default?: unknown;
}

export const parameterEntry: Decoder<ParameterEntry> = object<ParameterEntry>({
  name: name,
  type: text,
  unit: text,
  about: text,
  shape: arrayOf(text),
  domain: anything,
  symbol: anything,
  min_size: anything,
  structure: text,
  choices: anything,
  default: anything,
}, ["about", "shape", "domain", "symbol", "min_size", "structure", "choices", "default"]);

/** The type of one value of a result. */
export interface ValueType {
  readonly type: string;
  readonly unit: string;
  readonly about?: string;
  readonly name?: string;
  readonly shape?: readonly string[];
  readonly range?: string;
}

export const valueType: Decoder<ValueType> = object<ValueType>({
  type: text,
  unit: text,
  about: text,
  name: text,
  shape: arrayOf(text),
  range: text,
}, ["about", "name", "shape", "range"]);

/** The type of a result that has named values. */
export interface RecordType {
  readonly type: "record";
  readonly fields: Readonly<Record<string, ValueType>>;
  readonly about?: string;
}

export const recordType: Decoder<RecordType> = object<RecordType>({
  type: literal("record"),
  fields: mapOf(valueType),
  about: text,
}, ["about"]);

/** A capability, as the contract has it. */
export interface CapabilityEntry {
  readonly id: string;
  readonly module: string;
  readonly function: string;
  readonly summary: string;
  readonly source: string;
  readonly version: number;
  readonly tier: "certified" | "pinned" | "seeded";
  readonly grade?: string;
  readonly params: readonly ParameterEntry[];
  readonly result: RecordType | ValueType;
  readonly formula?: string;
  readonly latex?: string;
  readonly call?: string;
  readonly entry?: string;
  readonly requires?: readonly unknown[];
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly compares?: readonly string[];
}

export const capabilityEntry: Decoder<CapabilityEntry> = object<CapabilityEntry>({
  id: name,
  module: name,
  function: name,
  summary: name,
  source: name,
  version: count,
  tier: oneOf("certified", "pinned", "seeded"),
  grade: name,
  params: arrayOf(parameterEntry),
  result: tagged<RecordType | ValueType>("type", [[["record"], recordType]], valueType),
  formula: text,
  latex: text,
  call: text,
  entry: text,
  requires: arrayOf(anything),
  limits: anyObject,
  compares: arrayOf(name),
}, ["grade", "formula", "latex", "call", "entry", "requires", "limits", "compares"]);

/** A contract entry and the proof that the contract has it, as `definition_hash` covers them. */
export interface Definition {
  readonly capability: CapabilityEntry;
  readonly index: number;
  readonly proof: readonly string[];
  readonly size: number;
}

export const definition: Decoder<Definition> = object<Definition>({
  capability: capabilityEntry,
  index: count,
  proof: arrayOf(hash),
  size: count,
});

export const bytes = base64();

export const signatureBytes = base64(64);

/** A signature, and the id of its key: the first 16 hex digits of the SHA-256 of the key in DER. */
export interface EnvelopeSignature {
  readonly keyid: string;
  readonly sig: string;
}

export const envelopeSignature: Decoder<EnvelopeSignature> = object<EnvelopeSignature>({
  keyid: text,
  sig: signatureBytes,
});

/** A DSSE envelope: `payload` and `sig` are standard base64. `signatures` is empty where there was no key. */
export interface Envelope {
  readonly payloadType: "application/vnd.in-toto+json";
  readonly payload: string;
  readonly signatures: readonly EnvelopeSignature[];
}

export const envelope: Decoder<Envelope> = object<Envelope>({
  payloadType: literal("application/vnd.in-toto+json"),
  payload: bytes,
  signatures: arrayOf(envelopeSignature, 0, 1),
});

export const publicKey = base64(32);

/** A proof that a ledger has an entry: its index, and the path from its leaf to the checkpoint's signed root. */
export interface LogProof {
  readonly index: number;
  readonly size: number;
  readonly proof: readonly string[];
  readonly checkpoint: string;
}

export const logProof: Decoder<LogProof> = object<LogProof>({
  index: count,
  size: count,
  proof: arrayOf(hash),
  checkpoint: text,
});

/** The evidence that one card carries, which can be verified without the ledger. */
export interface Receipt {
  readonly version: 1;
  readonly envelope: Envelope;
  readonly public_key: string;
  readonly log: LogProof;
}

export const receipt: Decoder<Receipt> = object<Receipt>({
  version: literal(1),
  envelope: envelope,
  public_key: publicKey,
  log: logProof,
});

/** The plain SHA-256 of the UTF-8 of a hashed text. */
export interface SubjectDigest {
  readonly sha256: string;
}

export const subjectDigest: Decoder<SubjectDigest> = object<SubjectDigest>({
  sha256: hash,
});

/** A hashed text, by the name that the card has for it. */
export interface Subject {
  readonly name: string;
  readonly digest: SubjectDigest;
}

export const subject: Decoder<Subject> = object<Subject>({
  name: text,
  digest: subjectDigest,
});

/** An in-toto Statement v1: of an outcome with a `Predicate`, of a sealed notebook with an `IndexPredicate`. */
export interface Statement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly predicateType: string;
  readonly subject: readonly Subject[];
  readonly predicate: Readonly<Record<string, unknown>>;
}

export const statement: Decoder<Statement> = object<Statement>({
  _type: literal("https://in-toto.io/Statement/v1"),
  predicateType: text,
  subject: arrayOf(subject),
  predicate: anyObject,
});

export const moment = textLike(/^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/, "a time as 2026-11-21T13:22:52Z");

/** The facts of an outcome in a statement, beside the digests of its texts. */
export interface Predicate {
  readonly version: 1;
  readonly id: string;
  readonly kind: CardKind;
  readonly time: string;
  readonly tenant: string | null;
  readonly digests: Readonly<Record<string, unknown>>;
  readonly inputs: readonly unknown[];
  readonly bindings: readonly unknown[];
  readonly determinism: Readonly<Record<string, unknown>> | null;
  readonly place: Readonly<Record<string, unknown>> | null;
  readonly made_by: Readonly<Record<string, unknown>>;
}

export const predicate: Decoder<Predicate> = object<Predicate>({
  version: literal(1),
  id: text,
  kind: oneOf("query", "clarification", "rejection", "error", "computation", "replay"),
  time: moment,
  tenant: nullable(text),
  digests: anyObject,
  inputs: arrayOf(anything),
  bindings: arrayOf(anything),
  determinism: nullable(anyObject),
  place: nullable(anyObject),
  made_by: anyObject,
});

export const contractHash = textLike(/^sha256:[0-9a-f]{64}$/, "sha256: and 64 hex digits");
