import type { AnswerProvenance } from "@service-nb/records";
import { type Derived, WORDS } from "./comparing.js";
import { compareTexts } from "./order.js";

/** A row as exact texts, in the order of the columns. */
export type Row = readonly (string | null)[];

/** What every view of an answer shows of its provenance and its rows. */
export function answerLeaves(
  how: AnswerProvenance,
  source: AnswerProvenance["sources"][number],
  rows: readonly Row[],
): Derived["leaves"] {
  const { columns, decision_path, engine, method, row_count, used_rows, dropped, reading_notes } = how;
  return {
    status: "ok",
    columns,
    rows: rows.slice(0, how.shown_rows),
    row_count,
    source: without(source, "origin"),
    decision_path,
    method,
    engine,
    query_id: WORDS,
    latency_ms: WORDS,
    notes: Object.keys(how.notes)
      .sort(compareTexts)
      .map((name) => `${name}: ${how.notes[name] ?? ""}`),
    ...(used_rows === undefined ? {} : { used_rows }),
    ...(dropped === undefined ? {} : { dropped }),
    ...(reading_notes === undefined ? {} : { reading_notes }),
  };
}

export function without<T extends object, K extends keyof T & string>(value: T, key: K): Omit<T, K> {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== key)) as Omit<T, K>;
}
