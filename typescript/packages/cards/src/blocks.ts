/** What a face is made of, as `service_nb/cards/blocks.py` has it; the words are the same in both languages. */

import type { ColumnDigits } from "./digits.js";

export type Tone = "answered" | "unclear" | "rejected" | "error" | "source" | "verified";

export interface Span {
  readonly text: string;
  readonly kind: "text" | "code" | "digest";
}

/** The first line: the question in words, or what a page is about. Only a verdict has a sign before it. */
export interface Title {
  readonly block: "title";
  readonly text: string;
  readonly note: string;
  readonly tone: Tone;
}

/** A quiet line below the answer; details follow it. */
export interface Status {
  readonly block: "status";
  readonly tone: Tone;
  readonly label: string;
  readonly note: string;
}

export interface Figure {
  readonly block: "figure";
  readonly value: string;
  readonly caption: string;
  readonly exact: string; // what is copied: the text of the value, neither rounded nor separated
  readonly isCut: boolean; // whether a number is shown without some of its digits
  readonly isRounded: boolean; // whether this number, or one beside it, is shown rounded
}

/** A column. `exact` cells sort and are copied; shown cells are read. */
export interface Head {
  readonly text: string; // as shown
  readonly name: string; // as the result has it, which is copied
  readonly aligned: "left" | "point";
  readonly type: string; // number, string, date, …
  readonly role: "key" | "metric" | "count" | "other";
  readonly digits: ColumnDigits; // how its numbers are rounded for reading
}

export interface Table {
  readonly block: "table";
  readonly heads: readonly Head[];
  readonly rows: readonly (readonly string[])[]; // as shown
  readonly exact: readonly (readonly (string | null)[])[]; // the same cells as the result has them
  readonly caption: string;
  readonly isRounded?: boolean; // whether a number is shown rounded
  /** The shown rows with every digit, where one is left out, for a face that folds them. */
  readonly everyDigit?: readonly (readonly string[])[];
  /** How many rows the answer has, where that is not said by the rows: these may be a part of it. */
  readonly total?: number;
  /** The hashed text that all rows are in, where there is one. */
  readonly recorded?: Recorded;
}

/** Rows whose cells are written out when they are asked for. */
export interface Rows {
  readonly size: number;
  readonly exact: (row: number, column: number) => string | null;
  readonly shown: (row: number, column: number) => string;
}

/** A hashed text of an outcome: held by its card or, by the id of the outcome, by whoever recorded it. */
export interface HashedText {
  readonly name: "result" | "value";
  readonly hash: string; // as the card states it
  readonly after: string; // the hash that goes before the text
}

/** The hashed text of a table, and how its rows are read. */
export interface Recorded extends HashedText {
  /** As the card holds it. */
  readonly text: string | undefined;
  readonly id: () => string | undefined;
  /** The rows of a text; null where it is none of rows. */
  readonly read: (text: string) => Rows | null;
}

export interface Sentence {
  readonly block: "sentence";
  readonly text: string;
  readonly role: "question" | "message" | "hint";
}

export interface Formula {
  readonly block: "formula";
  readonly text: string;
  readonly latex: string;
}

export interface Command {
  readonly line: string;
  readonly note: string;
}

/** The heading of lines that lead on, each of which runs as it stands. */
export const WAYS_ON = "Run one of these";

export interface Commands {
  readonly block: "commands";
  readonly title: string;
  readonly commands: readonly Command[];
}

export interface Fact {
  readonly label: string;
  readonly lines: readonly (readonly Span[])[];
  readonly isSteps: boolean;
}

export interface Facts {
  readonly block: "facts";
  readonly facts: readonly Fact[];
}

export type Block = Title | Status | Figure | Table | Sentence | Formula | Commands | Facts;
