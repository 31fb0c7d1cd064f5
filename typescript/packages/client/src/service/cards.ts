/** The cards of outcomes: what was asked and answered, the texts that were hashed, and what they hash to. */

import {
  canonicalText,
  type Card,
  CARD_VERSION,
  findAdvice,
  isOfRows,
  listPlaces,
  MOST_NOTES,
  parseJson,
  type ReadingNote,
} from "@service-nb/records";
import { digestTexts } from "../digests.js";
import { type Result, type UsedRows } from "../engine/result.js";
import { formatAsk } from "../query/ask-format.js";
import { type RefusalTexts } from "../query/question.js";
import { describeQuestion, describeSteps, dropDefaultOrder, writePlanText } from "../query/plan.js";
import { type ResolutionForm } from "../query/outcomes.js";
import { type AskSpec } from "../query/ask-spec.js";
import { type Plan, type Status } from "../query/types.js";
import { type InputForm } from "./registry.js";

/** Bytes that a card may have with its receipt; a text that is longer is in no card. */
export const CARD_BYTES = 64 * 1024;
const CARD_CHARS = 48 * 1024 - 1024; // of the JSON of a card without its receipt, all but ASCII escaped
const SHOWN_ROWS = 20;
const DOMAINS = { provenance: "service:provenance:v1", view: "service:view:v1", rows: "service:rows:v1" } as const;

/** An answer with what is known of how it was made. */
export interface Answered {
  readonly plan: Plan;
  readonly result: Result;
  readonly source: InputForm;
  /** Undefined of a live source, whose count may have changed. */
  readonly sourceRows: number | undefined;
  readonly method: string;
  readonly engine: string;
  readonly used: UsedRows | undefined;
  readonly queryId: string;
  readonly latencyMs: number;
  /** What the reader decided of what was used. */
  readonly readingNotes: readonly ReadingNote[];
}

/** A card, and the hashed texts that a statement names beside those in it. */
export interface Unsigned {
  readonly card: Card;
  readonly texts: Readonly<Record<string, string>>;
  /** What the statement of a computation says beside the card. */
  readonly about?: SignedComputation;
}

/** What is signed of a computation: its columns, what computed it, and the hashes of texts that are kept nowhere. */
export interface SignedComputation {
  readonly bindings: readonly Readonly<Record<string, unknown>>[];
  readonly determinism: Readonly<Record<string, unknown>>;
  readonly contractHash: string;
  readonly subjects: Readonly<Record<string, string>>;
}

/** Builds the card of an answer. */
export function buildAnswerCard(answered: Answered): Unsigned {
  const { plan, result, source } = answered;
  const [planText, provenance] = [writePlanText(plan), writeProvenance(answered)];
  const view = {
    status: "ok",
    question: describeQuestion(plan),
    ask: formatPlan(planText, plan.sourceName),
    columns: listColumns(answered),
    rows: result.texts.slice(0, SHOWN_ROWS),
    row_count: result.rows.length,
    plan: describeSteps(plan, answered.sourceRows),
    source: omit(source, "origin"),
    decision_path: plan.decisionPath,
    method: answered.method,
    engine: answered.engine,
    query_id: answered.queryId,
    latency_ms: answered.latencyMs,
    notes: Object.entries(plan.notes)
      .sort()
      .map(([key, note]) => `${key}: ${note}`),
    ...describeUsed(answered.used),
    ...describeReading(answered.readingNotes),
  };
  const digests = {
    plan_hash: plan.planHash,
    result_hash: result.hash,
    schema_revision: plan.schemaRevision,
    provenance_hash: digestTexts(DOMAINS.provenance, provenance),
  };
  return sealCard("query", { plan: planText, provenance, result: result.text }, digests, view);
}

function writeProvenance(answered: Answered): string {
  const { plan, result, source } = answered;
  return canonicalText({
    columns: listColumns(answered),
    decision_path: plan.decisionPath,
    engine: answered.engine,
    method: answered.method,
    notes: plan.notes,
    row_count: result.rows.length,
    shown_rows: Math.min(SHOWN_ROWS, result.rows.length),
    sources: [source],
    ...describeUsed(answered.used),
    ...describeReading(answered.readingNotes),
  });
}

/** The notes that concern a question which uses these columns, without what they advise at connect. */
export function chooseNotes(notes: readonly ReadingNote[], used: readonly string[]): readonly ReadingNote[] {
  const chosen = notes.filter((note) => isOfRows(note) || note.columns.some((name) => used.includes(name)));
  return chosen.slice(0, MOST_NOTES).map((note) => {
    const { kind, columns, facts = {} } = note;
    const advice = listPlaces(findAdvice(note));
    const kept = Object.entries(facts).filter(([name]) => !advice.includes(name));
    return { kind, columns, ...(kept.length > 0 && { facts: Object.fromEntries(kept) }) };
  });
}

/** What the reader decided, where there is anything. */
export function describeReading(notes: readonly ReadingNote[]): { reading_notes?: readonly ReadingNote[] } {
  return notes.length > 0 ? { reading_notes: notes } : {};
}

/** The rows that were used, as far as they are known. */
export function describeUsed(used: UsedRows | undefined): { used_rows?: number; dropped?: UsedRows["nulls"] } {
  if (used === undefined) return {};
  const { count, nulls } = used;
  return { used_rows: count, ...(Object.keys(nulls).length > 0 && { dropped: nulls }) };
}

function listColumns({ plan, result }: Answered): readonly Record<string, string>[] {
  const [keys, last] = [plan.groupBy.length, result.columns.length - 1];
  return result.columns.map(({ name, type, physical, zone }, at) => {
    const role = at < keys ? "key" : at === last ? "count" : "metric";
    return { name, type, physical, role, ...(zone !== undefined && { zone }) };
  });
}

/** The ask line of a recorded plan; the default order is left out. */
function formatPlan(planText: string, sourceName: string): string {
  const plan = { ...(parseJson(planText, { integers: "exact" }) as Record<string, unknown>) };
  delete plan["schema_revision"];
  return formatAsk({ ...dropDefaultOrder(plan), source_name: sourceName });
}

/** Builds the card of a refusal: refusals are results too. */
export function buildRefusalCard(status: Status, texts: RefusalTexts, form: ResolutionForm): Unsigned {
  const ask = formatAsk(parseJson(texts.spec, { integers: "exact" }) as unknown as AskSpec);
  const view = {
    status,
    question: ask,
    ask,
    reason: form.reason,
    rejection_reason: form.rejection_reason,
    rule: form.rule,
    missing: form.missing,
    did_you_mean: form.did_you_mean,
    candidates: form.candidates,
  };
  const kind = status === "needs_clarification" ? "clarification" : "rejection";
  return sealCard(kind, { spec: texts.spec, resolution: texts.resolution }, { refusal_hash: texts.hash }, view);
}

type View = Readonly<Record<string, unknown>> & { readonly rows?: readonly unknown[] };

/** Cuts a card to the size that cards may have, and hashes what it shows. */
export function sealCard(
  kind: Card["kind"],
  texts: Readonly<Record<string, string>>,
  digests: Readonly<Record<string, string>>,
  view: View,
): Unsigned {
  const [canonical, shown] = fitCard(texts, view);
  const { rows, ...rest } = shown;
  const sealed = {
    ...digests,
    view_hash: digestTexts(DOMAINS.view, canonicalText(rest)),
    ...(rows !== undefined && { rows_hash: digestTexts(DOMAINS.rows, canonicalText(rows)) }),
  };
  return { card: { kind, version: CARD_VERSION, canonical, digests: sealed, receipt: null, view: shown }, texts };
}

/** The result, the arguments and the value leave first, then rows of the view; at last all texts, whose hashes stay. */
function fitCard(
  texts: Readonly<Record<string, string>>,
  view: View,
): readonly [Readonly<Record<string, string>>, View] {
  const fits = (canonical: object, shown: View): boolean =>
    JSON.stringify({ canonical, shown }).replace(/[^\0-\x7f]/g, "\\uffff").length <= CARD_CHARS;
  let kept = texts;
  for (const largest of ["", "result", "arguments", "value"]) {
    kept = omit(kept, largest);
    if (fits(kept, view)) return [kept, view];
  }
  let shown = view;
  while (!fits(kept, shown) && (shown.rows?.length ?? 0) > 0)
    shown = { ...shown, rows: shown.rows?.slice(0, Math.floor(shown.rows.length / 2)) ?? [] };
  return [fits(kept, shown) ? kept : {}, shown];
}

function omit<T extends object>(value: T, name: string): Record<string, T[keyof T]> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
