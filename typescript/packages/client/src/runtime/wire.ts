/** The messages of the managed runtime's protocol, `runtime.proto`: values cross without rounding or change of type. */

import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { LONG } from "../compute/arguments.js";
import { type Invocation, type Value } from "../compute/executor.js";

const APART_BYTES = 65_536; // from which on an array is sent beside its request
const [LEAST, MOST] = [-(2n ** 63n), 2n ** 63n - 1n];
const DOUBLE_BYTES = 8;

/** A request as bytes, and the bytes of its long arrays in order. */
export interface WrittenRequest {
  readonly content: Uint8Array;
  readonly apart: readonly Uint8Array[];
}

/** A fault of the call after the last value. */
export interface RuntimeFault {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly values: readonly Value[];
  readonly fault: RuntimeFault | undefined;
}

/** What a runtime says of itself. */
export interface Described {
  readonly contractHash: string;
  readonly bundleVersion: string;
  readonly bundleSha256: string;
  readonly kernelBuild: string;
  readonly platform: string;
  readonly architecture: string;
  readonly profile: string;
  readonly libraries: Readonly<Record<string, string>>;
  readonly modules: readonly string[];
}

// --- requests --------------------------------------------------------------------------------------------------------

/** Writes calls as a request; `timeoutS` is for each of them, 0 is none. */
export function writeRequest(calls: readonly Invocation[], timeoutS: number): WrittenRequest {
  const apart: Uint8Array[] = [];
  const request = new BinaryWriter();
  for (const { capabilityId, args, seed } of calls) {
    const call = request.tag(1, WireType.LengthDelimited).fork();
    call.tag(1, WireType.LengthDelimited).string(capabilityId);
    for (const value of args) {
      writeValue(call.tag(2, WireType.LengthDelimited).fork(), value, apart);
      call.join();
    }
    if (seed !== undefined) call.tag(3, WireType.LengthDelimited).string(String(seed));
    request.join();
  }
  if (timeoutS > 0) request.tag(2, WireType.Bit64).double(timeoutS);
  return { content: request.finish(), apart };
}

function writeValue(to: BinaryWriter, value: Value, apart: Uint8Array[]): void {
  if (typeof value === "number") to.tag(1, WireType.Bit64).double(value);
  else if (typeof value === "bigint") writeWhole(to, value);
  else if (typeof value === "boolean") to.tag(4, WireType.Varint).bool(value);
  else if (typeof value === "string") to.tag(5, WireType.LengthDelimited).string(value);
  else if (value instanceof Float64Array) writeVector(to, value, apart);
  else writeList(to, value as readonly Value[], apart);
}

function writeWhole(to: BinaryWriter, value: bigint): void {
  if (LEAST <= value && value <= MOST) to.tag(2, WireType.Varint).sint64(value);
  else to.tag(3, WireType.LengthDelimited).string(value.toString(16));
}

function writeVector(to: BinaryWriter, values: Float64Array, apart: Uint8Array[]): void {
  if (values.length === 0) writeItems(to, [], apart);
  else writeFloats(to, [values.length], values, { isArray: values.length > LONG, apart });
}

/** Rows of doubles of one length are a matrix; everything else is a list of its items. */
function writeList(to: BinaryWriter, items: readonly Value[], apart: Uint8Array[]): void {
  const rows = items.filter((item) => item instanceof Float64Array);
  const width = rows[0]?.length ?? 0;
  if (rows.length < items.length || width === 0 || rows.some(({ length }) => length !== width)) {
    writeItems(to, items, apart);
    return;
  }
  const flat = new Float64Array(rows.length * width);
  for (const [at, row] of rows.entries()) flat.set(row, at * width);
  writeFloats(to, [rows.length, width], flat, { isArray: width > LONG, apart });
}

function writeItems(to: BinaryWriter, items: readonly Value[], apart: Uint8Array[]): void {
  const list = to.tag(7, WireType.LengthDelimited).fork();
  for (const item of items) {
    writeValue(list.tag(1, WireType.LengthDelimited).fork(), item, apart);
    list.join();
  }
  to.join();
}

interface FloatsForm {
  /** Whether the kernels meet an array in place of lists. */
  readonly isArray: boolean;
  readonly apart: Uint8Array[];
}

function writeFloats(to: BinaryWriter, shape: readonly number[], values: Float64Array, form: FloatsForm): void {
  const bytes = toLittleEndian(values);
  const isApart = bytes.length >= APART_BYTES;
  const floats = to.tag(6, WireType.LengthDelimited).fork();
  const sizes = floats.tag(1, WireType.LengthDelimited).fork();
  for (const size of shape) sizes.uint64(size);
  floats.join();
  if (isApart) form.apart.push(bytes);
  else floats.tag(2, WireType.LengthDelimited).bytes(bytes);
  if (form.isArray) floats.tag(3, WireType.Varint).bool(true);
  if (isApart) floats.tag(4, WireType.Varint).bool(true);
  to.join();
}

/** The bytes of doubles; every processor that Node runs on is little-endian but those of s390x. */
function toLittleEndian(values: Float64Array): Uint8Array {
  if (IS_LITTLE) return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const view = new DataView(new ArrayBuffer(values.byteLength));
  values.forEach((value, at) => {
    view.setFloat64(at * DOUBLE_BYTES, value, true);
  });
  return new Uint8Array(view.buffer);
}

const IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

// --- replies ---------------------------------------------------------------------------------------------------------

type ReadField = (reader: BinaryReader, field: number) => boolean;

/** Reads the fields of a message; those that `read` does not take are skipped. */
function readFields(reader: BinaryReader, length: number, read: ReadField): void {
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError("a message that is cut");
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    if (!read(reader, field)) reader.skip(type, field);
  }
  if (reader.pos !== end) throw new RangeError("a field beyond its message");
}

/** @throws {RangeError | Error} The bytes are no reply, or one of other sizes than it says. */
export function readReply(content: Uint8Array): Reply {
  const values: Value[] = [];
  let fault: RuntimeFault | undefined;
  const reader = new BinaryReader(content);
  readFields(reader, content.length, (from, field) => {
    if (field === 1) values.push(readValue(from, from.uint32()));
    else if (field === 2) fault = readFault(from, from.uint32());
    else return false;
    return true;
  });
  return { values, fault };
}

function readFault(reader: BinaryReader, length: number): RuntimeFault {
  let [code, message] = ["", ""];
  const details: [string, unknown][] = [];
  readFields(reader, length, (from, field) => {
    if (field === 1) code = from.string();
    else if (field === 2) message = from.string();
    else if (field === 3) {
      const [key, text] = readPair(from, from.uint32());
      details.push([key, JSON.parse(text)]);
    } else return false;
    return true;
  });
  return { code, message, details: Object.fromEntries(details) };
}

function readPair(reader: BinaryReader, length: number): readonly [string, string] {
  let [key, value] = ["", ""];
  readFields(reader, length, (from, field) => {
    if (field === 1) key = from.string();
    else if (field === 2) value = from.string();
    else return false;
    return true;
  });
  return [key, value];
}

function readValue(reader: BinaryReader, length: number): Value {
  let value: Value | undefined;
  readFields(reader, length, (from, field) => {
    const read = KINDS[field];
    if (read === undefined) return false;
    value = read(from);
    return true;
  });
  if (value === undefined) throw new RangeError("a value without a kind");
  return value;
}

const KINDS: Readonly<Record<number, (reader: BinaryReader) => Value>> = {
  1: (reader) => reader.double(),
  2: (reader) => BigInt(reader.sint64()),
  3: (reader) => readHex(reader.string()),
  4: (reader) => reader.bool(),
  5: (reader) => reader.string(),
  6: (reader) => readFloats(reader, reader.uint32()),
  7: (reader) => readItems(reader, reader.uint32()),
  8: (reader) => readRecord(reader, reader.uint32()),
};

function readHex(text: string): bigint {
  const isNegative = text.startsWith("-");
  const size = BigInt(`0x${isNegative ? text.slice(1) : text}`);
  return isNegative ? -size : size;
}

function readItems(reader: BinaryReader, length: number): readonly Value[] {
  const items: Value[] = [];
  readFields(reader, length, (from, field) => {
    if (field === 1) items.push(readValue(from, from.uint32()));
    return field === 1;
  });
  return items;
}

function readRecord(reader: BinaryReader, length: number): Value {
  const names: string[] = [];
  const values: Value[] = [];
  readFields(reader, length, (from, field) => {
    if (field === 1) names.push(from.string());
    else if (field === 2) values.push(readValue(from, from.uint32()));
    else return false;
    return true;
  });
  if (names.length !== values.length) throw new RangeError("a record of other sizes than it says");
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? 0]));
}

function readFloats(reader: BinaryReader, length: number): Value {
  const shape: number[] = [];
  let content = new Uint8Array();
  readFields(reader, length, (from, field) => {
    if (field === 1) for (const end = from.uint32() + from.pos; from.pos < end;) shape.push(Number(from.uint64()));
    else if (field === 2) content = new Uint8Array(from.bytes());
    else return false;
    return true;
  });
  const [rows = 0, width] = shape;
  if (shape.length < 1 || shape.length > 2 || content.length !== DOUBLE_BYTES * rows * (width ?? 1))
    throw new RangeError("an array of other sizes than it says");
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const flat = new Float64Array(content.length / DOUBLE_BYTES);
  for (let at = 0; at < flat.length; at += 1) flat[at] = view.getFloat64(at * DOUBLE_BYTES, true);
  return width === undefined
    ? flat
    : Array.from({ length: rows }, (_, row) => flat.subarray(row * width, (row + 1) * width));
}

/** @throws {RangeError | Error} The bytes are no description. */
export function readDescription(content: Uint8Array): Described {
  const texts = new Map<number, string>();
  const libraries: (readonly [string, string])[] = [];
  const modules: string[] = [];
  const reader = new BinaryReader(content);
  readFields(reader, content.length, (from, field) => {
    if (field === 9) libraries.push(readPair(from, from.uint32()));
    else if (field === 11) modules.push(from.string());
    else if (field <= 8) texts.set(field, from.string());
    else return false;
    return true;
  });
  const find = (field: number): string => texts.get(field) ?? "";
  return {
    contractHash: find(2),
    bundleVersion: find(3),
    bundleSha256: find(4),
    kernelBuild: find(5),
    platform: find(6),
    architecture: find(7),
    profile: find(8),
    libraries: Object.fromEntries(libraries.sort(([one], [other]) => (one < other ? -1 : 1))),
    modules,
  };
}

// --- pieces of a stream ----------------------------------------------------------------------------------------------

const PIECE_BYTES = 2 * 1024 ** 2;

/** The pieces of some bytes, each as the message `Piece`. */
export function cutPieces(content: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < content.length; start += PIECE_BYTES) {
    const writer = new BinaryWriter();
    pieces.push(
      writer
        .tag(1, WireType.LengthDelimited)
        .bytes(content.subarray(start, start + PIECE_BYTES))
        .finish(),
    );
  }
  return pieces;
}

/** The bytes of a `Piece`. */
export function readPiece(piece: Uint8Array): Uint8Array {
  let content = new Uint8Array();
  const reader = new BinaryReader(piece);
  readFields(reader, piece.length, (from, field) => {
    if (field === 1) content = new Uint8Array(from.bytes());
    return field === 1;
  });
  return content;
}
