/** Delimited text: CSV, TSV and their kin. A header row is required; every row is read before a type is decided. */

import { type ReadingNote } from "@service-nb/records";
import { beyondLimit, sourceMalformed } from "../errors.js";
import { buildFieldOf, type Column, type Table } from "../values/columns.js";
import { countChars } from "../values/order.js";
import { findTextNotes } from "./alike-texts.js";
import { Cells, listUnits } from "./cells.js";
import { findChanged, noteRounded, noteSpellings, type TellPlace } from "./changed-texts.js";
import { findRowNotes } from "./doubtful-rows.js";
import { readDoubles, readFixed, readWhole } from "./cell-numbers.js";
import {
  convertFormed,
  convertTo,
  findHeadPlaces,
  findMisfit,
  listKinds,
  proposeKind,
  readDouble,
  readHead,
} from "./conversions.js";
import { checkCells, checkNames, checkTypes, limitError, quote } from "./names.js";
import { writeCount } from "../query/text.js";
import { type TextReason } from "../query/text-columns.js";
import { optionError, type ReadOptions } from "./options.js";
import { BLOCK, DELIMITERS, HEADER_BYTES, WIDTHS } from "./rules.js";
import { decodeText, findLine } from "./text-bytes.js";
import { findTextReason, mayBeGrouped } from "./text-reasons.js";
import {
  cleanTexts,
  describeForm,
  isPlainNumber,
  PLAIN,
  rewriteNumber,
  type TextForm,
  type Texts,
} from "./text-forms.js";

/** Reads delimited text; `isTabbed` files have a tab between cells whatever they hold. */
export function readDelimited(bytes: Uint8Array, options: ReadOptions, isTabbed: boolean): Table {
  const { limits } = options;
  if (bytes.length > limits.textBytes) {
    const message = `The text has ${String(bytes.length)} bytes; at most ${String(limits.textBytes)} are read.`;
    throw beyondLimit(message, { limit: limits.textBytes, limit_name: "textBytes", value: bytes.length });
  }
  const text = decodeText(bytes, options.encoding);
  const delimiter = findDelimiter(text, isTabbed, options.delimiter);
  checkQuotes(text, delimiter);
  const utf8 = options.encoding === undefined ? bytes : undefined;
  const cells = new Cells(text, listUnits(text, utf8), delimiter.charCodeAt(0));
  const { names, length } = cells.readHeader();
  if (length > HEADER_BYTES)
    throw beyondLimit(`The header row is longer than ${String(HEADER_BYTES)} bytes.`, { limit: HEADER_BYTES, line: 1 });
  checkNames(names, limits);
  const odd = cells.scanRows();
  if (odd !== undefined) refuseRagged(cells, odd);
  const { rowCount } = cells;
  checkCells(rowCount, names.length, limits);
  const types = checkTypes(options.types, names);
  const read = names.map((name, at) => readColumn(cells, at, name, types.get(name), options));
  const columns = read.map(({ column }) => column);
  const table = { fields: names.map((name, at) => buildFieldOf(name, columns[at])), columns, rowCount };
  const texts = { tell: tellLine(cells), read: (row: number, column: number) => cells.readText(row, column) };
  return {
    ...table,
    notes: [
      ...read.flatMap(({ notes }) => notes),
      ...findRowNotes(table, texts),
      ...findTextNotes(table, texts.tell, true),
    ],
    findTextReason: (name) => (types.has(name) ? undefined : explainColumn(columns, names.indexOf(name), options.form)),
  };
}

/** Why a column is text; no decimal comma is proposed where another column has a decimal point. */
function explainColumn(columns: readonly Column[], at: number, form: TextForm): TextReason | undefined {
  const column = columns[at];
  const reason = column?.kind === "string" ? findTextReason(column.values, form) : undefined;
  const isOffered = reason?.options["decimal"] !== "," || columns.every(mayBeGrouped);
  return reason === undefined || isOffered ? reason : { ...reason, options: {} };
}

/** A column, and what was decided to read it. */
interface ReadColumn {
  readonly column: Column;
  readonly notes: readonly ReadingNote[];
}

function tellLine(cells: Cells): TellPlace {
  return (row) => `line ${String(cells.findLine(row - 1))}`;
}

function readColumn(
  cells: Cells,
  column: number,
  name: string,
  declared: string | undefined,
  options: ReadOptions,
): ReadColumn {
  const { form, nulls, limits } = options;
  const findPlace = (row: number): number => cells.findLine(row);
  const isLong = cells.measureColumn(column) > limits.cellChars;
  const isPlain = isPlainForm(form) && nulls.size === 0 && declared === undefined && !isLong;
  const found = isPlain ? readNumbers(cells, column) : undefined;
  if (found !== undefined) return { column: found, notes: notePlain(name, cells, column, found) };
  const texts = cells.listTexts(column).map((text) => (text !== null && nulls.has(text) ? null : text));
  if (isLong) checkCellSizes(name, texts, options, findPlace);
  const clean = cleanTexts(texts, form, nulls);
  const read =
    declared === undefined
      ? (convertFormed(clean, form) ?? keepTexts(clean))
      : convertDeclared(name, clean, declared, options, findPlace);
  return { column: read, notes: noteTexts(name, clean, read, form, tellLine(cells)) };
}

/** Notes doubles that were read straight from cells, of which the texts of long ones alone are made. */
function notePlain(name: string, cells: Cells, at: number, column: Column): readonly ReadingNote[] {
  if (column.kind !== "float64") return [];
  const readText = (row: number): string => cells.readText(row, at) ?? "";
  const changed = findChanged(column, (row) => cells.measure(row, at), readText);
  const tell = tellLine(cells);
  const types = changed.length > 0 ? proposeExact(cells.listTexts(at)) : undefined;
  const spellings = cells.hasExponent(at) ? noteSpellings(name, column, readText, tell) : [];
  return [...noteRounded(name, changed, tell, types), ...spellings];
}

/** Notes texts that became another double, and those that may be codes, as they stand in the source. */
export function noteTexts(
  name: string,
  written: Texts,
  column: Column,
  form: TextForm,
  tell: TellPlace,
): readonly ReadingNote[] {
  if (column.kind !== "float64") return [];
  const texts = isPlainNumber(form)
    ? written
    : written.map((text) => (text === null ? null : rewriteNumber(text, form)));
  const readText = (row: number): string => texts[row] ?? "";
  const changed = findChanged(column, (row) => readText(row).length, readText);
  const shown = changed.map((each) => ({ ...each, text: written[each.row - 1] ?? "" }));
  const types = changed.length > 0 ? proposeExact(texts) : undefined;
  const spellings = texts.some((text) => text !== null && /e/i.test(text))
    ? noteSpellings(name, column, readText, tell)
    : [];
  return [...noteRounded(name, shown, tell, types), ...spellings];
}

/** The decimal type that holds all of these numbers as they are written; undefined if there is none. */
function proposeExact(texts: Texts): string | undefined {
  if (texts.some((text) => text !== null && /[^-.0-9]/.test(text))) return undefined;
  const places = texts.reduce((most, text) => {
    const point = text?.indexOf(".") ?? -1;
    return point < 0 || text === null ? most : Math.max(most, text.length - 1 - point);
  }, 0);
  const kind = `decimal(${String(WIDTHS[1])},${String(places)})`;
  return places <= WIDTHS[1] && convertTo(texts, kind, PLAIN) !== undefined ? kind : undefined;
}

function isPlainForm(form: TextForm): boolean {
  return isPlainNumber(form) && form.dateFormat === undefined && !form.percent && !form.trim;
}

/** Reads a column of plain numbers as its texts would be converted; undefined where only these can tell. */
function readNumbers(cells: Cells, column: number): Column | undefined {
  const head = readHead(cells.rowCount, (row) => cells.readText(row, column));
  const proposed = proposeKind(head);
  if (proposed === "int64") return readWhole(cells, column);
  if (proposed !== "float64") return undefined;
  const places = findHeadPlaces(head);
  return places === undefined ? readDoubles(cells, column, readDouble) : readFixed(cells, column, WIDTHS[0], places);
}

function keepTexts(values: Texts): Column {
  return { kind: "string", values };
}

/**
 * Converts texts to a declared type.
 *
 * @throws {ServiceError} `source_malformed` of a text that does not fit.
 */
export function convertDeclared(
  name: string,
  texts: Texts,
  declared: string,
  options: ReadOptions,
  findPlace?: (row: number) => number,
): Column {
  if (declared === "string") return keepTexts(texts);
  const kinds = listKinds(declared);
  for (const kind of kinds) {
    const converted = convertTo(texts, kind, options.form);
    if (converted !== undefined) return converted;
  }
  const row = findMisfit(texts, kinds, options.form);
  const met = quote(texts[row] ?? "");
  const [unit, place] = findPlace === undefined ? (["row", row + 1] as const) : (["line", findPlace(row)] as const);
  throw sourceMalformed(
    `${unit === "row" ? "Row" : "Line"} ${String(place)}, column ${quote(name)}: ${met} is no ${declared}${describeForm(options.form, declared)}.`,
    { [unit]: place, column: name, met, expected: declared },
    "Correct it, or declare another type.",
  );
}

/** The one given; a tab in tabbed files; else the one that stands most often in the first line, outside quotes. */
function findDelimiter(text: string, isTabbed: boolean, given: string | undefined): string {
  if (given !== undefined) {
    if (given.length !== 1 || '"\r\n'.includes(given) || given > "\x7f")
      throw optionError("delimiter", given, "one ASCII character");
    return given;
  }
  if (isTabbed) return "\t";
  const head = text.slice(0, BLOCK).replace(/^[\r\n]+/, "");
  const end = head.indexOf("\n");
  const first = end < 0 ? head : head.slice(0, end);
  const outside = first
    .split('"')
    .filter((_, at) => at % 2 === 0)
    .join("");
  const counts = Array.from(DELIMITERS, (sign) => outside.split(sign).length - 1);
  return DELIMITERS.charAt(counts.indexOf(Math.max(...counts)));
}

/**
 * Checks that quotes stand at the start and the end of a cell, and doubled inside a quoted one.
 *
 * @throws {ServiceError} `source_malformed` for the first one that does not.
 */
function checkQuotes(text: string, delimiter: string): void {
  const isBorder = (at: number): boolean =>
    at < 0 || at >= text.length || text[at] === delimiter || '"\r\n'.includes(text.charAt(at));
  let [isOpen, last] = [false, -1];
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    if (!isBorder(isOpen ? at + 1 : at - 1)) {
      const line = findLine(text, at);
      const hint = 'Put a cell that holds a quote in quotes, and double the quote inside: "5"" pipe".';
      throw sourceMalformed(
        `Line ${String(line)} has a quote inside a cell.`,
        { line, met: '"', expected: '""' },
        hint,
      );
    }
    [isOpen, last] = [!isOpen, at];
  }
  if (!isOpen) return;
  const line = findLine(text, last);
  const message = `Line ${String(line)} opens a quote that is never closed.`;
  throw sourceMalformed(
    message,
    { line, met: "an open quote", expected: '"' },
    'Double a quote inside a quoted cell: "".',
  );
}

function refuseRagged(cells: Cells, count: number): never {
  const { width } = cells;
  const line = cells.findLine(cells.rowCount);
  const hint = `The delimiter is ${quote(String.fromCharCode(cells.delimiter))}; put a cell that holds it in double quotes.`;
  const message = `Line ${String(line)} has ${String(count)} cells; the header has ${String(width)}.`;
  throw sourceMalformed(message, { line, met: count, expected: width }, hint);
}

function checkCellSizes(name: string, texts: Texts, options: ReadOptions, findPlace: (row: number) => number): void {
  const limit = options.limits.cellChars;
  for (const [row, text] of texts.entries()) {
    if (text === null || text.length <= limit) continue;
    const length = countChars(text);
    if (length <= limit) continue;
    const line = findPlace(row);
    const met = `Line ${String(line)}, column ${quote(name)}: a cell of ${writeCount(length)} characters`;
    throw limitError("cellChars", limit, length, met, { line, column: name });
  }
}
