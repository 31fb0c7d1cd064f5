import { MAX_DEPTH, MAX_NUMBER_CHARS } from "./constants.js";

/** Why a document is refused, as verdicts name it. */
export type JsonCause = "malformed_json" | "too_large" | "too_deep" | "unsafe_number";

/** What exactly is wrong with it. */
export type JsonFault =
  | "syntax"
  | "encoding"
  | "duplicate_key"
  | "nonfinite"
  | "surrogate"
  | "size"
  | "depth"
  | "digits"
  | "overflow"
  | "unsafe_integer";

/** JSON that two readers could understand differently, or that is beyond a limit. Columns count characters from 1. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly fault: JsonFault;
  readonly line: number;
  readonly column: number;

  constructor(fault: JsonFault, text: string, offset: number) {
    const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
    const line = count(text.slice(0, offset), "\n") + 1;
    const column = Array.from(text.slice(lineStart, offset)).length + 1;
    super(`Line ${String(line)}, column ${String(column)}: ${MESSAGES[fault]}`);
    this.fault = fault;
    this.line = line;
    this.column = column;
  }

  get reason(): JsonCause {
    switch (this.fault) {
      case "size":
        return "too_large";
      case "depth":
        return "too_deep";
      case "digits":
      case "overflow":
      case "unsafe_integer":
        return "unsafe_number";
      case "syntax":
      case "encoding":
      case "duplicate_key":
      case "nonfinite":
      case "surrogate":
        return "malformed_json";
    }
  }
}

const MESSAGES: Readonly<Record<JsonFault, string>> = {
  syntax: "this is not JSON.",
  encoding: "the document is not UTF-8 without a byte order mark.",
  duplicate_key: "an object holds the same key twice.",
  nonfinite: "NaN and Infinity are not JSON.",
  surrogate: "a string holds half of a surrogate pair, which is no character.",
  size: "the document is larger than allowed.",
  depth: `arrays and objects are nested deeper than ${String(MAX_DEPTH)}.`,
  digits: `a number has more than ${String(MAX_NUMBER_CHARS)} characters.`,
  overflow: "a number is beyond the range of float64.",
  unsafe_integer: "a whole number is beyond 2^53-1, where readers begin to round.",
};

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}
