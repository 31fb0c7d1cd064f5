/** JSON documents with what a table needs of them: the order of keys, and whether a number was written whole. */

import { decodeUtf8, JsonError, parseJson } from "@service-nb/records";
import { beyondLimit, sourceMalformed } from "../errors.js";

/** A value of a document: whole numbers are `bigint`, all other numbers doubles; objects keep the order of their keys. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | ReadonlyMap<string, Json>;

const BEYOND: ReadonlySet<string> = new Set(["size", "depth", "digits"]);
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
    const message = line === undefined ? error.message : `Line ${String(line)}: ${error.message}`;
    const details = { reason: error.fault, line: line ?? error.line, expected: "JSON" };
    throw BEYOND.has(error.fault) ? beyondLimit(message, details) : sourceMalformed(message, details);
  }
  return new Builder(decodeUtf8(document) ?? "").build();
}

/** Builds the values of a text that is strict JSON. */
class Builder {
  readonly #text: string;
  #at = 0;

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
        return /^-?[0-9]+$/.test(token) ? BigInt(token) : Number(token);
    }
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
      members.set(key, this.build());
    } while (this.#next() === ",");
    return members;
  }

  #buildArray(): Json {
    const items: Json[] = [];
    if (this.#peek() === "]") {
      this.#next();
      return items;
    }
    do items.push(this.build());
    while (this.#next() === ",");
    return items;
  }
}
