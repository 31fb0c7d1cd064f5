import type { JsonValue } from "./json.js";
import { JsonError, type JsonFault } from "./json-error.js";
import { MAX_DEPTH, MAX_DOCUMENT_BYTES, MAX_NUMBER_CHARS } from "./constants.js";
import { loneEscape, loneSurrogate, tooDeep } from "./scan.js";
import { decodeUtf8, utf8Length } from "./utf8.js";

export interface ParseOptions {
  /** Bytes of UTF-8; `MAX_DOCUMENT_BYTES` unless given. */
  readonly maxBytes?: number;
  /** Whole numbers beyond 2^53-1: refused (`safe`, unless given) or read as `bigint` (`exact`). */
  readonly integers?: "safe" | "exact";
}

/**
 * Parses one JSON document without losing anything: what `JSON.parse` lets pass silently is refused.
 *
 * Of several faults the first of this order is named, so that all readers name the same one: size, encoding, half of a
 * surrogate pair, depth; then syntax, keys and numbers as they come.
 *
 * @throws {JsonError}
 */
export function parseJson(document: string | Uint8Array, options: ParseOptions = {}): JsonValue {
  const text = decoded(document, options.maxBytes ?? MAX_DOCUMENT_BYTES);
  return new Reader(text, options.integers ?? "safe").document();
}

function decoded(document: string | Uint8Array, maxBytes: number): string {
  if (typeof document !== "string") {
    if (document.length > maxBytes) throw new JsonError("size", "", 0);
    const text = decodeUtf8(document);
    if (text === undefined || text.startsWith("\ufeff")) throw new JsonError("encoding", "", 0);
    return text;
  }
  if (utf8Length(document, maxBytes) > maxBytes) throw new JsonError("size", "", 0);
  if (document.startsWith("\ufeff")) throw new JsonError("encoding", "", 0);
  if (!document.isWellFormed()) throw new JsonError("surrogate", document, loneSurrogate(document));
  return document;
}

// Sticky: each matches where the reader stands, and scans a character once.
const SPACE = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y; // eslint-disable-line no-control-regex -- what a JSON string may hold as it is
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const NONFINITE = /-?(?:NaN|Infinity)/y;
const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Reader {
  readonly #text: string;
  readonly #integers: "safe" | "exact";
  #at = 0;
  #depth = 0;

  constructor(text: string, integers: "safe" | "exact") {
    this.#text = text;
    this.#integers = integers;
  }

  document(): JsonValue {
    this.#skip();
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) this.#refuse("syntax");
    return value;
  }

  #value(): JsonValue {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#refuse("depth");
    this.#at += 1;
    this.#skip();
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): JsonValue {
    const members = Object.create(null) as Record<string, JsonValue>;
    if (this.#took("}")) return members;
    do {
      this.#skip();
      const start = this.#at;
      if (this.#text[start] !== '"') this.#refuse("syntax");
      const key = this.#string();
      if (key in members) this.#refuse("duplicate_key", start);
      this.#skip();
      if (!this.#took(":")) this.#refuse("syntax");
      this.#skip();
      members[key] = this.#value();
      this.#skip();
    } while (this.#took(","));
    if (!this.#took("}")) this.#refuse("syntax");
    return members;
  }

  #array(): JsonValue {
    const items: JsonValue[] = [];
    if (this.#took("]")) return items;
    do {
      this.#skip();
      items.push(this.#value());
      this.#skip();
    } while (this.#took(","));
    if (!this.#took("]")) this.#refuse("syntax");
    return items;
  }

  #string(): string {
    this.#at += 1;
    let value = this.#matched(PLAIN);
    if (this.#took('"')) return value;
    const escapes = this.#at;
    while (this.#text[this.#at] === "\\") {
      const escape = this.#matched(ESCAPE);
      if (escape === "") this.#refuse("syntax");
      value += unescaped(escape) + this.#matched(PLAIN);
    }
    if (!this.#took('"')) this.#refuse("syntax");
    if (!value.isWellFormed()) this.#refuse("surrogate", escapes);
    return value;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#refuse("syntax");
    this.#at += word.length;
    return value;
  }

  #number(): number | bigint {
    const start = this.#at;
    NUMBER.lastIndex = start;
    const match = NUMBER.exec(this.#text);
    if (match === null) this.#refuse(this.#matched(NONFINITE) === "" ? "syntax" : "nonfinite", start);
    const [token, fraction, exponent] = match;
    this.#at += token.length;
    if (token.length > MAX_NUMBER_CHARS) this.#refuse("digits", start);
    const value = Number(token);
    if (Number.isSafeInteger(value)) return value;
    if (fraction !== undefined || exponent !== undefined) {
      return Number.isFinite(value) ? value : this.#refuse("overflow", start);
    }
    return this.#integers === "exact" ? BigInt(token) : this.#refuse("unsafe_integer", start);
  }

  #skip(): void {
    this.#matched(SPACE);
  }

  #took(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #matched(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += match.length;
    return match;
  }

  #refuse(fault: JsonFault, offset = this.#at): never {
    const escape = loneEscape(this.#text);
    if (escape !== undefined) throw new JsonError("surrogate", this.#text, escape);
    const bracket = tooDeep(this.#text);
    if (bracket !== undefined) throw new JsonError("depth", this.#text, bracket);
    throw new JsonError(fault, this.#text, offset);
  }
}

function unescaped(escape: string): string {
  const letter = escape.charAt(1);
  if (letter === "u") return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
  return ESCAPED[letter] ?? letter;
}
