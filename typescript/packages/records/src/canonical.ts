import { isObject } from "./json.js";
import { MAX_DEPTH } from "./constants.js";

/** Why a value has no canonical form. */
export type CanonicalFault = "type" | "surrogate" | "depth";

export class CanonicalError extends Error {
  override readonly name = "CanonicalError";
  readonly fault: CanonicalFault;

  constructor(fault: CanonicalFault) {
    super(MESSAGES[fault]);
    this.fault = fault;
  }
}

const MESSAGES: Readonly<Record<CanonicalFault, string>> = {
  type: "A value that is not JSON has no canonical form.",
  surrogate: "A string holds half of a surrogate pair, which no UTF-8 text can hold.",
  depth: `Arrays and objects are nested deeper than ${String(MAX_DEPTH)}.`,
};

/**
 * The canonical JSON of a value: RFC 8785; NaN and infinities are the strings of their names, whole numbers that a
 * reader would round (`bigint`) the strings of their digits.
 *
 * @throws {CanonicalError}
 */
export function canonicalText(value: unknown): string {
  return text(value, 0);
}

function text(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return quoted(value);
    case "number":
      return Number.isFinite(value) ? String(value) : quoted(String(value));
    case "bigint":
      return isSafe(value) ? String(value) : quoted(String(value));
    case "boolean":
      return String(value);
    default:
      return value === null ? "null" : container(value, depth);
  }
}

function container(value: unknown, depth: number): string {
  if (depth === MAX_DEPTH) throw new CanonicalError("depth");
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item: unknown) => text(item, depth + 1)).join(",")}]`;
  }
  if (!isObject(value)) throw new CanonicalError("type");
  // Without a comparison of its own, `sort` orders by UTF-16 code units: the order of RFC 8785.
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${quoted(key)}:${text(value[key], depth + 1)}`).join(",")}}`;
}

function quoted(value: string): string {
  if (!value.isWellFormed()) throw new CanonicalError("surrogate");
  return JSON.stringify(value);
}

function isSafe(value: bigint): boolean {
  return BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
