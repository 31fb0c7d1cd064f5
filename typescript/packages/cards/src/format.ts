/** How single values look: exact text in, readable text out, never by way of a float. */

import { isNumber, separated } from "./number.js";
import { clip, visible } from "./visible.js";

export const NULL = "—";
export const SHORT_DIGEST = 12;
export const CELL_WIDTH = 64; // a longer text in a cell is cut; the exact text stays in the canonical result

const MOST_CHARS = 10_000; // of a word: a longer one is cut by whoever shows it, and must not take its time
const INSTANT = /^([0-9]{4,}-[0-9]{2}-[0-9]{2})T([0-9:.]+)$/;
// What a spreadsheet takes for a formula when a table is pasted into it (CWE-1236), and what reads as quoted already.
const DOUBTFUL_START = /^['=+\-@]/;

/**
 * Text of a cell or a heading so that it can be taken for nothing else: what would read as empty, as null, as padded,
 * as already quoted, or as a formula in a spreadsheet stands in single quotes.
 */
export function word(text: string): string {
  const shown = visible(text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text);
  const isDoubtful = shown === "" || shown === NULL || shown !== shown.trim() || DOUBTFUL_START.test(shown);
  return isDoubtful ? `'${shown}'` : shown;
}

/** A value of a table as shown. A number that is a label (a year, an identifier) keeps its digits together. */
export function cell(text: string | null, type: string, isSeparated: boolean): string {
  if (text === null) return NULL;
  if (type === "number" && isNumber(text)) return isSeparated ? separated(text) : text;
  const instant = type === "datetime" ? INSTANT.exec(text) : null;
  return instant === null ? word(text) : `${instant[1] ?? ""} ${instant[2] ?? ""}`;
}

/** A number of things in words: `1 row`, `336,776 rows`. */
export function count(number: number, noun = "row"): string {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** A whole number with its thousands separated. */
export function whole(number: number): string {
  return separated(String(number));
}

/** A duration to two or three digits, of which the smallest is a hundredth of a millisecond. */
export function duration(milliseconds: number): string {
  if (milliseconds >= 10_000) return `${separated(fixed(milliseconds / 1_000, 1))} s`;
  const digits = milliseconds >= 10 ? 0 : milliseconds >= 1 ? 1 : 2;
  return milliseconds >= 0.005 ? `${separated(fixed(milliseconds, digits))} ms` : "under 0.01 ms";
}

// As Python rounds: an exact half goes to the even digit, where `toFixed` takes the larger one.
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const halves = value * 2 ** (digits + 1);
  const isTie = Number.isInteger(halves) && halves % 2 !== 0;
  if (!isTie || "02468".includes(text.at(-1) ?? "")) return text;
  return text.slice(0, -1) + String(Number(text.at(-1)) - 1);
}

/** The lines of a text, as Python's `splitlines` has them. */
export function lines(text: string): string[] {
  // eslint-disable-next-line no-control-regex -- the separators of information are line ends there
  const parts = text.split(/\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/);
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

export { clip, isNumber, separated, visible };
