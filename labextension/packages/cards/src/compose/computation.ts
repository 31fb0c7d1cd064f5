import { type Card, ShapeError } from "@service-nb/records";
import type { Block, Fact, Head, Table } from "../blocks.js";
import { exactTexts } from "./exact.js";
import { CELL_WIDTH, clip, count, duration, isNumber, lines, separated, whole, word } from "../format.js";
import { fact, sentence, text } from "./facts.js";
import { composed, type Parts } from "./parts.js";
import { proof } from "./proof.js";
import { countAt, type Members, numberAt, objectsAt, optionalText, rowsAt, textAt, textsAt } from "./read.js";
import { binding, run } from "./run.js";

const FIGURE_WIDTH = 96; // a longer single value is cut; the exact text stays in the canonical value

const MOST_CELLS = 100_000; // of a matrix; those that are made show a hundred

type Rows = readonly (readonly string[])[];

/** What is said of a computation: status, value with its unit, call, formula, details. */
export function composeComputation(card: Card): Block[] {
  const { view } = card;
  return composed(card, {
    status: { tone: "answered", label: "Computed", note: () => effort(view) },
    blocks: [
      () => [value(card)],
      () => [sentence(textAt(view, "question"), "question")],
      () => formula(optionalText(view, "formula"), optionalText(view, "latex")),
    ],
    facts: facts(card),
  });
}

function effort(view: Members): string {
  return `${textAt(view, "call")} · ${textAt(view, "tier")} in ${duration(numberAt(view, "latency_ms"))}`;
}

function value(card: Card): Block {
  const { view } = card;
  const columns = textsAt(view, "columns");
  const rows = exactRows(view);
  const [first] = rows;
  if (first === undefined) return sentence(noItems(countAt(view, "row_count")), "message");
  if (columns.join() === "value,unit,about") return figure(first);
  const titles = columns.length > 0 ? columns : matrixTitles(rows);
  // Short rows are filled up, so a few long ones among many would cost more than was sent.
  if (titles.length * rows.length > MOST_CELLS) throw new ShapeError("rows", "a matrix that a page can show");
  const exact = rows.map((row) => titles.map((_, at) => row[at] ?? null));
  const table: Table = {
    block: "table",
    heads: titles.map((title, at) => head(title, columns, isPoint(rows, at))),
    rows: exact.map((row) => row.map((each) => (each === null ? "" : cellOf(each)))),
    exact,
    caption: caption(card, rows.length),
    total: countAt(view, "row_count"),
  };
  const text = card.canonical.value;
  const isArray = columns.join() === "item,value";
  return isArray && text !== undefined ? { ...table, all: () => allOf(table, text) } : table;
}

/** A table with all items of an array. */
function allOf(table: Table, text: string): Table | null {
  const items = exactTexts(text);
  if (items === null) return null;
  const exact = items.map((item, at) => [String(at), item]);
  return { ...table, exact, rows: exact.map((row) => row.map((each) => cellOf(each ?? ""))) };
}

/** Why nothing is shown: there is nothing, or it was taken out of the card. */
function noItems(total: number): string {
  if (total === 0) return "Nothing to show: the value has no items.";
  return `Values are not kept in this card: ${count(total, "item")}. The hash below stands for them.`;
}

function exactRows(view: Members): Rows {
  return rowsAt(view, "rows").map((row) =>
    row.map((each) => {
      if (each === null) throw new ShapeError("rows", "rows of texts");
      return each;
    }),
  );
}

function figure(row: readonly string[]): Block {
  const [exact = "", unit = "", about = ""] = row;
  if (row.length !== 3) throw new ShapeError("rows", "a value, its unit and what it is");
  const said = [unitInWords(unit), about].filter((part) => part !== "");
  const shown = isNumber(exact) ? separated(exact) : word(exact);
  return { block: "figure", value: clip(shown, FIGURE_WIDTH), caption: said.join(" · "), exact };
}

/** A unit in words; a unit variable such as `?u` is whatever the arguments are in. */
function unitInWords(unit: string): string {
  if (unit === "1") return "without unit";
  return /^\?\p{L}+$/u.test(unit) ? "in the unit of the arguments" : unit;
}

function matrixTitles(rows: Rows): readonly string[] {
  return Array.from({ length: rows.reduce((most, row) => Math.max(most, row.length), 0) }, (_, at) => String(at));
}

function head(title: string, columns: readonly string[], isNumeric: boolean): Head {
  const role = columns.join() === "item,value" ? (title === "item" ? "key" : "metric") : "other";
  return {
    text: title,
    name: title,
    aligned: isNumeric ? "point" : "left",
    type: isNumeric ? "number" : "string",
    role,
  };
}

function cellOf(exact: string): string {
  return isNumber(exact) && exact.length <= CELL_WIDTH ? exact : clip(word(exact), CELL_WIDTH);
}

function isPoint(rows: Rows, at: number): boolean {
  return rows.every((row) => isNumber(row[at] ?? "0"));
}

function caption(card: Card, shown: number): string {
  const total = countAt(card.view, "row_count");
  const said = shown >= total ? count(total, "item") : `First ${whole(shown)} of ${count(total, "item")}`;
  return card.canonical.value === undefined ? `${said} · the whole value is kept by its hash only` : said;
}

function formula(said: string, latex: string): readonly Block[] {
  return said === "" && latex === "" ? [] : [{ block: "formula", text: said, latex }];
}

function facts(card: Card): Parts["facts"] {
  const { view } = card;
  return [
    () => [fact("meaning", [text(textAt(view, "summary"))])],
    () => formulaFact(optionalText(view, "formula"), optionalText(view, "latex")),
    () => [fact("source", [text(textAt(view, "citation"))])],
    () => [fact("tier", [text(`${textAt(view, "tier")}: ${textAt(view, "promise")}`)])],
    () => objectsAt(view, "bindings").map((each) => fact("columns", ...binding(each))),
    () => [fact("run", ...run(view))],
    () => proof(card),
  ];
}

function formulaFact(said: string, latex: string): readonly Fact[] {
  if (said === "" || latex === "") return [];
  return [fact("formula", ...lines(said).map((line) => [{ text: line, kind: "code" } as const]))];
}
