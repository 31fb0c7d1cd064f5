/** What a reader types to see fewer rows: a part of a text, or a relation such as `> 100`, compared exactly. */

import type { Head, Rows } from "../blocks.js";
import { compareParts, partsOf, type Odd, type Parts } from "../number.js";
import { told, type Say } from "./words.js";

/** A mark for each row that is shown, or in words why the filter is none. */
export type Filtered =
  { readonly kind: "rows"; readonly rows: Uint8Array } | { readonly kind: "invalid"; readonly why: string };

type Relation = "<" | "<=" | "=" | "!=" | ">=" | ">";

const RELATION = /^(<=|>=|!=|<>|==|[=<>≤≥≠])\s*(.*)$/su;
const RELATIONS: Readonly<Record<string, Relation>> = {
  "<": "<",
  "<=": "<=",
  "≤": "<=",
  "=": "=",
  "==": "=",
  "!=": "!=",
  "<>": "!=",
  "≠": "!=",
  ">=": ">=",
  "≥": ">=",
  ">": ">",
};
const QUOTED = /^"(.*)"$/su;
const GROUPED = /^(-?[0-9]{1,3})((?:,[0-9]{3})+)(?=[.eE]|$)/;

/** Apply a filter to the rows of a table, in one column or in any. */
export function filterRows(
  heads: readonly Head[],
  rows: Rows,
  text: string,
  column: number | null,
  say: Say,
): Filtered {
  const asked = text.trim();
  const columns = column === null ? Array.from(heads.keys()) : [column];
  const relation = RELATION.exec(asked);
  if (relation === null) return kept(rows, columns, containing(rows, columns, QUOTED.exec(asked)?.[1] ?? asked));
  const [, sign = "", operand = ""] = relation;
  const numeric = columns.filter((index) => heads[index]?.type === "number");
  if (numeric.length === 0) return invalid(told(say, "%1 compares numbers, and there are none here", sign), say);
  if (operand === "") return invalid(told(say, "after %1 comes a number, as in %1 100", sign), say);
  const bound = partsOf(plain(operand));
  if (bound === null) return invalid(told(say, "“%1” is not a number", operand), say);
  return kept(rows, numeric, related(rows, RELATIONS[sign] ?? "=", bound));
}

type Test = (row: number, column: number) => boolean;

function kept({ size }: Rows, columns: readonly number[], test: Test): Filtered {
  const rows = new Uint8Array(size);
  for (let row = 0; row < size; row += 1) {
    if (columns.some((column) => test(row, column))) rows[row] = 1;
  }
  return { kind: "rows", rows };
}

function invalid(why: string, say: Say): Filtered {
  return { kind: "invalid", why: told(say, "Not filtered: %1. For these signs themselves, use quotes.", why) };
}

const haystacks = new WeakMap<Rows, Map<number, readonly string[]>>();

/** What is looked through for a part of a text, in each cell of a column; written once for the letters that are typed. */
function haystack(rows: Rows, column: number): readonly string[] {
  const known = haystacks.get(rows) ?? new Map<number, readonly string[]>();
  haystacks.set(rows, known);
  const found = known.get(column);
  if (found !== undefined) return found;
  const cells = Array.from({ length: rows.size }, (_, row) => {
    const [exact, shown] = [rows.exact(row, column) ?? "", rows.shown(row, column)];
    // Digits are found with and without the separators that are shown among them.
    return (exact === shown ? exact : `${exact}\0${shown}`).toLowerCase();
  });
  known.set(column, cells);
  return cells;
}

function containing(rows: Rows, columns: readonly number[], part: string): Test {
  const wanted = part.toLowerCase();
  const texts = new Map(columns.map((column) => [column, haystack(rows, column)]));
  return (row, column) => texts.get(column)?.[row]?.includes(wanted) ?? false;
}

function related(rows: Rows, relation: Relation, bound: Parts | Odd): Test {
  return (row, column) => {
    const parts = partsOf(rows.exact(row, column) ?? "");
    return parts !== null && holds(relation, parts, bound);
  };
}

/** NaN is equal to NaN, that it can be looked for, and neither above nor below any number. */
function holds(relation: Relation, parts: Parts | Odd, bound: Parts | Odd): boolean {
  const order = compareParts(parts, bound);
  if (relation === "=") return order === 0;
  if (relation === "!=") return order !== 0;
  if (isNaNumber(parts) || isNaNumber(bound)) return false;
  if (order === 0) return relation === "<=" || relation === ">=";
  return order < 0 ? relation.startsWith("<") : relation.startsWith(">");
}

function isNaNumber(number: Parts | Odd): boolean {
  return number.kind === "odd" && number.rank === 2;
}

/** A number as people type it: with thousands separated, with a plus, without a zero before the point. */
function plain(operand: string): string {
  const signed = operand.replace(/^[−-]\s*/u, "-").replace(/^\+/, "");
  return signed.replace(GROUPED, (grouped) => grouped.replaceAll(",", "")).replace(/^(-?)\./, "$10.");
}
