/** Text from outside as a page may show it: every character that steers a reader's eye is written out. */

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const JOINERS = "\u200c\u200d";
const NON_ASCII_WORD = /^[^\p{ASCII}]$/u;
const WORD = /^[\p{L}\p{M}\p{S}]$/u;
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text as `service_nb/base/visible.py` shows it; joiners between letters beyond ASCII stay. */
export function visible(text: string): string {
  return text.replace(STEERING, (char, at: number) => (joins(text, at, char) ? char : escaped(char)));
}

function escaped(char: string): string {
  const point = char.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point < 0x100) return ESCAPES[char] ?? `\\x${hex.padStart(2, "0")}`;
  return point > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

function joins(text: string, at: number, char: string): boolean {
  if (!JOINERS.includes(char)) return false;
  const before = Array.from(text.slice(Math.max(at - 2, 0), at)).at(-1) ?? "";
  const after = Array.from(text.slice(at + 1, at + 3))[0] ?? "";
  return [before, after].every((each) => NON_ASCII_WORD.test(each) && WORD.test(each));
}
