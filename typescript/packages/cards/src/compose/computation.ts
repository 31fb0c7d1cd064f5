import { type Card, ShapeError } from "@service-nb/records";
import type { Block, Fact, Head, Recorded, Rows as TableRows, Table } from "../blocks.js";
import { type ColumnDigits, type Digits, digitsOf, EXACT, rounded } from "../digits.js";
import { everyDigit, exactFacts, exactTexts } from "./exact.js";
import { resultId } from "../identity.js";
import { CELL_WIDTH, clip, count, duration, isNumber, lines, separated, whole, word } from "../format.js";
import { code, fact, sentence, text } from "./facts.js";
import { composed, type Parts, titled } from "./parts.js";
import { proof } from "./proof.js";
import {
  countAt,
  type Members,
  membersAt,
  numberAt,
  objectsAt,
  optionalText,
  rowsAt,
  textAt,
  textsAt,
  wholeTextAt,
} from "./read.js";
import { readingFacts, shortNotes } from "./reading.js";
import { binding, boundRows, run, where } from "./run.js";

const FIGURE_WIDTH = 96; // a longer single value is cut; the exact text stays in the canonical value

const MOST_CELLS = 100_000; // of a matrix; those that are made show a hundred

type Rows = readonly (readonly string[])[];

/** What is said of a computation: what it is, its value with its unit, a line of status, formula, details. */
export function composeComputation(card: Card, digits: Digits): Block[] {
  const { view } = card;
  return composed(card, {
    title: () => titled(titleOf(view), clip(textAt(view, "question"), FIGURE_WIDTH)),
    blocks: [() => [value(card, digits)]],
    status: { tone: "answered", label: "Computed", note: () => effort(view) },
    folded: () => formula(optionalText(view, "formula"), optionalText(view, "latex")),
    facts: [() => exactFacts(value(card, digits)), ...facts(card)],
  });
}

function titleOf(view: Members): string {
  return textAt(view, "summary").replace(/\.$/, "") + where(objectsAt(view, "bindings"));
}

function effort(view: Members): string {
  const envelope = membersAt(view, "determinism");
  const how = Object.hasOwn(envelope, "seed") ? `Seed ${wholeTextAt(envelope, "seed")}` : textAt(view, "tier");
  const told = [...boundRows(objectsAt(view, "bindings")), ...shortNotes(view)];
  return [...told, how, duration(numberAt(view, "latency_ms"))].join(" · ");
}

function value(card: Card, digits: Digits): Block {
  const { view } = card;
  const columns = textsAt(view, "columns");
  const rows = exactRows(view);
  const [first] = rows;
  if (first === undefined) return sentence(noItems(countAt(view, "row_count")), "message");
  if (columns.join() === "value,unit,about") return figure(first, digits);
  const titles = columns.length > 0 ? columns : matrixTitles(rows);
  // Short rows are filled up, so a few long ones among many would cost more than was sent.
  if (titles.length * rows.length > MOST_CELLS) throw new ShapeError("rows", "a matrix that a page can show");
  const exact = rows.map((row) => titles.map((_, at) => row[at] ?? null));
  const rules = titles.map((_, at) =>
    digitsOf(
      exact.map((row) => row[at] ?? null),
      digits,
    ),
  );
  const heads = titles.map((title, at) => head(title, columns, isPoint(rows, at), rules[at] ?? EXACT));
  // Each field of a record is a quantity of its own.
  const isRecord = columns[0] === "name";
  const short = exact.map((row) =>
    row.map((each, at) => {
      return each === null ? null : rounded(each, isRecord ? digitsOf([each], digits) : (rules[at] ?? EXACT));
    }),
  );
  const shown = cellsOf(short);
  const table: Table = {
    block: "table",
    heads,
    rows: shown,
    exact,
    caption: caption(card, rows.length),
    total: countAt(view, "row_count"),
    isRounded: short.some((row, at) => row.some((each, column) => each !== exact[at]?.[column])),
    ...everyDigit(shown, cellsOf(exact)),
  };
  return columns.join() === "item,value" ? { ...table, recorded: recorded(card, table.heads) } : table;
}

function cellsOf(rows: Table["exact"]): Table["rows"] {
  return rows.map((row) => row.map((each) => (each === null ? "" : cellOf(each))));
}

/** The hashed text of an array, whether the card holds it or not. */
function recorded(card: Card, heads: readonly Head[]): Recorded {
  const { computation_hash: hash = "", invocation_hash: after = "" } = card.digests;
  return {
    name: "value",
    hash,
    after,
    text: card.canonical.value,
    id: () => resultId(card),
    read: (given) => readItems(given, heads),
  };
}

/** The items of an array's text as rows, with their numbers. */
function readItems(text: string, heads: readonly Head[]): TableRows | null {
  const items = exactTexts(text);
  if (items === null) return null;
  const exact = (row: number, column: number): string | null => (column === 0 ? String(row) : (items[row] ?? null));
  const shown = (row: number, column: number): string =>
    cellOf(rounded(exact(row, column) ?? "", heads[column]?.digits ?? EXACT));
  return { size: items.length, exact, shown };
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

function figure(row: readonly string[], digits: Digits): Block {
  const [exact = "", unit = "", about = ""] = row;
  if (row.length !== 3) throw new ShapeError("rows", "a value, its unit and what it is");
  const said = [unitInWords(unit), about].filter((part) => part !== "");
  const short = rounded(exact, digitsOf([exact], digits));
  const value = clip(isNumber(exact) ? separated(short) : word(exact), FIGURE_WIDTH);
  const isCut = isNumber(exact) && value !== separated(exact);
  return { block: "figure", value, caption: said.join(" · "), exact, isCut, isRounded: short !== exact };
}

/** A unit in words; a unit variable such as `?u` is whatever the arguments are in. */
function unitInWords(unit: string): string {
  if (unit === "1") return "without unit";
  return /^\?\p{L}+$/u.test(unit) ? "in the unit of the arguments" : unit;
}

function matrixTitles(rows: Rows): readonly string[] {
  return Array.from({ length: rows.reduce((most, row) => Math.max(most, row.length), 0) }, (_, at) => String(at));
}

function head(title: string, columns: readonly string[], isNumeric: boolean, digits: ColumnDigits): Head {
  const role = columns.join() === "item,value" ? (title === "item" ? "key" : "metric") : "other";
  return {
    text: title,
    name: title,
    aligned: isNumeric ? "point" : "left",
    type: isNumeric ? "number" : "string",
    role,
    digits,
  };
}

function cellOf(short: string): string {
  return isNumber(short) && short.length <= CELL_WIDTH ? short : clip(word(short), CELL_WIDTH);
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
  return said || latex ? [{ block: "formula", text: said, latex }] : [];
}

function facts(card: Card): Parts["facts"] {
  const { view } = card;
  return [
    () => [fact("call", [code(textAt(view, "question"))])],
    () => formulaFact(optionalText(view, "formula"), optionalText(view, "latex")),
    () => [fact("source", [text(textAt(view, "citation"))])],
    () => [fact("tier", [text(`${textAt(view, "tier")}: ${textAt(view, "promise")}`)])],
    () => (view["grade"] ? [fact("grade", [text(textAt(view, "grade"))])] : []),
    () => objectsAt(view, "bindings").map((each) => fact("columns", ...binding(each))),
    () => readingFacts(view),
    () => [fact("run", ...run(view))],
    () => proof(card),
  ];
}

function formulaFact(said: string, latex: string): readonly Fact[] {
  return said && latex ? [fact("formula", ...lines(said).map((line) => [code(line)]))] : [];
}
