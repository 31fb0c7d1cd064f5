/** Calls and values as the texts that the kernels in WebAssembly read and write: see `runtime/texts.py` of them. */

import { type Invocation, type Value } from "../compute/executor.js";
import { type Fault } from "../compute/faults.js";

/** What became of a call. */
export type Reply = { readonly value: Value } | { readonly fault: Fault };

/** Writes a call; a double keeps its point, so that it is not taken for a whole number. */
export function writeCall({ capabilityId, args }: Invocation, timeoutS: number | undefined): string {
  const items = args.map(writeValue).join(",");
  return `{"id":${JSON.stringify(capabilityId)},"args":[${items}],"timeout_s":${String(timeoutS ?? null)}}`;
}

function writeValue(value: Value): string {
  switch (typeof value) {
    case "number":
      return writeDouble(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "string":
      return JSON.stringify(value);
    default:
      if (value instanceof Float64Array) return `[${Array.from(value, writeDouble).join(",")}]`;
      if (isList(value)) return `[${value.map(writeValue).join(",")}]`;
      return `{${Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${writeValue(each)}`).join(",")}}`; // prettier-ignore
  }
}

function isList(value: Exclude<Value, string>): value is readonly Value[] {
  return Array.isArray(value);
}

function writeDouble(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Reads what became of a call; a whole number is a bigint. */
export function readReply(text: string): Reply {
  const reply = JSON.parse(text) as { readonly value?: unknown; readonly fault?: Fault };
  return reply.fault === undefined ? { value: readValue(reply.value) } : { fault: reply.fault };
}

function readValue(value: unknown): Value {
  if (typeof value !== "object" || value === null) return value as Value;
  if (Array.isArray(value)) return value.map(readValue);
  const members = value as Readonly<Record<string, unknown>>;
  const { $int: whole } = members;
  if (typeof whole === "string") return BigInt(whole);
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [name, readValue(each)]));
}
