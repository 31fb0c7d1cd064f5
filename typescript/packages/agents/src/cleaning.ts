/** Texts of files, of people and of models as a model may read them: nothing hidden in them, and not too long. */

import { BLANK_CHARACTERS, HIDDEN_CHARACTERS } from "./declared.js";

const ENDS = "…";
const BLANKS: ReadonlySet<number> = new Set(BLANK_CHARACTERS);

function isHidden(code: number): boolean {
  return HIDDEN_CHARACTERS.some(([first, last]) => first <= code && code <= last);
}

/** Whether a text is shown as it is: it holds nothing hidden, and at most so many characters. */
export function isPlain(text: string, most: number): boolean {
  return cleanText(text, most) === text;
}

/** Drops what is hidden from a text, with blanks for ends of lines, and cuts it to so many code points. */
export function cleanText(text: string, most: number): string {
  const kept: string[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (BLANKS.has(code)) kept.push(" ");
    else if (!isHidden(code)) kept.push(character);
    if (kept.length > most) return kept.slice(0, most - ENDS.length).join("") + ENDS;
  }
  return kept.join("");
}

/** Cleans every text of a JSON value. */
export function cleanTree(value: unknown, most: number): unknown {
  if (typeof value === "string") return cleanText(value, most);
  if (Array.isArray(value)) return value.map((each: unknown) => cleanTree(each, most));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key, most), cleanTree(each, most)]));
}
