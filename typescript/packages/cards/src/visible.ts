import { isWide } from "./wide.js";

const PLAIN = /^[\x20-\x7e]*$/;
const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\u200c\u200d]/u;
const LAST = /.$/su;
const JOINED = /[\p{L}\p{M}\p{S}]/u;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * The text with every character that steers a reader's eye written out: control characters, bidirectional overrides,
 * zero-width characters, line separators, halves of surrogate pairs. Joiners between letters beyond ASCII stay.
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(STEERING, (char, offset: number) => (joins(text, offset, char) ? char : escaped(char)));
}

function joins(text: string, offset: number, char: string): boolean {
  if (char !== "\u200c" && char !== "\u200d") return false;
  const before = LAST.exec(text.slice(Math.max(offset - 2, 0), offset))?.[0];
  const after = text.codePointAt(offset + 1);
  return isJoined(before) && after !== undefined && isJoined(String.fromCodePoint(after));
}

function isJoined(neighbour: string | undefined): boolean {
  return neighbour !== undefined && neighbour > "\x7f" && JOINED.test(neighbour);
}

function escaped(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x100) return ESCAPES[char] ?? `\\x${hex.padStart(2, "0")}`;
  return point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** Visible text, cut to a number of cells of a terminal; the cut shows as an ellipsis. */
export function clip(text: string, cells: number): string {
  if (text.length <= cells && PLAIN.test(text)) return text;
  let used = 0;
  let end = 0; // of what stays if the text must be cut
  for (const char of text) {
    used += cellsOf(char);
    if (used > cells) return `${text.slice(0, end)}…`;
    if (used <= cells - 1) end += char.length;
  }
  return text;
}

/** The number of cells of a terminal that visible text takes. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let used = 0;
  for (const char of text) used += cellsOf(char);
  return used;
}

function cellsOf(char: string): number {
  if (char <= "\x7f") return 1;
  return ZERO_WIDTH.test(char) ? 0 : isWide(char) ? 2 : 1;
}
