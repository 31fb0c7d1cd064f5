/** Says of a column of text why it is text, and when the order of its letters answers another question than was asked. */

import { type SourceView } from "../source.js";
import { type Field } from "../values/columns.js";
import { type Texts } from "../readers/text-forms.js";
import { describeValue } from "./text.js";
import { BLANK_PATTERN, OPTION_LABELS, ORDER_RULE, ORDERED_SHAPES, TEXT_CAUSES, TEXT_PATTERNS } from "./tables.js";

export type TextKind = keyof typeof TEXT_PATTERNS;

/** What the texts of a column read as, and whether their letters are in the same order. */
export interface TextOrder {
  /** What at least half of them are, of all rows or of all different values; undefined of other texts. */
  readonly readsAs: TextKind | undefined;
  /** That of every value, where the order of letters is that of what they read as: `0000-00-00`. */
  readonly shape: string | undefined;
  /** Whether other texts stand among them. */
  readonly isMixed: boolean;
  /** False where the values are not looked at: the column was declared to be text, or its source is live. */
  readonly isKnown: boolean;
}

/** Why a column of a text file is text: a stable code, and options with which it has another type. */
export interface TextReason {
  readonly code: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export const OTHER_TEXT: TextOrder = { readsAs: undefined, shape: undefined, isMixed: false, isKnown: true };
export const UNKNOWN_ORDER: TextOrder = { ...OTHER_TEXT, isKnown: false };

const KINDS = Object.keys(TEXT_PATTERNS) as readonly TextKind[];
const PATTERNS = KINDS.map((kind) => [kind, new RegExp(TEXT_PATTERNS[kind], "u")] as const);
const BLANK = new RegExp(BLANK_PATTERN, "u");
const ORDERED = new RegExp(ORDERED_SHAPES, "u");

/** Finds what most of the texts of a column are. */
export function findTextOrder(texts: Texts): TextOrder {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
  const found = new Map(KINDS.map((kind) => [kind, { rows: 0, different: 0 }]));
  let [rows, different, fittingRows, fitting] = [0, 0, 0, 0];
  for (const [text, count] of counts) {
    if (BLANK.test(text)) continue;
    rows += count;
    different += 1;
    const kind = found.get(PATTERNS.find(([, pattern]) => pattern.test(text))?.[0] ?? ("" as TextKind));
    if (kind === undefined) continue;
    kind.rows += count;
    kind.different += 1;
    fittingRows += count;
    fitting += 1;
  }
  if (fitting === 0 || (2 * fittingRows < rows && 2 * fitting < different)) return OTHER_TEXT;
  const readsAs = KINDS.reduce((most, kind) => (isMore(found.get(kind), found.get(most)) ? kind : most));
  return { readsAs, shape: findShape(counts.keys()), isMixed: fitting < different, isKnown: true };
}

interface Count {
  readonly rows: number;
  readonly different: number;
}

const NONE: Count = { rows: 0, different: 0 };

function isMore(one = NONE, other = NONE): boolean {
  return one.rows > other.rows || (one.rows === other.rows && one.different > other.different);
}

/** The one shape of all texts, if letters are in order there. */
function findShape(texts: Iterable<string>): string | undefined {
  let shape: string | undefined;
  for (const text of texts) {
    const each = writeShape(text);
    if (shape !== undefined && shape !== each) return undefined;
    shape = each;
  }
  return shape !== undefined && ORDERED.test(shape) ? shape : undefined;
}

/** A text with 0 for each of its digits. */
function writeShape(text: string): string {
  return text.replace(/[0-9]/g, "0");
}

/**
 * Explains why letters are not compared; undefined where they may be. `what` would compare them, with `operands`: where
 * the letters of a column are in order, so are those of a text of the same shape, and of no other.
 */
export function explainOrder(
  column: string,
  { readsAs, shape, isMixed }: TextOrder,
  what: string,
  operands: readonly unknown[] = [],
): string | undefined {
  if (readsAs === undefined) return undefined;
  if (shape !== undefined) {
    const other = operands.find((each) => typeof each !== "string" || writeShape(each) !== shape);
    if (other === undefined) return undefined;
    const told = `${column} is text of the shape ${shape}, and ${describeValue(other)} has another`;
    return `${told}, so ${what} would go letter by letter. Compare it with a text of that shape.`;
  }
  const among = isMixed ? ", among other texts" : "";
  return `${column} is text that reads as ${readsAs}${among}, so ${what} would go letter by letter.`;
}

/** Explains, as sentences behind another one, why a column is text and how it is read; no value of it is told. */
function explainCause(column: string, order: TextOrder, reason: TextReason | undefined, rule = ""): string {
  if (order.shape !== undefined && rule === ORDER_RULE) return "";
  const known = (TEXT_CAUSES as Readonly<Record<string, readonly string[]>>)[reason?.code ?? ""];
  let told = "";
  if (known !== undefined) {
    const [cause = "", way = ""] = known;
    const options = describeOptions(reason?.options ?? {});
    const ways = options === "" ? (way === "" ? "" : ` ${way}`) : ` Read it again with ${options}.`;
    told = ` It was read as text, because ${cause}.${ways}`;
  } else if (order.readsAs !== undefined) told = ` Convert it to ${order.readsAs} before it is connected.`;
  if (rule === ORDER_RULE) told += ` To compare letters, declare it to be text: types ${describeValue(column)}=string.`;
  return told;
}

/** Whether the texts of a column read as numbers or dates, and are the same as these operands by their letters alone. */
export function goesByLetters(source: SourceView, column: Field, operands: readonly unknown[]): boolean {
  if (!operands.some((each) => typeof each === "string" && /[0-9]/.test(each))) return false; // no text that reads so
  const order = findOrder(source, column);
  return order !== undefined && explainOrder(column.name, order, "", operands) !== undefined;
}

/** What the texts of a column read as; undefined of one that is none of text. */
export function findOrder({ findTextOrder }: SourceView, { name, type }: Field): TextOrder | undefined {
  return type === "string" ? (findTextOrder?.(name) ?? OTHER_TEXT) : undefined;
}

/** The words of a refusal of a column of the wrong type, and what stands beside them; undefined of one of no text. */
export function explainType(
  source: SourceView,
  column: Field,
  reason: string,
  rule: string,
): ExplainedType | undefined {
  const order = findOrder(source, column);
  if (order === undefined) return undefined;
  const cause = source.findTextReason?.(column.name);
  return { reason: reason + explainCause(column.name, order, cause, rule), how: { column: column.name, cause } };
}

export interface ExplainedType {
  readonly reason: string;
  readonly how: { readonly column: string; readonly cause: TextReason | undefined };
}

/** Reading options in words that no language owns; what stands for null is not told. */
function describeOptions(options: Readonly<Record<string, unknown>>): string {
  const labels = Object.entries(OPTION_LABELS).filter(([key]) => key in options);
  const told = [
    ...labels.map(([key, label]) => `${label} ${describeValue(options[key])}`),
    ...("nulls" in options ? ["its nulls named"] : []),
    ...["percent", "trim"].filter((key) => key in options),
  ];
  const last = told.pop() ?? "";
  return told.length === 0 ? last : `${told.join(", ")} and ${last}`;
}
