/**
 * Text from data stays text in a spreadsheet: what one would take for a formula gets an apostrophe before it.
 *
 * The rule is that of `service_nb/ledger/exports/table.py`: a formula starts with one of `= + - @`, looked for behind blanks,
 * invisible characters and apostrophes, in full-width forms too, and behind each place where another separator than the
 * comma would begin a cell.
 */

const MARK = "'";
const SEAM = /([;\t\r\n])/;
const UNSEEN = /^['\p{Z}\p{Cc}\p{Cf}]$/u;
const CONTROL = /^\p{Cc}$/u;
const SIGNS = "=+-@\u2212"; // NFKC folds full-width, small and raised forms; this minus it leaves alone
const NO_CELL = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;
const PICTURES = 0x2400; // the signs that picture control characters, from that of NUL on

/** The text with an apostrophe before each place where a formula could start. */
export function guarded(text: string): string {
  const [first = "", ...others] = text.split(SEAM);
  const begins = startsFormula(first) || startsWithControl(text);
  const rest = others.map((part) => (startsFormula(part) ? MARK + part : part));
  return (begins ? MARK + first : first) + rest.join("");
}

/** The text with the control characters, which no reader of cells is sure to take, as signs that show them. */
export function printable(text: string): string {
  return text.replace(NO_CELL, (char) => {
    const point = char.charCodeAt(0);
    if (point < 0x20) return String.fromCharCode(PICTURES + point);
    return point === 0x7f ? "\u2421" : "\ufffd";
  });
}

function startsFormula(part: string): boolean {
  for (const char of part) {
    if (!UNSEEN.test(char)) return SIGNS.includes(char.normalize("NFKC").charAt(0));
  }
  return false;
}

function startsWithControl(text: string): boolean {
  for (const char of text) {
    if (CONTROL.test(char)) return true;
    if (!UNSEEN.test(char)) return false;
  }
  return false;
}
