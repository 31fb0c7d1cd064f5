/** Rows of values: a list of objects, `{records: [...]}`, an object of lists, or one object. */

import { CanonicalError, canonicalText, type ReadingNote } from "@service-nb/records";
import { sourceMalformed } from "../errors.js";
import {
  buildFieldOf,
  describePhysical,
  findDecimalSize,
  type Column,
  type Nulls,
  type Table,
} from "../values/columns.js";
import { DAY_MICROS } from "../values/calendar.js";
import { type Changed, isChanged, noteRounded } from "./changed-texts.js";
import { convertDeclared, noteTexts } from "./delimited.js";
import { noteEnvelopes } from "./envelopes.js";
import { findWritten } from "./json-document.js";
import { convertFormed, convertNarrowest, findNulls, LEAST_INT64, MOST_INT64 } from "./conversions.js";
import { checkCells, checkNames, checkTypes, quote } from "./names.js";
import { type ReadOptions } from "./options.js";
import { findFormReason } from "./text-reasons.js";
import { WIDTHS } from "./rules.js";
import { cleanTexts, isPlainNumber, PLAIN, type TextForm, type Texts } from "./text-forms.js";
import { describeValue, writeCount } from "../query/text.js";
import { type TextReason } from "../query/text-columns.js";
import { RealNumber } from "../query/values.js";

/** A value of a cell: whole numbers are `bigint`, any `number` is a double. */
type Cell = null | boolean | number | bigint | string | Date | Nested;
type Nested = readonly unknown[] | ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>;
const MOST_EXACT = 2n ** 53n; // up to which every whole number is a double
const MOST_WHOLE = 10n ** BigInt(WIDTHS[1]); // as large no decimal is
const NO_TEXTS: ReadonlySet<string> = new Set();
export type Members = ReadonlyMap<string, unknown>;

/** Where values come from: in a document whole numbers are `bigint`, of a caller's the safe ones are meant so too. */
export type Origin = "document" | "caller";

/** Reads rows of a document, or of the caller's own objects. */
export function readRows(source: unknown, options: ReadOptions, origin: Origin): Table {
  const members = toMembers(source);
  if (members === undefined) return buildFromRows(checkList(source, "The input", origin), options, origin);
  if (members.has("records"))
    return buildFromRows(checkList(members.get("records"), "records", origin), options, origin);
  if (members.size > 0 && [...members.values()].every((each) => Array.isArray(each)))
    return buildFromLists(members as ReadonlyMap<string, readonly unknown[]>, options, origin);
  return buildFromRows([members], options, origin);
}

/** The members of an object, its own and no others; undefined of what is none. */
export function toMembers(value: unknown): Members | undefined {
  if (value instanceof Map) return value as Members;
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Date) return undefined;
  if (ArrayBuffer.isView(value)) return undefined;
  return new Map(Object.entries(value));
}

/** What stands in the place of something else; a number of a document that is no `bigint` is a double. */
export function describeMet(value: unknown, origin: Origin): string {
  return describeValue(typeof value === "number" && origin === "document" ? new RealNumber(value) : value);
}

function checkList(value: unknown, what: string, origin: Origin): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const met = describeMet(value, origin);
  throw sourceMalformed(`${what} is ${met}; expected a list of objects.`, { met, expected: "a list of objects" });
}

/** Builds a table of rows. A key that a row does not have is null there. */
export function buildFromRows(rows: readonly unknown[], options: ReadOptions, origin: Origin): Table {
  const names = new Set<string>();
  let values = 0;
  const found: Members[] = [];
  for (let row = 0; row < rows.length; row += 1) {
    const members = toMembers(rows[row]);
    if (members === undefined) {
      const met = describeMet(rows[row], origin);
      const message = `Row ${String(row + 1)} is ${met}; expected an object.`;
      throw sourceMalformed(message, { row: row + 1, met, expected: "an object" });
    }
    for (const name of members.keys()) names.add(name);
    values += members.size;
    found.push(members);
    // Looked at on the way: a few rows of many names each would take all memory before the end.
    if (row % 1_000 === 999) checkCells(row + 1, names.size, options.limits, values);
  }
  checkCells(rows.length, names.size, options.limits, values);
  const table = buildFromColumns(
    [...names],
    (name) => found.map((row) => row.get(name)),
    { rowCount: rows.length, origin, readWritten: (name, row) => findWritten(found[row], name) },
    options,
  );
  return { ...table, notes: [...(table.notes ?? []), ...noteEnvelopes(found)] };
}

function buildFromLists(lists: ReadonlyMap<string, readonly unknown[]>, options: ReadOptions, origin: Origin): Table {
  const [[first, { length: rows }] = ["", []]] = lists;
  for (const [name, { length }] of lists) {
    if (length === rows) continue;
    const message = `The list of ${quote(name)} has ${writeCount(length)} values; that of ${quote(first)} has ${writeCount(rows)}.`;
    throw sourceMalformed(message, { column: quote(name), met: length, expected: rows });
  }
  checkCells(rows, lists.size, options.limits);
  const readWritten = (name: string, row: number): string | undefined => findWritten(lists.get(name), row);
  return buildFromColumns(
    [...lists.keys()],
    (name) => lists.get(name) ?? [],
    { rowCount: rows, origin, readWritten },
    options,
  );
}

/** Builds a table of columns, each typed by all of its values. */
export function buildFromColumns(
  names: readonly string[],
  getValues: (name: string) => readonly unknown[],
  { rowCount, origin, readWritten }: RowsFound,
  options: ReadOptions,
): Table {
  checkNames(names, options.limits);
  const types = checkTypes(options.types, names);
  const notes: ReadingNote[] = [];
  const columns = names.map((name) => {
    const cells = getValues(name).map((value) => toCell(value, origin));
    const column = buildColumn(name, cells, types.get(name), options);
    notes.push(...noteAsText(name, cells));
    notes.push(...noteColumn(name, cells, column, options.form, (row) => readWritten?.(name, row)));
    return column;
  });
  const explain = (name: string): TextReason | undefined => {
    const column = types.has(name) ? undefined : columns[names.indexOf(name)];
    return column?.kind === "string" ? findFormReason(column.values, options.form) : undefined;
  };
  const fields = names.map((name, at) => buildFieldOf(name, columns[at]));
  return { notes, fields, columns, rowCount, findTextReason: explain };
}

/** How many rows there are, where they come from, and the texts of numbers that became other ones. */
interface RowsFound {
  readonly rowCount: number;
  readonly origin: Origin;
  readonly readWritten?: (name: string, row: number) => string | undefined;
}

export function tellRow(row: number): string {
  return `row ${String(row)}`;
}

/** Notes values that no one type holds, which are read as text. */
function noteAsText(name: string, cells: readonly Cell[]): readonly ReadingNote[] {
  const families = listFamilies(cells);
  const [family] = families;
  const isLong = families.size === 1 && family === "numbers" && areTooLong(cells);
  if (families.size < 2 && family !== "nested values" && !isLong) return [];
  const what = isLong ? `numbers of more than ${String(WIDTHS[1])} digits` : [...families].sort().join(" and ");
  return [{ kind: "as_text", columns: [name], facts: { what } }];
}

/** Notes numbers that became other doubles: whole ones, and those that a document writes with other digits. */
function noteColumn(
  name: string,
  cells: readonly Cell[],
  column: Column,
  form: TextForm,
  readWritten: (row: number) => string | undefined,
): readonly ReadingNote[] {
  if (column.kind !== "float64") return [];
  if (cells.every((cell) => cell === null || typeof cell === "string"))
    return noteTexts(name, cells, column, form, tellRow);
  const changed: Changed[] = [];
  for (const [row, cell] of cells.entries()) {
    if (cell === null || (typeof cell === "number" && Number.isNaN(cell))) continue;
    const isLarge = typeof cell === "bigint" && (cell > MOST_EXACT || cell < -MOST_EXACT);
    const text = isLarge ? String(cell) : typeof cell === "number" ? readWritten(row) : undefined;
    const value = column.values[row] ?? 0;
    if (text !== undefined && isChanged(text, value)) changed.push({ row: row + 1, text, value });
  }
  return noteRounded(name, changed, tellRow);
}

function toCell(value: unknown, origin: Origin): Cell {
  if (value === undefined || value === null) return null;
  switch (typeof value) {
    case "boolean":
    case "bigint":
    case "string":
      return value;
    case "number":
      return origin === "caller" && Number.isSafeInteger(value) ? BigInt(value) : value;
    case "object":
      return value as Cell;
    default:
      throw sourceMalformed(`A value of type ${typeof value} cannot be read.`, { met: typeof value });
  }
}

type Family = "booleans" | "numbers" | "text" | "times" | "nested values";

function findFamily(cell: Exclude<Cell, null>): Family {
  if (typeof cell === "boolean") return "booleans";
  if (typeof cell === "number" || typeof cell === "bigint") return "numbers";
  if (typeof cell === "string") return "text";
  return cell instanceof Date ? "times" : "nested values";
}

function listFamilies(cells: readonly Cell[]): ReadonlySet<Family> {
  const families = new Set<Family>();
  for (const cell of cells) if (cell !== null) families.add(findFamily(cell));
  return families;
}

/** Whether whole numbers have more digits than any type; beside a double they are doubles. */
function areTooLong(cells: readonly Cell[]): boolean {
  return cells.some(isTooLong) && !cells.some((cell) => typeof cell === "number");
}

function isTooLong(cell: Cell): boolean {
  return typeof cell === "bigint" && (cell >= MOST_WHOLE || cell <= -MOST_WHOLE);
}

function buildColumn(name: string, cells: readonly Cell[], declared: string | undefined, options: ReadOptions): Column {
  const families = listFamilies(cells);
  const found = buildOfFamily(name, cells, families);
  if (found?.kind !== "string" || families.size === 0) {
    if (found !== undefined) return declared === undefined ? found : castColumn(name, found, declared, options);
  } else if (declared === undefined) {
    return convertTexts(found.values, options.form);
  } else return convertDeclared(name, cleanTexts(found.values, options.form, NO_TEXTS), declared, options);
  const texts: Column = { kind: "string", values: cells.map((cell) => writeCell(name, cell)) };
  return declared === undefined ? texts : castColumn(name, texts, declared, options);
}

/** Types texts as those of delimited text where a form is declared, else as what they are, but for dates. */
function convertTexts(texts: Texts, form: TextForm): Column {
  const values = cleanTexts(texts, form, NO_TEXTS);
  const isPlain = isPlainNumber(form) && form.dateFormat === undefined && !form.percent;
  const typed = isPlain ? convertNarrowest(values) : convertFormed(values, form);
  const isKept = typed !== undefined && (!isPlain || typed.kind === "date" || typed.kind === "datetime");
  return isKept ? typed : { kind: "string", values };
}

/** Builds the column of values of one family; undefined where they become text. */
function buildOfFamily(name: string, cells: readonly Cell[], families: ReadonlySet<Family>): Column | undefined {
  const [family] = families;
  if (families.size > 1) return undefined;
  switch (family) {
    case undefined:
      return { kind: "string", values: cells.map(() => null) };
    case "booleans":
      return {
        kind: "boolean",
        values: Uint8Array.from(cells, (cell) => (cell === true ? 1 : 0)),
        nulls: findNulls(cells),
      };
    case "numbers":
      return buildNumbers(name, cells as readonly (number | bigint | null)[]);
    case "text":
      return { kind: "string", values: cells.map((cell) => checkText(name, cell as string | null)) };
    case "times":
      return buildMoments(name, cells as readonly (Date | null)[]);
    default:
      return undefined;
  }
}

function checkText(name: string, text: string | null): string | null {
  if (text === null || text.isWellFormed()) return text;
  throw sourceMalformed(`Column ${quote(name)} holds a lone surrogate.`, { column: name, expected: "text" });
}

function buildNumbers(name: string, cells: readonly (number | bigint | null)[]): Column | undefined {
  const nulls = findNulls(cells);
  if (cells.some((cell) => typeof cell === "number")) {
    const values = Float64Array.from(cells, (cell) => convertDouble(name, cell ?? 0));
    return { kind: "float64", values, nulls };
  }
  const whole = cells.map((cell) => BigInt(cell ?? 0));
  if (whole.every((each) => each >= LEAST_INT64 && each <= MOST_INT64))
    return { kind: "int64", values: BigInt64Array.from(whole), nulls };
  if (whole.some(isTooLong)) return undefined;
  return { kind: "decimal", values: whole, nulls, precision: WIDTHS[1], scale: 0 };
}

function convertDouble(name: string, cell: number | bigint): number {
  const value = Number(cell);
  if (typeof cell === "number" || Number.isFinite(value)) return value;
  throw sourceMalformed(`Column ${quote(name)} holds a number beyond the range of doubles.`, { column: name });
}

function buildMoments(name: string, cells: readonly (Date | null)[]): Column {
  const values = BigInt64Array.from(cells, (cell) => {
    const time = cell?.getTime() ?? 0;
    const year = cell?.getUTCFullYear() ?? 1970;
    if (year >= 1 && year <= 9_999) return BigInt(time) * 1_000n;
    throw sourceMalformed(`Column ${quote(name)} holds a time outside of the calendar.`, { column: name });
  });
  return { kind: "datetime", values, nulls: findNulls(cells), isZoned: true };
}

function writeCell(name: string, cell: Cell): string | null {
  if (cell === null) return null;
  if (typeof cell === "string") return checkText(name, cell);
  if (typeof cell === "bigint") return String(cell);
  try {
    return canonicalText(simplify(cell));
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error;
    const met = describeValue(cell);
    const message = `Column ${quote(name)} holds a value ${met}, which cannot be written as text.`;
    throw sourceMalformed(message, { column: name, met });
  }
}

const MOST_DEPTH = 64; // as the canonical form has it

/** A value as canonical JSON takes it. */
function simplify(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MOST_DEPTH) throw new CanonicalError("depth"); // a cycle, perhaps
  if (Array.isArray(value)) return value.map((each) => simplify(each, depth + 1));
  const members = toMembers(value);
  if (members === undefined) return value;
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [key, each] of members) plain[key] = simplify(each, depth + 1);
  return plain;
}

/** Converts typed values to a declared type; only what changes no value. */
function castColumn(name: string, column: Column, declared: string, options: ReadOptions): Column {
  if (declared === describePhysical(column)) return column;
  if (declared === "number" && ["int64", "float64", "decimal"].includes(column.kind)) return column;
  if (column.kind === "string") return convertDeclared(name, column.values, declared, { ...options, form: PLAIN });
  const cast = castValues(column, declared === "number" ? "float64" : declared);
  if (cast !== undefined) return cast;
  const met = describePhysical(column);
  throw sourceMalformed(
    `Column ${quote(name)} of type ${met} cannot become ${declared} without changing a value.`,
    { column: name, met, expected: declared },
    "Declare another type, or convert the data.",
  );
}

const INT64_DIGITS = 19; // that a decimal has to hold, whatever the values are

function castValues(column: Column, declared: string): Column | undefined {
  const size = findDecimalSize(declared);
  if (column.kind === "int64" && declared === "float64") {
    const values = Float64Array.from(column.values, Number);
    return column.values.every((value, row) => BigInt(values[row] ?? 0) === value)
      ? { kind: "float64", values, nulls: column.nulls }
      : undefined;
  }
  if (column.kind === "int64" && size !== undefined && size.precision >= INT64_DIGITS + size.scale) {
    const values = Array.from(column.values, (value) => value * 10n ** BigInt(size.scale));
    const most = 10n ** BigInt(size.precision);
    if (!values.every((value) => value > -most && value < most)) return undefined;
    const held = size.precision <= WIDTHS[0] ? BigInt64Array.from(values) : values;
    return { kind: "decimal", values: held, nulls: column.nulls, ...size };
  }
  if (column.kind === "float64" && declared === "int64") {
    const isWhole = column.values.every((value) => Number.isSafeInteger(value));
    return isWhole
      ? { kind: "int64", values: BigInt64Array.from(column.values, (value) => BigInt(value)), nulls: column.nulls }
      : undefined;
  }
  if (declared === "string") return castToTexts(column);
  if (column.kind === "boolean" && declared === "float64")
    return { kind: "float64", values: Float64Array.from(column.values), nulls: column.nulls };
  if (column.kind === "boolean" && declared === "int64")
    return { kind: "int64", values: BigInt64Array.from(column.values, BigInt), nulls: column.nulls };
  if (column.kind === "date" && declared === "datetime") {
    const values = BigInt64Array.from(column.values, (days) => BigInt(days) * DAY_MICROS);
    return { kind: "datetime", values, nulls: column.nulls };
  }
  return undefined;
}

function castToTexts(column: Column): Column | undefined {
  switch (column.kind) {
    case "int64":
      return { kind: "string", values: writeTexts(column.values, column.nulls, String) };
    case "boolean":
      return { kind: "string", values: writeTexts(column.values, column.nulls, (value) => String(value === 1)) };
    case "float64":
      return { kind: "string", values: writeTexts(column.values, column.nulls, writeDouble) };
    default:
      return undefined;
  }
}

function writeTexts<T>(values: ArrayLike<T>, nulls: Nulls, write: (value: T) => string): (string | null)[] {
  return Array.from(values, (value, row) => (nulls?.[row] === 1 ? null : write(value)));
}

function writeDouble(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Object.is(value, -0) ? "-0" : String(value);
}
