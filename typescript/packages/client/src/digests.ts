/** The hashes of sources: of their schema, their content, and both with their name. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { canonicalText, encodeUtf8 } from "@service-nb/records";
import { type Reading } from "./readers/options.js";
import { type Content } from "./source.js";
import { type Column, type Field, type Nulls, type Table } from "./values/columns.js";

const SCHEMA_DOMAIN = "service:schema:v1";
const SOURCE_DOMAIN = "service:source:v2";
const ID_DIGITS = 24;
const BLOCK = 65_536; // values that are written at once
const NAN = [0, 0, 0, 0, 0, 0, 0xf8, 0x7f]; // the one spelling of what is no number

/** Hex SHA-256 over a domain, one NUL byte, and the parts one after the other as UTF-8. */
export function digestTexts(domain: string, ...parts: readonly string[]): string {
  return bytesToHex(sha256(encodeUtf8(`${domain}\0${parts.join("")}`)));
}

/** Hex SHA-256 over texts one after the other as UTF-8. */
export function hashPieces(...pieces: readonly Iterable<string>[]): string {
  const state = sha256.create();
  for (const some of pieces) for (const piece of some) state.update(encodeUtf8(piece));
  return bytesToHex(state.digest());
}

/** Hashes the names and types of fields, in order. */
export function hashSchema(fields: readonly Field[]): string {
  return digestTexts(SCHEMA_DOMAIN, canonicalText(fields.map(({ name, type }) => ({ name, type }))));
}

/** The id of a source: 24 hex digits over its name, columns, content and reading options. */
export function identifySource(name: string, fields: readonly Field[], content: string, reading: Reading): string {
  const held = canonicalText({ physical: fields.map((field) => field.physical), reading });
  const parts = [name, "\0", hashSchema(fields), "\0", content, "\0", held];
  return digestTexts(SOURCE_DOMAIN, ...parts).slice(0, ID_DIGITS);
}

/** Hashes the bytes of a file, by the host's own SHA-256 where it has one. */
export function hashBytes(bytes: Uint8Array, findSha256 = computeSha256): Content {
  return { algorithm: "sha256-file", sha256: findSha256(bytes), size: bytes.length };
}

function computeSha256(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}

/** Hashes values: the same however they are held. */
export function hashValues(table: Table): Content {
  const state = sha256.create();
  const fields = table.fields.map(({ name, physical }) => ({ name, physical }));
  state.update(encodeUtf8(canonicalText({ fields, rows: table.rowCount })));
  for (const column of table.columns) for (const block of writeColumn(column)) state.update(block);
  return { algorithm: "sha256-arrow", sha256: bytesToHex(state.digest()), size: table.rowCount };
}

/** Whether there are nulls, where values are as bits, then the values with zero in place of nulls. */
function* writeColumn(column: Column): Generator<Uint8Array, void> {
  const nulls = column.kind === "string" ? findNullTexts(column.values) : column.nulls;
  yield Uint8Array.of(nulls === undefined ? 0 : 1);
  if (nulls !== undefined) yield packBits(nulls.length, (row) => nulls[row] !== 1);
  switch (column.kind) {
    case "string":
      yield* writeTexts(column.values);
      break;
    case "boolean":
      yield packBits(column.values.length, (row) => column.values[row] === 1 && nulls?.[row] !== 1);
      break;
    case "float64":
      yield* writeNumbers(column.values, nulls, 8, (view, at, value) => {
        if (Number.isNaN(value)) for (const [place, byte] of NAN.entries()) view.setUint8(at + place, byte);
        else view.setFloat64(at, value, true);
      });
      break;
    case "date":
      yield* writeNumbers(column.values, nulls, 4, (view, at, value) => {
        view.setInt32(at, value, true);
      });
      break;
    case "decimal":
      yield* writeWhole(column.values, nulls, 16);
      break;
    default:
      yield* writeWhole(column.values, nulls, 8);
      break;
  }
}

function findNullTexts(texts: readonly (string | null)[]): Nulls {
  return texts.includes(null) ? Uint8Array.from(texts, (text) => (text === null ? 1 : 0)) : undefined;
}

function packBits(count: number, isSet: (row: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (let row = 0; row < count; row += 1) {
    const at = row >>> 3;
    if (isSet(row)) bits[at] = (bits[at] ?? 0) | (128 >>> (row & 7));
  }
  return bits;
}

/** The length of every text, then the texts one after the other. */
function* writeTexts(texts: readonly (string | null)[]): Generator<Uint8Array, void> {
  const encoded = texts.map((text) => encodeUtf8(text ?? ""));
  yield* writeNumbers(
    encoded.map((bytes) => bytes.length),
    undefined,
    4,
    (view, at, value) => {
      view.setInt32(at, value, true);
    },
  );
  yield* encoded;
}

type WriteNumber = (view: DataView, at: number, value: number) => void;

function* writeNumbers(
  values: ArrayLike<number>,
  nulls: Nulls,
  width: number,
  write: WriteNumber,
): Generator<Uint8Array, void> {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    const bytes = new Uint8Array(count * width);
    const view = new DataView(bytes.buffer);
    for (let row = 0; row < count; row += 1)
      write(view, row * width, nulls?.[start + row] === 1 ? 0 : (values[start + row] ?? 0));
    yield bytes;
  }
}

function* writeWhole(values: ArrayLike<bigint>, nulls: Nulls, width: 8 | 16): Generator<Uint8Array, void> {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    const bytes = new Uint8Array(count * width);
    const view = new DataView(bytes.buffer);
    for (let row = 0; row < count; row += 1) {
      const value = nulls?.[start + row] === 1 ? 0n : (values[start + row] ?? 0n);
      view.setBigUint64(row * width, BigInt.asUintN(64, value), true);
      if (width === 16) view.setBigUint64(row * width + 8, BigInt.asUintN(64, value >> 64n), true);
    }
    yield bytes;
  }
}
