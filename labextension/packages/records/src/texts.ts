/** What the hashed texts of a card hold, as far as what is shown follows from it. */

import { AGGREGATIONS } from "./aggregations.js";
import {
  anyObject,
  anything,
  arrayOf,
  count,
  type Decoder,
  hash,
  mapOf,
  name,
  nullable,
  object,
  objectWith,
  oneOf,
  ShapeError,
  text,
} from "./decode.js";

type Members = Readonly<Record<string, unknown>>;

const COMPARISONS = ["eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"] as const;
const LISTS = ["in", "not_in", "between"] as const;
const NULLS = ["is_null", "is_not_null"] as const;

export type Aggregation = keyof typeof AGGREGATIONS;
/** A value of a condition. */
export type Scalar = string | number | bigint | boolean;

export type Condition =
  | { readonly column: string; readonly op: (typeof COMPARISONS)[number]; readonly value: Scalar }
  | { readonly column: string; readonly op: (typeof LISTS)[number]; readonly values: readonly Scalar[] }
  | { readonly column: string; readonly op: (typeof NULLS)[number] };

export interface Filter {
  readonly conditions?: readonly Condition[];
  readonly time_filter?: { readonly column: string; readonly period: string };
}

/** A question as it was asked, or as it was resolved. */
export interface Spec {
  readonly aggregation?: Aggregation;
  readonly metric?: string;
  readonly group_by?: readonly string[];
  readonly filter?: Filter;
  readonly order?: "asc" | "desc";
  readonly limit?: number;
  readonly source_name?: string;
}

/** What `plan_hash` covers. */
export interface Plan extends Omit<Spec, "source_name"> {
  readonly aggregation: Aggregation;
  readonly order: "asc" | "desc";
  readonly schema_revision: string;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly physical: string;
  readonly role: "key" | "metric" | "count";
}

export interface Source {
  readonly name: string;
  readonly source_id: string;
  readonly schema_revision: string;
  readonly row_count: number;
  readonly content: Members;
  readonly origin: Members | null;
  readonly reading: Members;
}

/** How the answer of a question came about. */
export interface AnswerProvenance {
  readonly columns: readonly Column[];
  readonly decision_path: string;
  readonly engine: string;
  readonly method: string;
  readonly notes: Readonly<Record<string, string>>;
  readonly row_count: number;
  readonly shown_rows: number;
  readonly sources: readonly Source[];
}

export interface Binding {
  readonly source_name: string;
  readonly fields: readonly string[];
  readonly parameters: readonly string[];
  readonly input_hash: string;
  readonly schema_revision?: unknown;
  readonly filter?: unknown;
}

/** How a computation came about. */
export interface RunProvenance {
  readonly bindings: readonly Binding[];
  readonly determinism: Members;
  readonly sources: readonly Source[];
}

export interface ResolvedBinding {
  readonly source_name: string;
  readonly fields: readonly string[];
  readonly input_hash: string;
  readonly parameter?: string;
  readonly parameters?: readonly string[];
}

export interface Identity {
  readonly args: readonly unknown[];
  readonly contract_hash: string;
  readonly execution_scope: string;
  readonly function: string;
  readonly kwargs: Members;
  readonly module: string;
  readonly resolved_bindings: readonly ResolvedBinding[];
  readonly seed: number | null;
}

export interface ValueType {
  readonly type: string;
  readonly unit: string;
  readonly about?: string;
  readonly shape?: readonly string[];
}

export interface RecordType {
  readonly type: "record";
  readonly fields: Readonly<Record<string, ValueType>>;
}

/** What a contract says of a capability. */
export interface Capability {
  readonly id: string;
  readonly module: string;
  readonly function: string;
  readonly summary: string;
  readonly source: string;
  readonly version: number;
  readonly tier: "certified" | "pinned" | "seeded";
  readonly params: readonly (ValueType & { readonly name: string })[];
  readonly result: ValueType | RecordType;
  readonly formula?: string;
  readonly latex?: string;
}

export interface Definition {
  readonly capability: Capability;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly string[];
}

const scalar: Decoder<Scalar> = (value, path) => {
  if (!["string", "number", "bigint", "boolean"].includes(typeof value)) throw new ShapeError(path, "a value");
  return value as Scalar;
};

const condition: Decoder<Condition> = (value, path) => {
  const { op } = anyObject(value, path);
  if (isOneOf(LISTS, op)) {
    const listed = object({ column: name, op: oneOf(...LISTS), values: arrayOf(scalar) })(value, path);
    if (op === "between" && listed.values.length !== 2) throw new ShapeError(path, "between two values");
    return listed;
  }
  if (isOneOf(NULLS, op)) return object({ column: name, op: oneOf(...NULLS) })(value, path);
  return object({ column: name, op: oneOf(...COMPARISONS), value: scalar })(value, path);
};

function isOneOf(list: readonly string[], value: unknown): boolean {
  return list.includes(value as string);
}

const names = arrayOf(name);
const conditions = arrayOf(condition);
const period = object({ column: name, period: text });
const asked = { metric: name, group_by: names, limit: count };
const order = oneOf("asc", "desc");
const aggregation = oneOf(...(Object.keys(AGGREGATIONS) as Aggregation[]));

const spec = objectWith(
  {},
  {
    ...asked,
    aggregation,
    order,
    filter: objectWith({}, { conditions, time_filter: period }),
    source_name: name,
  },
);
const plan = objectWith(
  { aggregation, order, schema_revision: hash },
  { ...asked, filter: objectWith({}, { conditions }) },
);

const source = object<Source>({
  name,
  source_id: text,
  schema_revision: hash,
  row_count: count,
  content: anyObject,
  origin: nullable(anyObject),
  reading: anyObject,
});

const answer = object<AnswerProvenance>({
  columns: arrayOf(object<Column>({ name, type: text, physical: text, role: oneOf("key", "metric", "count") })),
  decision_path: text,
  engine: text,
  method: text,
  notes: mapOf(text),
  row_count: count,
  shown_rows: count,
  sources: arrayOf(source),
});

const run = object<RunProvenance>({
  bindings: arrayOf(
    objectWith(
      { source_name: name, fields: names, parameters: names, input_hash: hash },
      { schema_revision: anything, row_count: anything, dropped: anything, filter: anything },
    ) as Decoder<Binding>,
  ),
  determinism: anyObject,
  sources: arrayOf(source),
});

const identity = object<Identity>({
  args: arrayOf(anything),
  contract_hash: text,
  execution_scope: text,
  function: name,
  kwargs: anyObject,
  module: name,
  resolved_bindings: arrayOf(
    objectWith({ source_name: name, fields: names, input_hash: hash }, { parameter: name, parameters: names }),
  ),
  seed: nullable(count),
});

const described = { about: text, name: text, shape: arrayOf(text) };
const valueType = objectWith({ type: text, unit: text }, described) as Decoder<ValueType>;
const recordType = objectWith(
  { type: oneOf("record"), fields: mapOf(valueType) },
  { about: text },
) as Decoder<RecordType>;
const parameter = objectWith(
  { name, type: text, unit: text },
  { about: text, shape: arrayOf(text), domain: anything, symbol: anything, min_size: anything, choices: anything },
) as Decoder<Capability["params"][number]>;

const capability = objectWith(
  {
    id: name,
    module: name,
    function: name,
    summary: name,
    source: name,
    version: count,
    tier: oneOf("certified", "pinned", "seeded"),
    params: arrayOf(parameter),
    result: (value: unknown, path: string) =>
      anyObject(value, path)["type"] === "record" ? recordType(value, path) : valueType(value, path),
  },
  {
    formula: text,
    latex: text,
    call: text,
    entry: text,
    requires: arrayOf(anything),
    limits: anyObject,
  },
) as Decoder<Capability>;

const definition = object<Definition>({ capability, index: count, size: count, proof: arrayOf(hash) });

/** Each narrows a parsed text to what it holds, or throws a `ShapeError`. */
export const decodeText = {
  spec: (value: unknown): Spec => spec(value, "spec"),
  plan: (value: unknown): Plan => plan(value, "plan"),
  answer: (value: unknown): AnswerProvenance => answer(value, "provenance"),
  run: (value: unknown): RunProvenance => run(value, "provenance"),
  identity: (value: unknown): Identity => identity(value, "identity"),
  definition: (value: unknown): Definition => definition(value, "definition"),
  object: (value: unknown): Members => anyObject(value, "text"),
} as const;
