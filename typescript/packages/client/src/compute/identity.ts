/** The identity of a call and its hashes, to the letter of the page on hashes; and values as canonical JSON. */

import { canonicalText } from "@service-nb/records";
import { hashPieces } from "../digests.js";
import { type Bound } from "./binding.js";
import { type Checked } from "./call.js";
import { type Value } from "./executor.js";

const INVOCATION_DOMAIN = "service:invocation:v1";
const COMPUTATION_DOMAIN = "service:computation:v1";
const BLOCK = 65_536; // items that are written at once

/** The canonical JSON of an argument or a value. */
export function writeValue(value: Value): string {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `"${String(value)}"`;
  if (value instanceof Float64Array)
    return `[${value.every(Number.isFinite) ? value.join(",") : Array.from(value, writeValue).join(",")}]`;
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(writeValue).join(",")}]`;
  if (typeof value !== "object") return canonicalText(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, each]) => `${canonicalText(name)}:${writeValue(each)}`).join(",")}}`;
}

/** The canonical JSON of a value in pieces, of which none is long. */
export function* iterValue(value: Value): Generator<string, void> {
  if (!isLong(value)) {
    yield writeValue(value);
    return;
  }
  const items: ArrayLike<Value> = value;
  for (let start = 0; start < items.length; start += BLOCK) {
    yield start === 0 ? "[" : ",";
    const block = items instanceof Float64Array ? items.subarray(start, start + BLOCK) : Array.prototype.slice.call(items, start, start + BLOCK); // prettier-ignore
    yield writeValue(block as Value).slice(1, -1);
  }
  yield "]";
}

/** The canonical JSON of a list of values in pieces. */
export function* iterList(values: readonly Value[]): Generator<string, void> {
  if (!values.some(isLong)) {
    yield writeValue(values);
    return;
  }
  for (const [at, value] of values.entries()) {
    yield at === 0 ? "[" : ",";
    yield* iterValue(value);
  }
  yield "]";
}

function isLong(value: Value): value is Float64Array | readonly Value[] {
  return (value instanceof Float64Array || Array.isArray(value)) && value.length > BLOCK;
}

/** What decides the identity of a call beside the call. */
export interface Scope {
  readonly contractHash: string;
  /** `<platform>:<mode>` */
  readonly executionScope: string;
}

/** The identity as canonical JSON, in pieces. */
export function* iterIdentity(checked: Checked, bound: readonly Bound[], scope: Scope): Generator<string, void> {
  const { capability, args, kwargs, seed } = checked;
  yield '{"args":';
  yield* iterList(args);
  const { contractHash, executionScope } = scope;
  yield `,"contract_hash":${canonicalText(contractHash)},"execution_scope":${canonicalText(executionScope)}`;
  yield `,"function":${canonicalText(capability.function)},"kwargs":`;
  let separator = "{";
  for (const [name, value] of [...kwargs].sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield `${separator}${canonicalText(name)}:`;
    yield* iterValue(value);
    separator = ",";
  }
  yield `${separator === "{" ? "{" : ""}},"module":${canonicalText(capability.module)},"resolved_bindings":`;
  const resolved = canonicalText(listResolvedBindings(checked, bound));
  yield `${resolved},"seed":${seed === undefined ? "null" : String(seed)}}`;
}

/**
 * The hash of each bound parameter, in the order of the capability's parameters. A parameter that is neither a literal
 * nor bound is null if a later one is bound.
 */
function listResolvedBindings({ capability, args, kwargs }: Checked, bound: readonly Bound[]): readonly unknown[] {
  if (bound.length === 0) return [];
  const hashes = new Map(
    bound.flatMap(({ binding, inputHashes }) => binding.parameters.map((name, at) => [name, inputHashes[at] ?? ""])),
  );
  const names = capability.names.slice(args.length).filter((name) => !kwargs.has(name));
  const last = names.findLastIndex((name) => hashes.has(name));
  return names.slice(0, last + 1).map((name) => {
    const found = hashes.get(name);
    return found === undefined ? null : { input_hash: found };
  });
}

/** The hash of a call, known before it runs. */
export function hashInvocation(identity: Iterable<string>): string {
  return hashPieces([`${INVOCATION_DOMAIN}\0`], identity);
}

/** The hash of a call and its value. */
export function hashComputation(invocationHash: string, value: Iterable<string>): string {
  return hashPieces([`${COMPUTATION_DOMAIN}\0${invocationHash}`], value);
}

/** The hash of a list of arguments, or of a column; it has no domain. */
export function hashValues(values: Iterable<string>): string {
  return hashPieces(values);
}
