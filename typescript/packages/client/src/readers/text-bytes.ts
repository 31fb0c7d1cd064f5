/** Bytes to the text that they are, or an error that says where they are none. */

import { decodeUtf8 } from "@service-nb/records";
import { ServiceError, sourceMalformed } from "../errors.js";
import { optionError } from "./options.js";

const NEWLINE = 10;
const RETURN = 13;
const MARKS: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], "UTF-16"],
  [[0xfe, 0xff], "UTF-16"],
  [[0, 0, 0xfe, 0xff], "UTF-32"],
];
const UTF8: ReadonlySet<string> = new Set(["utf-8", "utf8", "utf_8", "utf-8-sig", "u8"]);
const LATIN: ReadonlySet<string> = new Set(["latin-1", "latin1", "latin_1", "iso-8859-1", "iso8859-1", "8859", "l1"]);
const ASCII: ReadonlySet<string> = new Set(["ascii", "us-ascii", "646"]);
const CP1252: ReadonlySet<string> = new Set(["cp1252", "windows-1252", "1252"]);
const UTF16: ReadonlySet<string> = new Set(["utf-16", "utf16", "utf_16", "utf-16-le", "utf-16le", "utf-16-be", "utf-16be"]); // prettier-ignore
// What the bytes 0x80 to 0x9f of cp1252 are; a space where it has nothing.
const HIGH = "\u20ac \u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152 \u017d  \u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153 \u017e\u0178"; // prettier-ignore
const BATCH = 8_192; // units that one call makes a text of

/**
 * Decodes delimited text.
 *
 * @throws {ServiceError} `source_malformed`, `invalid_intent`
 */
export function decodeText(bytes: Uint8Array, encoding: string | undefined): string {
  const text = encoding === undefined ? decodePlain(bytes) : decodeNamed(bytes, encoding);
  const zero = text.indexOf("\0");
  if (zero >= 0) {
    const line = findLine(text, zero);
    throw sourceMalformed(`Line ${String(line)} holds a NUL byte: this is not text.`, { line, expected: "text" });
  }
  if (/^[ \t\n\v\f\r]*$/.test(text)) throw sourceMalformed("The file is empty.", { line: 1, expected: "a header row" });
  return text;
}

function decodePlain(bytes: Uint8Array): string {
  const mark = MARKS.find(([signs]) => signs.every((sign, at) => bytes[at] === sign));
  if (mark !== undefined) {
    const hint = `Pass encoding: "${mark[1].toLowerCase()}".`;
    throw sourceMalformed(`The file is ${mark[1]}; expected UTF-8.`, { line: 1, met: mark[1] }, hint);
  }
  const bare = withoutMark(bytes);
  return decodeUtf8(bare) ?? refuseUtf8(bare);
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function refuseUtf8(bytes: Uint8Array): never {
  const place = findBadUtf8(bytes);
  let line = 1;
  for (let at = 0; at < place; at += 1)
    if (bytes[at] === NEWLINE || (bytes[at] === RETURN && bytes[at + 1] !== NEWLINE)) line += 1;
  const hint = 'Pass its encoding, such as encoding: "cp1252".';
  const met = `0x${(bytes[place] ?? 0).toString(16).padStart(2, "0")}`;
  throw sourceMalformed(`Line ${String(line)} is not UTF-8 (byte ${met}).`, { line, met, expected: "UTF-8" }, hint);
}

/** The place of the first byte that begins no character. */
export function findBadUtf8(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const width = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (width > 1 && decodeUtf8(bytes.subarray(at, at + width)) === undefined) return at;
    at += width;
  }
  return bytes.length;
}

function decodeNamed(bytes: Uint8Array, encoding: string): string {
  const name = encoding.toLowerCase();
  const text = decodeKnown(bytes, name);
  if (text === undefined) throw sourceMalformed(`The file is not ${name} text.`, { expected: name });
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function decodeKnown(bytes: Uint8Array, name: string): string | undefined {
  if (UTF8.has(name)) return decodeUtf8(bytes);
  if (ASCII.has(name)) return bytes.every((byte) => byte < 0x80) ? mapBytes(bytes, (byte) => byte) : undefined;
  if (LATIN.has(name)) return mapBytes(bytes, (byte) => byte);
  if (CP1252.has(name)) {
    if (bytes.some((byte) => byte >= 0x80 && byte <= 0x9f && HIGH[byte - 0x80] === " ")) return undefined;
    return mapBytes(bytes, (byte) => (byte >= 0x80 && byte <= 0x9f ? HIGH.charCodeAt(byte - 0x80) : byte));
  }
  if (UTF16.has(name)) return decodeUtf16(bytes, name);
  const error = optionError("encoding", name, "utf-8, utf-16, latin-1, cp1252 or ascii");
  throw new ServiceError(error.code, error.message, {
    hint: "Convert the file to UTF-8; the Python client reads more encodings.",
    details: error.details,
  });
}

function mapBytes(bytes: Uint8Array, find: (byte: number) => number): string {
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += BATCH)
    parts.push(String.fromCharCode(...Array.from(bytes.subarray(start, start + BATCH), find)));
  return parts.join("");
}

function decodeUtf16(bytes: Uint8Array, name: string): string | undefined {
  const isBig = name.endsWith("be") || (!name.endsWith("le") && bytes[0] === 0xfe && bytes[1] === 0xff);
  if (bytes.length % 2 !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; start += BATCH) {
    const units: number[] = [];
    for (let at = start; at < Math.min(start + BATCH, bytes.length); at += 2) units.push(view.getUint16(at, !isBig));
    parts.push(String.fromCharCode(...units));
  }
  const text = parts.join("");
  return text.isWellFormed() ? text : undefined;
}

/** The number of the line, from 1, on which a character stands. */
export function findLine(text: string, offset: number): number {
  let line = 1;
  for (let at = 0; at < offset; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === NEWLINE || (unit === RETURN && text.charCodeAt(at + 1) !== NEWLINE)) line += 1;
  }
  return line;
}
