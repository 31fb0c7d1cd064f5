/** Which chart a table gives, if it gives one. */

import type { Table } from "../blocks.js";
import { partsOf, type Odd, type Parts } from "../number.js";
import { placesOf } from "./time.js";

/** A value with its name; the value is null where there is none. */
export interface Mark {
  readonly label: string;
  readonly shown: string;
  readonly exact: string | null;
  readonly value: Parts | Odd | null;
}

/** A value that has its place on a line. */
export interface Point extends Mark {
  readonly place: number;
}

export interface Bars {
  readonly kind: "bars";
  readonly title: Title;
  readonly groups: readonly Group<Mark>[];
  readonly total: number; // rows of the answer: those for which there was no room among them
  readonly isKept: boolean; // whether all of them are at hand
}

export interface Lines {
  readonly kind: "lines";
  readonly title: Title;
  readonly groups: readonly Group<Point>[];
  readonly total: number; // rows of the answer: those without a place among them
  readonly isKept: boolean;
}

export type Plot = Bars | Lines;

/** What is measured, and by what. */
export interface Title {
  readonly metric: string;
  readonly key: string;
}

/** Marks that belong together; the label is null where there is one group only. */
export interface Group<Each> {
  readonly label: string | null;
  readonly marks: readonly Each[];
}

const MOST_BARS = 30;
const MOST_GROUPS = 8;
const MOST_SERIES = 5;
const FEWEST_POINTS = 3;
const LONGEST = 32; // characters of a value; a longer one is no label

/** How many rows are drawn. */
export function drawnOf({ groups }: Plot): number {
  return groups.reduce((sum, { marks }) => sum + marks.length, 0);
}

/**
 * The chart of a table, or null where one would not be read more easily than the table. A line joins neighbours, so there
 * is none through a part of an answer.
 */
export function plotOf(table: Table): Plot | null {
  const [first, second, ...more] = columnsOf(table, "key");
  const metric = [...columnsOf(table, "metric"), ...columnsOf(table, "count")].find(
    (column) => table.heads[column]?.type === "number",
  );
  if (first === undefined || metric === undefined || more.length > 0 || table.rows.length < 2) return null;
  const marks = table.rows.map((_, row) => markOf(table, row, first, metric));
  if (!marks.some(({ value }) => value?.kind === "finite") || marks.some(({ shown }) => shown.length > LONGEST)) {
    return null;
  }
  if (second === undefined) return oneKey(table, first, metric);
  return twoKeys(table, [first, second], metric);
}

function oneKey(table: Table, key: number, metric: number): Plot {
  const title = titleOf(table, key, metric);
  const line = isPart(table) ? null : linesOf(table, { key, series: null, metric });
  if (line !== null) return line;
  const rows = Array.from(table.rows.keys()).slice(0, MOST_BARS);
  const marks = rows.map((row) => markOf(table, row, key, metric));
  return { kind: "bars", title, groups: [{ label: null, marks }], ...extentOf(table) };
}

function twoKeys(table: Table, [outer, inner]: readonly [number, number], metric: number): Plot | null {
  for (const [key, series] of [
    [outer, inner],
    [inner, outer],
  ] as const) {
    if (isPart(table) || !isTemporal(table, key) || isTemporal(table, series)) continue;
    return linesOf(table, { key, series, metric });
  }
  const groups = grouped(table, outer, (row) => markOf(table, row, inner, metric));
  const isReadable = table.rows.length <= MOST_BARS && groups.length <= MOST_GROUPS;
  if (!isReadable || groups.length === table.rows.length) return null;
  return { kind: "bars", title: titleOf(table, inner, metric), groups, ...extentOf(table) };
}

function extentOf({ rows, total = 0 }: Table): { readonly total: number; readonly isKept: boolean } {
  return { total: Math.max(rows.length, total), isKept: total <= rows.length };
}

function isPart(table: Table): boolean {
  return !extentOf(table).isKept;
}

interface Columns {
  readonly key: number;
  readonly series: number | null;
  readonly metric: number;
}

function linesOf(table: Table, { key, series, metric }: Columns): Lines | null {
  const rows = Array.from(table.rows.keys()).filter((row) => exactOf(table, row, key) !== null);
  const keys = rows.map((row) => exactOf(table, row, key) ?? "");
  const places = placesOf(keys, table.heads[key]?.type ?? "");
  if (places === null || new Set(keys).size < FEWEST_POINTS) return null;
  const placed = new Map(rows.map((row, index) => [row, places[index] ?? 0]));
  const point = (row: number): Point => ({ ...markOf(table, row, key, metric), place: placed.get(row) ?? 0 });
  const groups = grouped(table, series, point, rows);
  if (
    groups.length > MOST_SERIES ||
    groups.some(({ marks }) => new Set(marks.map(({ place }) => place)).size < marks.length)
  ) {
    return null;
  }
  const sorted = groups.map(({ label, marks }) => ({ label, marks: marks.toSorted((a, b) => a.place - b.place) }));
  return { kind: "lines", title: titleOf(table, key, metric), groups: sorted, ...extentOf(table) };
}

function isTemporal(table: Table, column: number): boolean {
  const keys = table.exact.flatMap((row) => row[column] ?? []);
  return keys.length > 0 && placesOf(keys, table.heads[column]?.type ?? "") !== null;
}

function grouped<Each>(
  table: Table,
  column: number | null,
  mark: (row: number) => Each,
  rows: Iterable<number> = table.rows.keys(),
): Group<Each>[] {
  const groups = new Map<string | null, Each[]>();
  for (const row of rows) {
    const label = column === null ? null : (table.rows[row]?.[column] ?? "");
    groups.set(label, [...(groups.get(label) ?? []), mark(row)]);
  }
  return Array.from(groups, ([label, marks]) => ({ label, marks }));
}

function markOf(table: Table, row: number, key: number, metric: number): Mark {
  const exact = exactOf(table, row, metric);
  return {
    label: table.rows[row]?.[key] ?? "",
    shown: table.rows[row]?.[metric] ?? "",
    exact,
    value: exact === null ? null : partsOf(exact),
  };
}

function exactOf(table: Table, row: number, column: number): string | null {
  return table.exact[row]?.[column] ?? null;
}

function titleOf(table: Table, key: number, metric: number): Title {
  return { metric: table.heads[metric]?.text ?? "", key: table.heads[key]?.text ?? "" };
}

function columnsOf(table: Table, role: string): number[] {
  return Array.from(table.heads.keys()).filter((column) => table.heads[column]?.role === role);
}
