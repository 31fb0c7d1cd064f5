/** The cells of delimited text as places in it: of most no text is ever made. */

import { findLine } from "./text-bytes.js";

/** The characters of a text by their number: bytes where all are ASCII, else units of UTF-16. */
export type Units = Uint8Array | Uint16Array;

const MARK = [0xef, 0xbb, 0xbf]; // of UTF-8
const QUOTE = 34;
const NEWLINE = 10;
const EXPONENT = 101; // e
const LOWER = 32;
const RETURN = 13;
const FIRST_ROOM = 4_096; // places
const LONGEST_KEPT = 32; // units of a text that is likely to come again
const SLOTS = 8_192; // a power of two

/** Returns the units of a text; `utf8` is what it was decoded from, with its mark or without. */
export function listUnits(text: string, utf8: Uint8Array | undefined): Units {
  const bare = utf8 !== undefined && MARK.every((byte, at) => utf8[at] === byte) ? utf8.subarray(3) : utf8;
  if (bare?.length === text.length) return bare; // as many bytes as units are only in ASCII
  const units = new Uint16Array(text.length);
  for (let at = 0; at < units.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

/** Goes through the rows of a text in which quotes are in order, and keeps where each cell starts and ends. */
export class Cells {
  readonly text: string;
  readonly units: Units;
  readonly delimiter: number;
  /** For each cell of each row after the header its start and its end, quotes included. */
  places = new Uint32Array(FIRST_ROOM);
  width = 0;
  rowCount = 0;
  #at = 0;
  #held = 0; // places
  readonly #kept = new Array<string | undefined>(SLOTS);
  readonly #keptAt = new Uint32Array(2 * SLOTS);

  constructor(text: string, units: Units, delimiter: number) {
    this.text = text;
    this.units = units;
    this.delimiter = delimiter;
  }

  /** Reads the header, which gives the number of cells of a row, and returns its names and its length. */
  readHeader(): { readonly names: readonly string[]; readonly length: number } {
    this.#skipEmptyLines();
    const start = this.#at;
    this.width = this.#scanRow();
    const names = Array.from({ length: this.width }, (_, column) => this.#readAt(2 * column));
    this.#held = 0;
    return { names, length: this.#at - start };
  }

  /** Goes through all rows; returns the number of cells of the first row that has not as many as the header. */
  scanRows(): number | undefined {
    const { length } = this.units;
    for (;;) {
      if (this.width > 1) this.#skipEmptyLines();
      if (this.#at >= length) return undefined;
      const count = this.#scanRow();
      if (count !== this.width) return count;
      this.rowCount += 1;
    }
  }

  /** The line on which a row starts; rows are counted from 0. */
  findLine(row: number): number {
    return findLine(this.text, this.places[2 * row * this.width] ?? this.text.length);
  }

  /** The units of the longest cell of a column, quotes included. */
  measureColumn(column: number): number {
    const { places, width } = this;
    let longest = 0;
    for (let at = 2 * column, left = this.rowCount; left > 0; at += 2 * width, left -= 1)
      longest = Math.max(longest, (places[at + 1] ?? 0) - (places[at] ?? 0));
    return longest;
  }

  /** The units of a cell, quotes included. */
  measure(row: number, column: number): number {
    const at = 2 * (row * this.width + column);
    return (this.places[at + 1] ?? 0) - (this.places[at] ?? 0);
  }

  /** Whether a cell of a column holds an e, as an exponent does. */
  hasExponent(column: number): boolean {
    const { places, width, units } = this;
    for (let row = 0, at = 2 * column; row < this.rowCount; row += 1, at += 2 * width) {
      const end = places[at + 1] ?? 0;
      for (let unit = places[at] ?? 0; unit < end; unit += 1)
        if (((units[unit] ?? 0) | LOWER) === EXPONENT) return true;
    }
    return false;
  }

  /** The text of a cell; null where it is empty. */
  readText(row: number, column: number): string | null {
    const text = this.#readAt(2 * (row * this.width + column));
    return text === "" ? null : text;
  }

  /** The texts of a column; null where a cell is empty. */
  listTexts(column: number): (string | null)[] {
    const texts = new Array<string | null>(this.rowCount);
    for (let row = 0; row < texts.length; row += 1) texts[row] = this.readText(row, column);
    return texts;
  }

  #skipEmptyLines(): void {
    const { units } = this;
    for (let unit = units[this.#at]; unit === NEWLINE || unit === RETURN;) {
      this.#at += 1;
      unit = units[this.#at];
    }
  }

  /** Keeps the places of the cells of a row, and returns how many there are. */
  #scanRow(): number {
    const { units, delimiter } = this;
    const { length } = units;
    let at = this.#at;
    for (let count = 1; ; count += 1) {
      const start = at;
      if (units[at] === QUOTE) at = findClosing(units, at + 1) + 1;
      else
        for (let unit = units[at]; at < length; unit = units[at]) {
          if (unit === delimiter || unit === NEWLINE || unit === RETURN) break;
          at += 1;
        }
      if (this.#held + 2 > this.places.length) this.#makeRoom(at);
      this.places[this.#held] = start;
      this.places[this.#held + 1] = at;
      this.#held += 2;
      const unit = at < length ? units[at] : NEWLINE;
      const isPair = unit === RETURN && units[at + 1] === NEWLINE;
      at = Math.min(at + (isPair ? 2 : 1), length);
      if (unit === delimiter) continue;
      this.#at = at;
      return count;
    }
  }

  /** Makes room for what the rest of the text is likely to hold, if it goes on as it was until here. */
  #makeRoom(at: number): void {
    const likely = 1.05 * this.#held * (this.units.length / Math.max(at, 1));
    const most = this.units.length + 2; // a cell has a sign behind it
    const places = new Uint32Array(Math.max(this.#held + 2, Math.min(2 * most, Math.ceil(likely) + FIRST_ROOM)));
    places.set(this.places);
    this.places = places;
  }

  #readAt(place: number): string {
    const [start, end] = [this.places[place] ?? 0, this.places[place + 1] ?? 0];
    if (this.units[start] !== QUOTE || start === end) return this.#slice(start, end);
    const cell = this.#slice(start + 1, end - 1);
    return cell.includes('"') ? cell.replaceAll('""', '"') : cell;
  }

  /** A text between two places; the same one again where the same stood before, as far as that is remembered. */
  #slice(start: number, end: number): string {
    if (end - start > LONGEST_KEPT) return this.text.slice(start, end);
    const { units } = this;
    let hash = end - start;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash, 31) + (units[at] ?? 0);
    const slot = (hash ^ (hash >>> 13)) & (SLOTS - 1);
    const kept = this.#kept[slot];
    if (kept?.length === end - start && this.#isSame(this.#keptAt[slot] ?? 0, start, end)) return kept;
    const text = this.text.slice(start, end);
    this.#kept[slot] = text;
    this.#keptAt[slot] = start;
    return text;
  }

  #isSame(other: number, start: number, end: number): boolean {
    const { units } = this;
    for (let at = start, beside = other; at < end; at += 1, beside += 1) if (units[at] !== units[beside]) return false;
    return true;
  }
}

/** The place of the quote that closes a cell; a doubled one closes nothing. */
function findClosing(units: Units, from: number): number {
  for (let at = from; at < units.length; at += 1) {
    if (units[at] !== QUOTE) continue;
    if (units[at + 1] !== QUOTE) return at;
    at += 1;
  }
  return units.length;
}
