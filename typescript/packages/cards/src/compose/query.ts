import { type Card, isObject, LETTERS_NOTE, own, ShapeError } from "@service-nb/records";
import type { Block, Fact, Figure, Head, Recorded, Rows, Span, Table } from "../blocks.js";
import { type ColumnDigits, type Digits, digitsOf, displayCell, EXACT, keyDigitsOf, rounded } from "../digits.js";
import { CELL_WIDTH, clip, count, duration, isNumber, NULL, separated, whole, word } from "../format.js";
import { resultId } from "../identity.js";
import { distribution } from "./distribution.js";
import { everyDigit, exactFacts, exactText, isRounded, listIn } from "./exact.js";
import { code, digest, fact, noted, sentence, steps, text } from "./facts.js";
import { headsOf, nameHead } from "./heads.js";
import { proof } from "./proof.js";
import { readingFacts, shortNotes } from "./reading.js";
import { askLine, composed, type Parts, QUESTION_LABEL, titled } from "./parts.js";
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
} from "./read.js";

const PATHS: Readonly<Record<string, string>> = {
  exact_spec: "every name is written as in the source",
  normalized_name: "a name was matched without regard to case and separators",
  alias: "a name is a declared alias",
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly physical?: string;
  readonly role: Head["role"];
  readonly zone?: string | undefined;
}

type Cells = readonly (string | null)[];

/** What is said of an answered question: the question, the answer, a line of status, details. */
export function composeQuery(card: Card, digits: Digits): Block[] {
  const { view } = card;
  return composed(card, {
    title: () => titled(textAt(view, "question")),
    blocks: [() => [answer(card, digits)]],
    status: { tone: "answered", label: "Answered", note: () => effort(view) },
    facts: [() => exactFacts(answer(card, digits)), ...facts(card)],
  });
}

function effort(view: Members): string {
  const told = [...letters(view), ...usedRows(view), ...shortNotes(view)];
  return [...told, duration(numberAt(view, "latency_ms"))].join(" · ");
}

/** The note that says of which columns the letters were compared, if it is there. */
function letters(view: Members): readonly string[] {
  const found = textsAt(view, "notes").filter((note) => note.startsWith(LETTERS_NOTE));
  return found.map((note) => clip(word(note), CELL_WIDTH));
}

const MOST_DROPPED = 3; // columns whose nulls are told

/** How many of the rows that there are were used, and the nulls that were left out of them. */
function usedRows(view: Members): readonly string[] {
  const source = membersAt(view, "source");
  const dropped = Object.hasOwn(view, "dropped") ? membersAt(view, "dropped") : {};
  const told = Object.keys(dropped)
    .sort()
    .map((name) => `${count(countAt(dropped, name), "null")} in ${clip(word(name), CELL_WIDTH)} left out`);
  const rest = told.length - MOST_DROPPED;
  return [
    usedOf(view, source),
    ...told.slice(0, MOST_DROPPED),
    ...(rest > 0 ? [`nulls in ${whole(rest)} more left out`] : []),
  ];
}

function usedOf(view: Members, source: Members): string {
  const name = word(textAt(source, "name"));
  // How many rows a live source has now, nobody knows.
  const total = isLive(source) ? undefined : countAt(source, "row_count");
  if (!Object.hasOwn(view, "used_rows")) return `${total === undefined ? "live data" : count(total)} of ${name}`;
  const used = countAt(view, "used_rows");
  if (total === undefined) return `${count(used)} of ${name}, live`;
  return `${used === total ? count(total) : `${whole(used)} of ${count(total)}`} of ${name}`;
}

function answer(card: Card, digits: Digits): Block {
  const { view } = card;
  const columns = objectsAt(view, "columns").map(column);
  const rows = rowsAt(view, "rows");
  const total = countAt(view, "row_count");
  const names = headsOf(card, columns);
  if (rows.length === 0) return sentence(total === 0 ? NO_ROWS : withheld(names, total), "message");
  if (rows.some((row) => row.length !== columns.length)) throw new ShapeError("rows", "as wide as the columns");
  const table = { ...tableOfRows(columns, rows, total, { digits, names }), caption: caption(card, rows, total) };
  const [first = [], ...others] = table.rows;
  if (total === 1 && others.length === 0 && !columns.some(({ role }) => role === "key")) {
    return figure(table, first, names);
  }
  return { ...table, recorded: recorded(card, columns, table.heads, digits) };
}

/** The hashed text of the rows, whether the card holds it or not. */
function recorded(card: Card, columns: readonly Column[], heads: readonly Head[], digits: Digits): Recorded {
  const { result_hash: hash = "", plan_hash: after = "" } = card.digests;
  return {
    name: "result",
    hash,
    after,
    text: card.canonical.result,
    id: () => resultId(card),
    read: (text) => readRows(text, columns, heads, digits),
  };
}

/** The rows of an answer, or the first of them, as a table without words; by default columns are called by their names. */
export function tableOfRows(
  columns: readonly Column[],
  exact: readonly Cells[],
  total: number,
  { digits, names = columns.map(nameHead) }: { readonly digits?: Digits; readonly names?: readonly string[] } = {},
): Table {
  const rules = columns.map(({ role }, at) => {
    const cells = exact.map((row) => row[at] ?? null);
    return role === "key" ? keyDigitsOf(cells, digits) : digitsOf(cells, digits);
  });
  const heads = columns.map((column, at) => head(column, names[at] ?? "", rules[at] ?? EXACT));
  const rows = rowsOf(columns, heads, exact, { digits });
  const hasRoundedEnd = exact.some((row) => columns.some((_, at) => hasRoundedExtreme(columns, at, row, digits)));
  const table: Table = {
    block: "table",
    heads,
    rows,
    exact,
    caption: "",
    total,
    isRounded: isRounded({ heads, exact }) || hasRoundedEnd,
  };
  return { ...table, ...everyDigit(rows, rowsOf(columns, heads, exact, { digits: "exact", forced: EXACT })) };
}

function rowsOf(
  columns: readonly Column[],
  heads: readonly Head[],
  exact: readonly Cells[],
  rounding: Rounding,
): readonly (readonly string[])[] {
  return exact.map((row) =>
    heads.map((head, at) => shownCell(columns, head, at, (each) => row[each] ?? null, rounding)),
  );
}

/** The digits that were asked for; `forced` replaces the rules of the columns that follow from them. */
interface Rounding {
  readonly digits: Digits;
  readonly forced?: ColumnDigits;
}

/** Whether a cell of a profile is an extreme of a column of numbers that is shown rounded. */
function hasRoundedExtreme(columns: readonly Column[], at: number, row: Cells, digits: Digits): boolean {
  const [value, column] = [row[at] ?? null, columns[at]];
  if (value === null || column === undefined) return false;
  return (
    isNumericExtreme(columns, column, (each) => row[each] ?? null) &&
    rounded(value, digitsOf([value], digits)) !== value
  );
}

/** A cell as a table shows it; `exact` gives the cells of its row. */
function shownCell(
  columns: readonly Column[],
  head: Head,
  at: number,
  exact: (at: number) => string | null,
  { digits, forced }: Rounding,
): string {
  const [value, column] = [exact(at), columns[at]];
  if (value === null || column === undefined) return displayCell(value, head);
  if (column.physical === "counts") return clip(distribution(value), CELL_WIDTH);
  const isNumeric = isNumericExtreme(columns, column, exact);
  if (isNumeric) return displayCell(value, { ...head, type: "number", digits: forced ?? digitsOf([value], digits) });
  return displayCell(value, forced === undefined ? head : { ...head, digits: forced });
}

/** Whether a cell of a profile is the least or the largest value of a column of numbers. */
function isNumericExtreme(columns: readonly Column[], { name }: Column, exact: (at: number) => string | null): boolean {
  const isProfile = columns.some(({ physical }) => physical === "counts"); // nothing else has distributions
  if (!isProfile || (name !== "minimum" && name !== "maximum")) return false;
  return exact(columns.findIndex((each) => each.name === "type")) === "number";
}

/** The rows of a result's text, whose cells are written when they are asked for. */
function readRows(text: string, columns: readonly Column[], heads: readonly Head[], digits: Digits): Rows | null {
  const rows = listIn(text);
  const isRow = (row: unknown): boolean => isObject(row) && columns.every(({ name }) => Object.hasOwn(row, name));
  if (rows?.every(isRow) !== true) return null;
  const exact = (row: number, at: number): string | null => {
    const [cells, column] = [rows[row], columns[at]];
    return isObject(cells) && column !== undefined ? exactText(own(cells, column.name)) : null;
  };
  const shown = (row: number, at: number): string => {
    const head = heads[at];
    return head === undefined ? "" : shownCell(columns, head, at, (each) => exact(row, each), { digits });
  };
  return { size: rows.length, exact, shown };
}

const NO_ROWS = "Nothing to show: the result has no rows.";

function column(value: Members): Column {
  const role = textAt(value, "role");
  if (role !== "key" && role !== "metric" && role !== "count") throw new ShapeError("role", "that of a column");
  const [physical, zone] = [optionalText(value, "physical"), optionalText(value, "zone")];
  return { name: textAt(value, "name"), type: textAt(value, "type"), physical, role, zone };
}

function withheld(names: readonly string[], total: number): string {
  return `Values are not kept in this card: ${count(total)} of ${names.join(", ")}. The hash below stands for them.`;
}

function figure(table: Table, shown: readonly string[], names: readonly string[]): Figure {
  const metric = Math.max(
    table.heads.findIndex(({ role }) => role === "metric"),
    0,
  );
  const exact = table.exact[0]?.[metric] ?? "";
  const isNumeric = table.heads[metric]?.type === "number" && isNumber(exact);
  const others = names.flatMap((name, at) => (at === metric ? [] : [`${name} ${shown[at] ?? ""}`]));
  return {
    block: "figure",
    value: shown[metric] ?? "",
    caption: [names[metric] ?? "", ...others].join(" · ") + nullLegend([shown]),
    exact,
    isCut: isNumeric && shown[metric] !== separated(exact),
    isRounded: table.isRounded === true,
  };
}

function head({ name, type, role }: Column, text: string, digits: ColumnDigits): Head {
  const aligned = type === "number" ? "point" : "left";
  return { text: clip(text, CELL_WIDTH), name, aligned, type, role, digits };
}

function caption(card: Card, rows: readonly Cells[], total: number): string {
  const shown = rows.length;
  let said =
    shown >= total ? count(total) : `First ${whole(shown)} of ${count(total)}; ${whole(total - shown)} not shown`;
  if (card.canonical.result === undefined) said += " · the whole result is kept by its hash only";
  return said + nullLegend(rows);
}

function nullLegend(rows: readonly Cells[]): string {
  return rows.some((row) => row.some((value) => value === null || value === NULL)) ? ` · ${NULL} is null` : "";
}

function facts({ view, ...card }: Card): Parts["facts"] {
  return [
    () => [fact(QUESTION_LABEL, [code(askLine(textAt(view, "ask")))])],
    () => [steps("plan", textsAt(view, "plan"))],
    () => [fact("source", ...sourceLines(membersAt(view, "source")))],
    () => [names(textAt(view, "decision_path"))],
    () => [fact("method", [text(textAt(view, "method"))])],
    () => [fact("run", [text(`${textAt(view, "engine")} · `), code(textAt(view, "query_id"))])],
    () => readingFacts(view),
    () => noted("notes", textsAt(view, "notes")),
    // The schema's digest stands with its source already.
    () => proof({ ...card, view }, shownRevision(view)),
  ];
}

function names(path: string): Fact {
  const told = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
  return fact("names", [code(path), text(`: ${told ?? "unknown"}`)]);
}

function shownRevision(view: Members): string {
  const source = own(view, "source");
  const revision =
    typeof source === "object" && source !== null ? own(source as Members, "schema_revision") : undefined;
  return typeof revision === "string" ? revision : "";
}

const MOST_OPTIONS = 10; // types, or texts for null, that are shown

/** How a source was read, in words: the options that were given. */
function reading(source: Members): string {
  if ((own(source, "reading") ?? null) === null) return "";
  const read = membersAt(source, "reading");
  const types = (own(read, "types") ?? null) === null ? {} : membersAt(read, "types");
  const typed = Object.keys(types)
    .sort()
    .map((name) => `${word(name)}=${word(textAt(types, name))}`);
  const nulls = (own(read, "nulls") ?? null) === null ? [] : textsAt(read, "nulls").map(word);
  const others = ["delimiter", "encoding", "sheet", "decimal", "thousands", "date_format"]
    .filter((key) => optionalText(read, key) !== "")
    .map((key) => `${key} ${word(textAt(read, key))}`);
  const switches = ["percent", "trim"].filter((key) => own(read, key) === true);
  return [...options("types", typed), ...options("nulls", nulls), ...others, ...switches].join(" · ");
}

function options(label: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const more = texts.length > MOST_OPTIONS ? `, … ${String(texts.length - MOST_OPTIONS)} more` : "";
  return [`${label} ${texts.slice(0, MOST_OPTIONS).join(", ")}${more}`];
}

/** What identifies a source: its name, rows and id, its revision, how it was read, its content. */
function sourceLines(source: Members): readonly (readonly Span[])[] {
  const rows = count(countAt(source, "row_count"));
  const read = reading(source);
  return [
    [text(`${word(textAt(source, "name"))} · ${rows} · `), code(textAt(source, "source_id"))],
    [text("schema "), digest(textAt(source, "schema_revision"))],
    ...(read === "" ? [] : [[text(`read with ${read}`)]]),
    ...contentLine(source),
  ];
}

function isLive(source: Members): boolean {
  const content = own(source, "content");
  return isObject(content) && own(content, "algorithm") === "live";
}

function contentLine(source: Members): readonly (readonly Span[])[] {
  if ((own(source, "content") ?? null) === null) return [];
  const content = membersAt(source, "content");
  if (Object.keys(content).length === 0) return [];
  if (isLive(source)) return [[text("live: its data may change, so there is no digest of it")]];
  if (own(content, "algorithm") === "hidden") {
    return [[text("under a policy that hides columns: there is no digest of it")]];
  }
  const sha256 = optionalText(content, "sha256");
  if (sha256 === "") return [[text(`${textAt(content, "algorithm")} is pending`)]];
  const unit = Object.hasOwn(content, "rows") ? "rows" : "bytes";
  const size = Object.hasOwn(content, unit) ? countAt(content, unit) : 0;
  return [[text(`${textAt(content, "algorithm")} of ${count(size, unit.slice(0, -1))} `), digest(sha256)]];
}
