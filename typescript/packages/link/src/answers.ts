import { isObject, own } from "@service-nb/records";
import { AnswerError, count, type Decoder, flag, given, listOf, nullable, object, oneOf, text } from "./decode.js";
import type {
  Answered,
  AskCheck,
  CallCheck,
  Capability,
  ColumnLook,
  Failure,
  Field,
  Hello,
  Hit,
  Method,
  Parameter,
  Replayed,
  Source,
  ValueCount,
} from "./messages.js";

const field: Decoder<Field> = object({
  name: text,
  type: text,
  physical: text,
  nullable: flag,
  aliases: listOf(text),
});

const source: Decoder<Source> = object({
  name: text,
  source_id: text,
  schema_revision: text,
  row_count: count,
  provider: text,
  connected: given(flag),
  fields: listOf(field),
});

const valueCount: Decoder<ValueCount> = object({ value: text, below: nullable(text), rows: count });

const columnLook: Decoder<ColumnLook> = object({
  name: text,
  nulls: count,
  distinct: nullable(count),
  minimum: nullable(text),
  maximum: nullable(text),
  counts: nullable(listOf(valueCount)),
});

const hit = { name: text, summary: text, signature: text, tier: text, grade: text };

const parameter: Decoder<Parameter> = object({
  name: text,
  type: text,
  unit: text,
  domain: nullable(text),
  about: text,
  symbol: nullable(text),
  shape: listOf(text),
  choices: listOf(text),
  default: given(text),
  example: nullable(text),
});

const capability: Decoder<Capability> = object({
  ...hit,
  source: text,
  params: listOf(parameter),
  result: object({ type: text, unit: text, about: text }),
  formula: nullable(text),
  latex: nullable(text),
  needs_seed: flag,
});

const hello: Decoder<Hello> = object({
  version: count,
  made_by: text,
  contract_hash: nullable(text),
  capabilities: count,
  project: text,
});

const askCheck: Decoder<AskCheck> = object({
  status: oneOf("ok", "needs_clarification", "rejected"),
  line: text,
  plan: listOf(text),
  reason: nullable(text),
  candidates: listOf(object({ slot: text, name: text, ask: text })),
});

const callCheck: Decoder<CallCheck> = object({
  status: oneOf("ok", "invalid"),
  line: text,
  faults: listOf(object({ parameter: nullable(text), message: text })),
});

const replayed: Decoder<Replayed> = object({
  status: oneOf("identical", "differs", "refused"),
  message: text,
  cause: nullable(text),
});

/** What each answer has to be. */
export const ANSWERS: { readonly [M in Method]: Decoder<Answered[M]> } = {
  hello,
  sources: object({ sources: listOf(source), fault: given(text) }),
  values: object({ values: listOf(text) }),
  look: object({ columns: listOf(columnLook) }),
  search: object({ hits: listOf<Hit>(object(hit)), count }),
  capability,
  check_ask: askCheck,
  check_call: callCheck,
  replay: replayed,
  read_result: object({ part: text, size: count }),
};

export const failure: Decoder<Failure> = object({ code: text, message: text, hint: nullable(text) });

/** A response as it came: for which request, and what it holds, still to be decoded. */
export interface Envelope {
  readonly version: unknown;
  readonly id: number;
  readonly body: { readonly result: unknown } | { readonly error: unknown };
}

/** The outside of a response; undefined for what is no response to anything. */
export function envelope(message: unknown): Envelope | undefined {
  if (!isObject(message)) return undefined;
  const id = own(message, "id");
  if (!Number.isSafeInteger(id)) return undefined;
  const version = own(message, "service_nb");
  const hasError = Object.hasOwn(message, "error");
  // With both or with neither, nobody could tell which is meant: `result` is then no answer of any method.
  const isOne = hasError !== Object.hasOwn(message, "result");
  const body = hasError && isOne ? { error: own(message, "error") } : { result: isOne ? message["result"] : undefined };
  return { version, id: id as number, body };
}

/** The answer to a method, narrowed. Throws an `AnswerError`. */
export function decodeAnswer<M extends Method>(method: M, result: unknown): Answered[M] {
  if (result === undefined) throw new AnswerError(method, "answered");
  return ANSWERS[method](result, method);
}
