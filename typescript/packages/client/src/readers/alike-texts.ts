/** Texts that look like others of their column, or have blanks around them: by the rules of `service_nb/readers/alike_texts.py`. */

import { type ReadingNote } from "@service-nb/records";
import { type Table } from "../values/columns.js";
import { type TellPlace } from "./changed-texts.js";
import { APART, BLANKS, JOINERS, OTHER_SCRIPTS, UNSEEN, WITHIN } from "./rules.js";
import { strip, type Texts } from "./text-forms.js";

const UNSEEN_SIGNS = new RegExp(`[${UNSEEN}]+`, "gu");
const UNSEEN_JOINERS = new RegExp(JOINERS, "gu");
const OTHER_LETTERS = new RegExp(`[${OTHER_SCRIPTS}]`, "u");
const BLANKS_WITHIN = new RegExp(`[${WITHIN}]`, "gu");
// All that a fold may change: a blank at an end, a sign that is not seen, and what may be composed otherwise.
const DOUBTFUL = new RegExp(`^[${BLANKS}]|[${BLANKS}]$|[${UNSEEN}${WITHIN}\u0300-\uffff]`);

/** Finds texts that look alike and texts with blanks around them; `trims`: the reader has the option `trim`. */
export function findTextNotes({ fields, columns }: Table, tell: TellPlace, trims: boolean): readonly ReadingNote[] {
  return columns.flatMap((column, at) =>
    column.kind === "string" ? noteColumn(fields[at]?.name ?? "", column.values, tell, trims) : [],
  );
}

/** Folds a text: those that look alike become the same. */
export function foldText(text: string): string {
  const seen = text.replace(UNSEEN_SIGNS, "").replace(UNSEEN_JOINERS, "$1");
  return strip(seen.replace(BLANKS_WITHIN, " "), BLANKS).normalize("NFC");
}

function noteColumn(name: string, texts: Texts, tell: TellPlace, trims: boolean): readonly ReadingNote[] {
  const odd = listOdd(texts);
  if (odd.size === 0) return [];
  const others = findOthers(texts, odd);
  const blank = new Set([...odd.keys()].filter((text) => strip(text, BLANKS) !== text));
  const isTrimmed = [...others].every(([text, other]) => strip(text, BLANKS) === strip(other, BLANKS));
  const notes: ReadingNote[] = [];
  const note = (kind: string, isMet: (text: string) => boolean, hasOption: boolean): void => {
    const rows = texts.flatMap((text, row) => (text !== null && isMet(text) ? [row] : []));
    const [row = 0] = rows;
    const text = texts[row] ?? "";
    const plain = kind === "unseen" ? (odd.get(text) ?? text) : strip(text, BLANKS);
    const [first, other] = showApart(text, others.get(text) ?? plain);
    const facts = { count: String(rows.length), first, place: tell(row + 1) };
    const told = kind === "alike" ? { ...facts, other } : facts;
    notes.push({ kind, columns: [name], facts: hasOption ? { ...told, option: "trim" } : told });
  };
  if (others.size > 0) note("alike", (text) => others.has(text), trims && isTrimmed);
  if ([...blank].some((text) => !others.has(text))) note("blanks", (text) => blank.has(text), trims);
  const told = new Set([...blank, ...others.keys(), ...others.values()]);
  const unseen = new Set(
    [...odd].flatMap(([text, folded]) => (told.has(text) || isMarked(text, folded) ? [] : [text])),
  );
  if (unseen.size > 0) note("unseen", (text) => unseen.has(text), false);
  return notes;
}

/** Whether a text differs from its fold in marks of another script alone, which are written in many orders. */
function isMarked(text: string, folded: string): boolean {
  return text.normalize("NFC") === folded && OTHER_LETTERS.test(text);
}

/** The different texts that are no fold of themselves, in the order in which they come, with their folds. */
function listOdd(texts: Texts): ReadonlyMap<string, string> {
  const odd = new Map<string, string>();
  for (const text of texts) {
    if (text === null || !DOUBTFUL.test(text) || odd.has(text)) continue;
    const folded = foldText(text);
    if (folded !== text) odd.set(text, folded);
  }
  return odd;
}

/** The texts that look like another one, and which: the fold itself if it is in the column, else the first. */
function findOthers(texts: Texts, odd: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folds = new Set(odd.values());
  const first = new Map<string, string>();
  for (const text of texts) if (text !== null && folds.has(text)) first.set(text, text);
  const others = new Map<string, string>();
  for (const [text, folded] of odd) {
    const other = first.get(folded);
    if (other === undefined) first.set(folded, text);
    else others.set(text, other);
  }
  return others;
}

/** Writes two texts that look alike so that they are seen to differ, from a little before where they do. */
function showApart(one: string, other: string): readonly [string, string] {
  const [left, right] = [Array.from(one), Array.from(other)];
  const shorter = Math.min(left.length, right.length);
  const found = left.slice(0, shorter).findIndex((char, at) => char !== right[at]);
  const at = found < 0 ? shorter : found;
  const isLong = Math.max(left.length, right.length) > APART.most && at > 2 * APART.before;
  const start = isLong ? at - APART.before : 0;
  return [writeApart(left, right, start), writeApart(right, left, start)];
}

/** A character that only one of two texts has is written by its number, unless it is of ASCII and printed. */
function writeApart(chars: readonly string[], others: readonly string[], start: number): string {
  const isOwn = (char: string): boolean => !(char >= " " && char <= "~") && !others.includes(char);
  const shown = chars.slice(start).map((char) => (isOwn(char) ? writePoint(char) : char));
  const text = Array.from(`${start > 0 ? "…" : ""}${shown.join("")}`);
  return text.length <= APART.most ? text.join("") : `${text.slice(0, APART.most - 1).join("")}…`;
}

function writePoint(char: string): string {
  const digits = (char.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
}
