/** JSON documents with what a table needs of them: the order of keys, and whether a number was written whole. */

import { decodeUtf8, JsonError, MAX_DEPTH, MAX_NUMBER_CHARS, parseJson } from "@service-nb/records";
import { beyondLimit, type ServiceError, sourceMalformed } from "../errors.js";
import { countChars } from "../values/order.js";
import { isChanged } from "./changed-texts.js";
import { CHANGES } from "./rules.js";
import { findBadUtf8 } from "./text-bytes.js";

/** A value of a document: whole numbers are `bigint`, all other numbers doubles; objects keep the order of their keys. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | ReadonlyMap<string, Json>;

// The texts of numbers that became other ones, by the object or list that holds them, and the name or place there.
const WRITTEN = new WeakMap<object, Map<string | number, string>>();

/** The text of a number of a document that became another one; undefined of every other value. */
export function findWritten(holder: unknown, key: string | number): string | undefined {
  return typeof holder === "object" && holder !== null ? WRITTEN.get(holder)?.get(key) : undefined;
}

const TOKEN = /[ \t\n\r]*("(?:[^"\\]|\\.)*"|[-+0-9.eE]+|true|false|null|[[\]{}:,])/y;

/**
 * Parses one document strictly.
 *
 * @throws {ServiceError} `source_malformed`, `limit_exceeded`; `line` is where it stands in a larger file.
 */
export function parseDocument(bytes: Uint8Array, maxBytes: number, line?: number): Json {
  const hasMark = line === undefined && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const document = hasMark ? bytes.subarray(3) : bytes;
  try {
    parseJson(document, { integers: "exact", maxBytes });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw describeError(error, document, { maxBytes, line });
  }
  return new Builder(decodeUtf8(document) ?? "").build();
}

/** The error of a document, in the words that Python's client has for it. */
function describeError(
  { fault, line, column }: JsonError,
  document: Uint8Array,
  { maxBytes, line: place }: { readonly maxBytes: number; readonly line: number | undefined },
): ServiceError {
  if (fault === "size") {
    const size = document.length;
    const message = `The JSON document has ${String(size)} bytes, more than the ${String(maxBytes)} allowed.`;
    return beyondLimit(message, { limit: maxBytes, value: size });
  }
  const found = fault === "encoding" ? findEncoding(document) : { line, column };
  const token = fault === "encoding" ? "" : findToken(decodeUtf8(document) ?? "", line, column);
  const told = place === undefined ? `${String(found.line)}, column ${String(found.column)}` : String(place);
  const say = (words: string): string => `Line ${told}: ${words}`;
  const details = { reason: fault, line: place ?? found.line, column: found.column };
  switch (fault) {
    case "depth":
      return beyondLimit(say(`The JSON is nested deeper than ${String(MAX_DEPTH)}.`), { ...details, limit: MAX_DEPTH });
    case "digits": {
      const words = `A number has ${String(token.length)} characters, more than the ${String(MAX_NUMBER_CHARS)} allowed.`;
      return beyondLimit(say(words), { ...details, limit: MAX_NUMBER_CHARS, value: token.length });
    }
    case "encoding": {
      const { words, hint } = findEncoding(document);
      return sourceMalformed(say(words), { ...details, expected: "JSON" }, hint);
    }
    case "nonfinite": {
      const hint = 'Write it as a string, such as "NaN".';
      return sourceMalformed(say(`${token} is not JSON.`), { ...details, expected: "JSON" }, hint);
    }
    default:
      return sourceMalformed(say(SENTENCES[fault]), { ...details, expected: "JSON" });
  }
}

const SENTENCES: Readonly<Record<"syntax" | "duplicate_key" | "surrogate" | "overflow" | "unsafe_integer", string>> = {
  syntax: "The JSON is malformed.",
  duplicate_key: "An object holds the same key twice.",
  surrogate: "A string holds half of a surrogate pair, which is not a character.",
  overflow: "A number is beyond the range of float64.",
  unsafe_integer: "A whole number is beyond 2^53-1.",
};

/** The number or the word at a place. */
function findToken(text: string, line: number, column: number): string {
  const chars = Array.from(text.split("\n")[line - 1] ?? "").slice(column - 1);
  return /^(?:-?(?:NaN|Infinity)|[-+.\w]*)/.exec(chars.join(""))?.[0] ?? "";
}

interface Encoding {
  readonly line: number;
  readonly column: number;
  readonly words: string;
  readonly hint?: string;
}

/** What is said of bytes that are no UTF-8, and where. */
function findEncoding(document: Uint8Array): Encoding {
  const [first = 0, second = 0] = document;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || document.subarray(0, 4).includes(0); // prettier-ignore
  if (isWide)
    return { line: 1, column: 1, words: "The JSON is encoded as UTF-16 or UTF-32.", hint: "Save it as UTF-8." };
  const bad = findBadUtf8(document);
  if (bad >= document.length)
    return { line: 1, column: 1, words: "The JSON starts with a byte order mark.", hint: "Save it as UTF-8 without BOM." }; // prettier-ignore
  const before = decodeUtf8(document.subarray(0, bad)) ?? "";
  const start = before.lastIndexOf("\n") + 1;
  const byte = (document[bad] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  return {
    line: before.split("\n").length,
    column: countChars(before.slice(start)) + 1,
    words: `The JSON is not UTF-8: byte 0x${byte} is not valid.`,
  };
}

/** Builds the values of a text that is strict JSON. */
class Builder {
  readonly #text: string;
  #at = 0;
  #number = ""; // the token of the last one that is no whole number

  constructor(text: string) {
    this.#text = text;
  }

  build(): Json {
    const token = this.#next();
    switch (token) {
      case "{":
        return this.#buildObject();
      case "[":
        return this.#buildArray();
      case "true":
        return true;
      case "false":
        return false;
      case "null":
        return null;
      default:
        if (token.startsWith('"')) return JSON.parse(token) as string;
        if (/^-?[0-9]+$/.test(token)) return BigInt(token);
        this.#number = token;
        return Number(token);
    }
  }

  /** Builds a value, and keeps the text of a number that became another one. */
  #buildMember(holder: object, key: string | number): Json {
    this.#number = "";
    const value = this.build();
    const token = this.#number;
    if (typeof value !== "number" || (token.length <= CHANGES.safe && !/e-/i.test(token))) return value;
    if (token === String(value) || !isChanged(token, value)) return value;
    const texts = WRITTEN.get(holder) ?? new Map<string | number, string>();
    WRITTEN.set(holder, texts.set(key, token));
    return value;
  }

  #next(): string {
    TOKEN.lastIndex = this.#at;
    const token = TOKEN.exec(this.#text)?.[1];
    if (token === undefined) throw sourceMalformed("The document is not JSON.", { expected: "JSON" });
    this.#at = TOKEN.lastIndex;
    return token;
  }

  #peek(): string {
    const [at, token] = [this.#at, this.#next()];
    this.#at = at;
    return token;
  }

  #buildObject(): Json {
    const members = new Map<string, Json>();
    if (this.#peek() === "}") {
      this.#next();
      return members;
    }
    do {
      const key = JSON.parse(this.#next()) as string;
      this.#next();
      members.set(key, this.#buildMember(members, key));
    } while (this.#next() === ",");
    return members;
  }

  #buildArray(): Json {
    const items: Json[] = [];
    if (this.#peek() === "]") {
      this.#next();
      return items;
    }
    do items.push(this.#buildMember(items, items.length));
    while (this.#next() === ",");
    return items;
  }
}
