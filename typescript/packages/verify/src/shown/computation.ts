import {
  type BoundColumns,
  type CapabilityEntry,
  canonicalText,
  decodeText,
  type CallIdentity,
  isObject,
  own,
  type RecordType,
  type RunProvenance,
  ShapeError,
  type ValueType,
} from "@service-nb/records";
import { type Derived, expectSame, isSame, WORDS } from "./comparing.js";
import { compareTexts, exactText } from "./order.js";
import { isOfResult } from "./types.js";
import { nameWord, scalarText, separated } from "./words.js";

const SHOWN_VALUES = 20; // of an array

const CERTIFIED =
  "The value is proven to be the correctly rounded result of the formula for exactly these arguments: " +
  "the same on every machine.";
const PINNED = "The value has the same bits wherever the pinned runtime runs";
const UNPINNED = "This run was not inside the pinned runtime: the last digits may depend on libraries and processor.";

type Members = Readonly<Record<string, unknown>>;

/** The identity of a computation is of an earlier version, and nothing is compared with it. */
export class OlderForm extends Error {
  override readonly name = "OlderForm";
}

/**
 * What the view of a computation must be.
 *
 * @throws {ShapeError | Differs | OlderForm}
 */
export function deriveComputation(texts: Members, digests: Members, view: Members): Derived {
  const entry = decodeText.definition(texts["definition"]).capability;
  if (isOlder(texts["identity"])) throw new OlderForm();
  const identity = decodeText.identity(texts["identity"]);
  const run = decodeText.run(texts["provenance"]);
  requireRun(entry, identity, run, digests);
  const { result } = entry;
  const hasRows = Object.hasOwn(texts, "value");
  const value = texts["value"];
  if (hasRows && !isOfResult(value, result)) throw new ShapeError("value", "of the type of the result");
  return {
    hasRows,
    leaves: {
      status: "ok",
      call: entry.id,
      question: callWords(entry, identity, run),
      summary: entry.summary,
      columns: columnsOf(result.type),
      rows: hasRows ? rowsOf(value, result) : [],
      row_count: hasRows ? countOf(value) : view["row_count"],
      value_type: typeWords(result),
      formula: entry.formula ?? null,
      latex: entry.latex ?? null,
      citation: entry.source,
      tier: entry.tier,
      grade: entry.grade,
      promise: promiseOf(entry.tier, run.determinism["pinning"] === "pinned"),
      version: entry.version,
      bindings: run.bindings,
      determinism: run.determinism,
      ...(run.reading_notes === undefined ? {} : { reading_notes: run.reading_notes }),
      scope: identity.execution_scope,
      request_id: WORDS,
      latency_ms: WORDS,
    },
  };
}

/** How a value came about is how it was called. */
function requireRun(entry: CapabilityEntry, identity: CallIdentity, run: RunProvenance, digests: Members): void {
  const due = { input_hash: digests["input_hash"], tier: entry.tier, capability_version: entry.version };
  for (const [name, each] of Object.entries(due)) expectSame(`determinism.${name}`, each, run.determinism[name]);
  const given = run.bindings.flatMap(inputsOf);
  const met = Object.fromEntries(given);
  if (Object.keys(met).length < given.length) throw new ShapeError("bindings", "each parameter once");
  expectSame("bindings", Object.fromEntries(boundOf(entry, identity)), met);
  const sources = new Map(run.sources.map((each) => [each.name, each.schema_revision]));
  const read = new Map(run.bindings.map((each) => [each.source_name, each.schema_revision]));
  const isRead = [...sources].every(([name, revision]) => read.has(name) && isSame(read.get(name), revision));
  if (sources.size < run.sources.length || sources.size !== read.size || !isRead) {
    throw new ShapeError("sources", "those that the bindings read");
  }
  const sizes = new Map(run.sources.map((each) => [each.name, each.row_count]));
  for (const { source_name: name, source_rows: rows } of run.bindings) {
    if (rows !== undefined) expectSame(`rows of ${name}`, sizes.get(name), rows);
  }
}

type Input = readonly [parameter: string, hash: string];

/** The parameters that a binding gives, each with the hash of its column. */
function inputsOf({ parameters, fields, input_hash, input_hashes = [input_hash] }: BoundColumns): readonly Input[] {
  if (parameters.length !== fields.length || parameters.length !== input_hashes.length) {
    throw new ShapeError("bindings", "a column and a hash for each parameter");
  }
  return parameters.map((name, at) => [name, input_hashes[at] ?? ""]);
}

/** Which parameters are bound: those that are no literals, in their order; null stands for one that is not. */
export function boundOf({ params }: CapabilityEntry, identity: CallIdentity): readonly Input[] {
  const free = params.slice(identity.args.length).filter(({ name }) => !Object.hasOwn(identity.kwargs, name));
  return free.flatMap(({ name }, at): Input[] => {
    const input = identity.resolved_bindings[at];
    return input === undefined || input === null ? [] : [[name, input.input_hash]];
  });
}

/** Whether an identity names the sources of its columns, as earlier versions wrote it: nothing is compared with it. */
export function isOlder(identity: unknown): boolean {
  const resolved = isObject(identity) ? own(identity, "resolved_bindings") : undefined;
  return Array.isArray(resolved) && resolved.some((each) => isObject(each) && Object.hasOwn(each, "source_name"));
}

function callWords({ id, params }: CapabilityEntry, identity: CallIdentity, { bindings }: RunProvenance): string {
  const said = new Map(identity.args.map((value, at) => [params[at]?.name ?? "", literalWord(value)]));
  for (const [name, value] of Object.entries(identity.kwargs)) said.set(name, literalWord(value));
  for (const { source_name, fields, parameters, filter } of bindings) {
    const filtered = isFiltered(filter) ? " (filtered)" : "";
    parameters.forEach((name, at) => {
      said.set(name, `${nameWord(source_name)}.${nameWord(fields[at] ?? "")}${filtered}`);
    });
  }
  const parts = params.map(({ name }) => `${name}=${said.get(name) ?? ""}`);
  if (identity.seed !== null) parts.push(`seed=${String(identity.seed)}`);
  return `${id}(${parts.join(", ")})`;
}

function isFiltered(filter: unknown): boolean {
  return isObject(filter) && Object.keys(filter).length > 0;
}

const MOST_ITEMS = 8;
const MOST_CHARS = 60;
const KEPT_CHARS = 20;

function literalWord(value: unknown): string {
  if (!Array.isArray(value)) return shortWord(typeof value === "bigint" ? scalarText(value) : canonicalText(value));
  const isShort = value.length <= MOST_ITEMS;
  const items = (isShort ? value : value.slice(0, 3)).map(literalWord).join(", ");
  return isShort ? `[${items}]` : `[${items}, … ${separated(value.length)} items]`;
}

function shortWord(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  const chars = Array.from(text);
  if (chars.length <= MOST_CHARS) return text;
  return `${chars.slice(0, KEPT_CHARS).join("")}…${chars.slice(-KEPT_CHARS).join("")}`;
}

function columnsOf(type: string): readonly string[] {
  if (type === "record") return ["name", "value", "unit"];
  if (type.endsWith("[][]")) return []; // as many as the matrix has
  return type.endsWith("[]") ? ["item", "value"] : ["value", "unit", "about"];
}

function rowsOf(value: unknown, result: ValueType | RecordType): readonly (readonly string[])[] {
  if (isRecord(result)) {
    const items = value as Members;
    return fieldsOf(result).map(([name, { unit }]) => [name, valueText(items[name]), unit]);
  }
  if (!Array.isArray(value)) return [[valueText(value), result.unit, result.about ?? ""]];
  const some = value.slice(0, SHOWN_VALUES) as readonly unknown[];
  if (!result.type.endsWith("[][]")) return some.map((item, at) => [String(at), valueText(item)]);
  return some.map((row) => (row as readonly unknown[]).slice(0, SHOWN_VALUES).map(valueText));
}

function isRecord(result: ValueType | RecordType): result is RecordType {
  return result.type === "record";
}

function fieldsOf({ fields }: RecordType): readonly (readonly [string, ValueType])[] {
  return Object.entries(fields).sort(([one], [other]) => compareTexts(one, other));
}

function valueText(value: unknown): string {
  if (!Array.isArray(value)) return exactText(value) ?? "null";
  const items = value.slice(0, SHOWN_VALUES).map(valueText).join(", ");
  return `[${items}${value.length > SHOWN_VALUES ? ", …]" : "]"}`;
}

function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 1;
}

/** A result's type as people write it: `float64[n]`, or the fields of a record. */
function typeWords(result: ValueType | RecordType): string {
  if (isRecord(result))
    return `{${fieldsOf(result)
      .map(([name, each]) => `${name}: ${typeWords(each)}`)
      .join(", ")}}`;
  const { type, shape = [] } = result;
  return shape.length === 0 ? type : `${type.replaceAll("[]", "")}[${shape.join(",")}]`;
}

function promiseOf(tier: CapabilityEntry["tier"], isPinned: boolean): string {
  if (tier === "certified") return CERTIFIED;
  const promise = `${PINNED}${tier === "seeded" ? " with this seed" : ""}.`;
  return isPinned ? promise : `${promise} ${UNPINNED}`;
}
