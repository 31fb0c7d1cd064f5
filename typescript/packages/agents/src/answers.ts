/** Answers and plans as an agent learns them. */

import { dropDefaultOrder, formatAsk, type PlanResponse, type QueryOutcome } from "@service-nb/client/core";
import { cleanText, cleanTree } from "./cleaning.js";
import { MAX_CELL_CHARS, MAX_DETAIL_CHARS, MAX_NAME_CHARS, MAX_RESULT_CHARS, MAX_ROWS, MAX_STEPS } from "./declared.js";
import { findPeriod } from "./periods.js";
import { type ExplainResult, type QueryResult } from "./results.js";
import { writeSentence } from "./sentences.js";

type Row = readonly (string | null)[];
type Value = null | boolean | string | number;
type Plan = Readonly<Record<string, unknown>>;
/** A column as a card shows it. */
type ResultColumn = NonNullable<QueryResult["columns"]>[number] & { readonly role: "key" | "metric" | "count" };

interface Shown {
  readonly rows: readonly Row[];
  readonly altered: number;
}

/** Describes an answer; undefined of an outcome that has none. */
export function describeAnswer({ data, card, resolution }: QueryOutcome): QueryResult | undefined {
  if (data === undefined) return undefined;
  const columns = (card.view["columns"] ?? []) as readonly ResultColumn[];
  const { rows, altered } = showRows(data.result, columns);
  const { used_rows: usedRows, dropped, notes } = data.provenance as unknown as Provenance;
  const nulls = listNulls(dropped ?? {});
  const period = findPeriod(notes);
  const count = data.row_count;
  const truncated = rows.length < count;
  const ids = { plan_hash: data.plan_hash, result_hash: data.result_hash, card_id: data.query_id };
  const value = findValue(columns, rows, count);
  const sentences = [
    value === undefined ? writeSentence("answered", { row_count: count }) : writeSentence("value", { value }),
    ...(count === 0 || usedRows === 0 ? [writeSentence("empty")] : []),
    ...(truncated ? [writeSentence("truncated", { rows: rows.length, row_count: count })] : []),
    ...(nulls.length > 0 ? [writeSentence("nulls")] : []),
    ...(period === undefined ? [] : [writeSentence("period", period)]),
    ...(altered > 0 ? [writeSentence("altered", { count: altered })] : []),
    writeSentence("hashes", ids),
    writeSentence("card", ids),
  ];
  return {
    status: "ok",
    text: sentences.join(" "),
    ...(truncated && { narrow: writeSentence("narrow") }),
    columns: columns.map(({ name, type }) => ({ name: cleanText(name, MAX_NAME_CHARS), type })),
    rows,
    row_count: count,
    truncated,
    ...(usedRows !== undefined && { used_rows: usedRows }),
    ...(nulls.length > 0 && { nulls }),
    ...(period !== undefined && { period }),
    ...(altered > 0 && { altered_cells: altered }),
    ask: writeLine(resolution.plan),
    ...ids,
  };
}

interface Provenance {
  readonly used_rows?: number;
  readonly dropped?: Readonly<Record<string, number>>;
  readonly notes: Readonly<Record<string, string>>;
}

/** The nulls that each measure leaves out, by the code points of their columns. */
function listNulls(dropped: Readonly<Record<string, number>>): NonNullable<QueryResult["nulls"]> {
  const sorted = Object.entries(dropped).sort(([one], [other]) => compareCodePoints(one, other));
  return sorted.map(([name, rows]) => ({ column: cleanText(name, MAX_NAME_CHARS), rows }));
}

function compareCodePoints(one: string, other: string): number {
  const [ours, theirs] = [Array.from(one), Array.from(other)];
  const at = ours.findIndex((each, place) => each !== theirs[place]);
  if (at < 0) return ours.length - theirs.length;
  return (ours[at]?.codePointAt(0) ?? 0) - (theirs[at]?.codePointAt(0) ?? -1);
}

/** The one value that was asked for, if it is no text of the data: those never stand in the tool's words. */
function findValue(columns: readonly ResultColumn[], rows: readonly Row[], count: number): string | undefined {
  const metrics = columns.flatMap(({ role }, at) => (role === "metric" ? [at] : []));
  const [at, ...others] = metrics.length > 0 ? metrics : [columns.length - 1];
  if (count !== 1 || at === undefined || others.length > 0 || columns.some(({ role }) => role === "key"))
    return undefined;
  return columns[at]?.type === "string" ? undefined : (rows[0]?.[at] ?? undefined);
}

/** Describes the plan of a question that was not run; undefined where it has none. */
export function describeExplained(response: PlanResponse): ExplainResult | undefined {
  if (response.status !== "ok") return undefined;
  const { plan, plan_hash, steps } = response;
  const period = findPeriod((plan["notes"] ?? {}) as Readonly<Record<string, string>>);
  const sentences = [
    writeSentence("explained", { plan_hash }),
    ...(period === undefined ? [] : [writeSentence("period", period)]),
  ];
  return {
    status: "ok",
    text: sentences.join(" "),
    plan: cleanTree(selectAsked(plan), MAX_DETAIL_CHARS) as Plan,
    ask: writeLine(plan),
    steps: steps.slice(0, MAX_STEPS).map((step) => cleanText(step, MAX_DETAIL_CHARS)),
    ...(period !== undefined && { period }),
    plan_hash,
  };
}

const NOT_ASKED = ["version", "schema_revision", "decision_path", "plan_hash", "notes"];

/** The members of a plan that a question has too. */
function selectAsked(plan: Plan): Plan {
  return Object.fromEntries(Object.entries(plan).filter(([key]) => !NOT_ASKED.includes(key)));
}

/** The ask line of a plan; the default order is left out. */
function writeLine(plan: Plan): string {
  return cleanText(formatAsk(dropDefaultOrder(selectAsked(plan))), MAX_DETAIL_CHARS);
}

/** The first rows as exact texts, as many as a model may be sent. */
function showRows(rows: readonly Readonly<Record<string, Value>>[], columns: readonly ResultColumn[]): Shown {
  const shown: Row[] = [];
  let [altered, chars] = [0, 0];
  for (const row of rows.slice(0, MAX_ROWS)) {
    const texts = columns.map(({ name }) => writeExactText(row[name] ?? null));
    const cells = texts.map((text, at) => (text === null ? null : showCell(text, columns[at]?.type === "number")));
    chars += cells.reduce((sum, cell) => sum + Array.from(cell ?? "").length, 0);
    if (chars > MAX_RESULT_CHARS && shown.length > 0) break;
    altered += cells.filter((cell, at) => cell !== texts[at]).length;
    shown.push(cells);
  }
  return { rows: shown, altered };
}

/** The exact text of a value: its canonical JSON, without quotes. */
function writeExactText(value: Value): string | null {
  return value === null ? null : String(value);
}

/** A cell of a row; a number is shown whole or not at all. */
function showCell(text: string, isNumber: boolean): string {
  if (isNumber && text.length > MAX_CELL_CHARS) return writeSentence("number_too_long", { count: text.length });
  return cleanText(text, MAX_CELL_CHARS);
}
