/** Notes on a reading, what a reader had to decide, in words: as `service_nb.schema.reading_notes` writes them. */

import {
  AS_READ,
  CHANGING,
  MOST_COLUMNS,
  NOTE_ADVICE,
  NOTE_KINDS,
  NOTE_SHORTS,
  NOTES_OF_ROWS,
  UNROUNDED,
} from "./reading-note-kinds.js";

/** What a reader decided: of which columns, and facts as texts. */
export interface ReadingNote {
  readonly kind: string;
  readonly columns: readonly string[];
  readonly facts?: Readonly<Record<string, string>>;
}

interface NoteKind {
  readonly says: string;
  readonly example?: string;
}

const SOURCE = "source"; // a fact that stands before the columns
const PLACES = /\{(\w+)\}/g;

/** The words of a kind; undefined of one that another version has. */
function findNoteKind(name: string): NoteKind | undefined {
  return Object.hasOwn(NOTE_KINDS, name) ? NOTE_KINDS[name as keyof typeof NOTE_KINDS] : undefined;
}

/** The names of the facts that words have places for. */
export function listPlaces(words: string): readonly string[] {
  return Array.from(words.matchAll(PLACES), ([, name]) => name ?? "");
}

/** Options of a reader that read it otherwise, which are told at connect. */
export function findAdvice({ kind }: ReadingNote): string {
  return Object.hasOwn(NOTE_ADVICE, kind) ? NOTE_ADVICE[kind as keyof typeof NOTE_ADVICE] : "";
}

/** Whether a note is of the rows of a source, whichever columns a question uses. */
export function isOfRows({ kind }: ReadingNote): boolean {
  return NOTES_OF_ROWS.some((each) => each === kind);
}

/** The sentence of a note; `show` writes what comes from data. */
export function writeNote(
  { kind, columns, facts = {} }: ReadingNote,
  show: (text: string) => string,
  advice = "",
): string {
  const words = findNoteKind(kind);
  const named = nameColumns(columns, Object.hasOwn(facts, SOURCE) ? facts[SOURCE] : undefined, show);
  if (words === undefined) return `${named}${show(kind)}.`;
  const known = new Map([...Object.entries(facts), ["column", columns[0] ?? ""]]);
  const parts = [words.says, words.example ?? "", advice];
  return `${named}${parts.map((part) => fillIn(part, known, show)).join("")}.`;
}

/** What stands of a note beside the answer of a card. */
export function writeShort({ kind }: ReadingNote, show: (text: string) => string): string {
  return Object.hasOwn(NOTE_SHORTS, kind) ? NOTE_SHORTS[kind as keyof typeof NOTE_SHORTS] : show(kind);
}

/** The notes with the name of their source, for a card of several. */
export function nameSource(notes: readonly ReadingNote[], name: string): readonly ReadingNote[] {
  return notes.map((note) => ({ ...note, facts: { ...note.facts, [SOURCE]: name } }));
}

/** A method that does not say of values that they are those of the texts, where a reader changed some. */
export function qualifyMethod(method: string, notes: readonly ReadingNote[]): string {
  const isChanged = notes.some(({ kind }) => CHANGING.some((each) => each === kind));
  return isChanged ? method.replaceAll(UNROUNDED, AS_READ) : method;
}

function nameColumns(columns: readonly string[], source: string | undefined, show: (text: string) => string): string {
  if (columns.length === 0) return source === undefined ? "" : `${show(source)}: `;
  const before = source === undefined ? "" : `${show(source)}.`;
  const rest = columns.length - MOST_COLUMNS;
  const named = columns
    .slice(0, MOST_COLUMNS)
    .map((name) => before + show(name))
    .join(", ");
  return `${named}${rest > 0 ? ` and ${group(String(rest))} more` : ""}: `;
}

function fillIn(words: string, facts: ReadonlyMap<string, string>, show: (text: string) => string): string {
  if (!listPlaces(words).every((name) => facts.has(name))) return "";
  return words.replace(PLACES, (_, name: string) => {
    const fact = facts.get(name) ?? "";
    return name === "count" && /^[0-9]{1,15}$/.test(fact) ? group(fact) : show(fact);
  });
}

function group(digits: string): string {
  return digits.replace(/^0+(?=[0-9])/, "").replace(/\B(?=(?:[0-9]{3})+$)/g, ",");
}
