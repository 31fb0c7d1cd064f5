/** Delimited text: CSV, TSV and their kin. A header row is required; every row is read before a type is decided. */

import { beyondLimit, sourceMalformed } from "../errors.js";
import { buildField, describePhysical, type Column, type Table } from "../values/columns.js";
import { countChars } from "../values/order.js";
import { convertFormed, convertTo, findMisfit, listKinds } from "./conversions.js";
import { checkCells, checkNames, checkTypes, limitError, quote } from "./names.js";
import { writeCount } from "../query/text.js";
import { optionError, type ReadOptions } from "./options.js";
import { BLOCK, DELIMITERS, HEADER_BYTES } from "./rules.js";
import { decodeText, findLine } from "./text-bytes.js";
import { cleanTexts, describeForm, type Texts } from "./text-forms.js";

const QUOTE = 34;
const NEWLINE = 10;
const RETURN = 13;

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
  const rows = new RowScanner(text, delimiter.charCodeAt(0));
  const names = readHeader(rows);
  checkNames(names, limits);
  const columns = readColumns(rows, names, options.nulls);
  const rowCount = columns[0]?.length ?? 0;
  checkCells(rowCount, names.length, limits);
  const types = checkTypes(options.types, names);
  const typed = names.map((name, at) => {
    const texts = columns[at] ?? [];
    checkCellSizes(name, texts, options, (row) => rows.findRowLine(row, names.length));
    const clean = cleanTexts(texts, options.form, options.nulls);
    const declared = types.get(name);
    if (declared === undefined) return convertFormed(clean, options.form) ?? keepTexts(clean);
    return convertDeclared(name, clean, declared, options, (row) => rows.findRowLine(row, names.length));
  });
  return { fields: names.map((name, at) => buildField(name, describeColumn(typed[at]))), columns: typed, rowCount };
}

function describeColumn(column: Column | undefined): string {
  return column === undefined ? "string" : describePhysical(column);
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

/** Goes through the rows of a text in which quotes are in order. */
class RowScanner {
  readonly text: string;
  readonly delimiter: number;
  at = 0;
  start = 0; // of the rows after the header
  hasEnded = false; // the row that was read last

  constructor(text: string, delimiter: number) {
    this.text = text;
    this.delimiter = delimiter;
  }

  skipEmptyLines(): void {
    for (let unit = this.text.charCodeAt(this.at); unit === NEWLINE || unit === RETURN;) {
      this.at += 1;
      unit = this.text.charCodeAt(this.at);
    }
  }

  /** Reads one cell and the sign behind it; `hasEnded` tells whether the row has. */
  readCell(): string {
    const { text, delimiter } = this;
    const start = this.at;
    if (text.charCodeAt(start) === QUOTE) return this.#readQuoted();
    let end = start;
    for (; end < text.length; end += 1) {
      const unit = text.charCodeAt(end);
      if (unit === delimiter || unit === NEWLINE || unit === RETURN) break;
    }
    this.#leaveCell(end);
    return text.slice(start, end);
  }

  #readQuoted(): string {
    const { text } = this;
    const start = this.at + 1;
    let end = text.indexOf('"', start);
    let isDoubled = false;
    while (text.charCodeAt(end + 1) === QUOTE) {
      isDoubled = true;
      end = text.indexOf('"', end + 2);
    }
    this.#leaveCell(end + 1);
    const cell = text.slice(start, end);
    return isDoubled ? cell.replaceAll('""', '"') : cell;
  }

  #leaveCell(end: number): void {
    const unit = this.text.charCodeAt(end);
    this.hasEnded = end >= this.text.length || unit !== this.delimiter;
    const isPair = unit === RETURN && this.text.charCodeAt(end + 1) === NEWLINE;
    this.at = Math.min(end + (isPair ? 2 : 1), this.text.length);
  }

  /** Returns the line on which a row starts; rows are counted from 0. */
  findRowLine(row: number, width: number): number {
    this.at = this.start;
    for (let count = 0; ; count += 1) {
      if (width > 1) this.skipEmptyLines();
      if (count === row || this.at >= this.text.length) return findLine(this.text, this.at);
      do this.readCell();
      while (!this.hasEnded);
    }
  }
}

function readHeader(rows: RowScanner): string[] {
  rows.skipEmptyLines();
  const start = rows.at;
  const names: string[] = [];
  do names.push(rows.readCell());
  while (!rows.hasEnded);
  if (rows.at - start > HEADER_BYTES)
    throw beyondLimit(`The header row is longer than ${String(HEADER_BYTES)} bytes.`, { limit: HEADER_BYTES, line: 1 });
  rows.start = rows.at;
  return names;
}

function readColumns(rows: RowScanner, names: readonly string[], nulls: ReadonlySet<string>): (string | null)[][] {
  const columns: (string | null)[][] = names.map(() => []);
  const width = names.length;
  const { text } = rows;
  for (;;) {
    if (width > 1) rows.skipEmptyLines();
    if (rows.at >= text.length) return columns;
    const start = rows.at;
    let count = 0;
    do {
      const cell = rows.readCell();
      columns[count]?.push(cell === "" || (nulls.size > 0 && nulls.has(cell)) ? null : cell);
      count += 1;
    } while (!rows.hasEnded);
    if (count !== width) refuseRagged(rows, start, count, width);
  }
}

function refuseRagged(rows: RowScanner, start: number, count: number, width: number): never {
  const line = findLine(rows.text, start);
  const hint = `The delimiter is ${quote(String.fromCharCode(rows.delimiter))}; put a cell that holds it in double quotes.`;
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
