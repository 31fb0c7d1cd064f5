/** Rows that add up or average others: by the rules of `service_nb/readers/totals.py`. */

import { type ReadingNote } from "@service-nb/records";
import { type Column, describePhysical, type Table } from "../values/columns.js";
import { type TellPlace } from "./changed-texts.js";
import { TOTALS } from "./rules.js";

const WORDS: ReadonlySet<string> = new Set(TOTALS.words);
const NAMES: ReadonlySet<string> = new Set(TOTALS.names);
const TOTAL = new RegExp(TOTALS.pattern, "iu");
const AVERAGE = new RegExp(TOTALS.average, "iu");

type Numbers = Extract<Column, { kind: "float64" | "int64" | "decimal" }>;

/** Notes rows that add up or average others: the last one, or any that says so. */
export function noteTotals(table: Table, tell: TellPlace): readonly ReadingNote[] {
  const [last, named, at] = [noteLast(table, tell), findNamed(table), table.rowCount - 1];
  const [first] = named.rows;
  if (first === undefined) return last.length > 0 ? last : noteStale(table, tell);
  const count = named.rows.length + (last.length > 0 && named.rows.at(-1) !== at ? 1 : 0);
  if (count > 1 || first !== at)
    return [{ kind: "totals", columns: named.columns, facts: { count: String(count), place: tell(first + 1) } }];
  if (last.length > 0) return last;
  return [{ kind: named.hasAverage ? "average" : "total", columns: named.columns, facts: { place: tell(at + 1) } }];
}

/** A last row that adds up those above it: it says so, or its first cell alone is empty, or all of it are sums. */
function noteLast({ fields, columns, rowCount }: Table, tell: TellPlace): readonly ReadingNote[] {
  const [first] = columns;
  const last = rowCount - 1;
  if (rowCount <= TOTALS.above || first === undefined) return [];
  const numbers = columns.flatMap((column, at) => {
    const name = fields[at]?.name ?? "";
    const isThere = isNumbers(column) && !isNull(column, last) && Number.isFinite(Number(column.values[last]));
    return isThere ? [{ name, column }] : [];
  });
  const isNamed = columns.some((column) => column.kind === "string" && saysTotal(column.values[last] ?? ""));
  const isBlank = isNull(first, last) && countNulls(first, rowCount) === 1;
  const isBare = isNumbers(first) && numbers.length === columns.length;
  if (numbers.length === 0 || !(isNamed || isBlank || isBare)) return [];
  const sums = numbers.filter(({ column }) => isSum(column, last, isNamed ? TOTALS.named : TOTALS.near));
  const [one, other] = sums;
  if (one === undefined || (!isNamed && sums.length < numbers.length)) return [];
  if (!isNamed && !isBlank && (other === undefined || isSame(one.column, other.column, rowCount))) return [];
  return [{ kind: "total", columns: sums.map(({ name }) => name), facts: { place: tell(rowCount) } }];
}

/** A last row that says that it is a total, as none above it does, and holds the largest of some numbers. */
function noteStale({ fields, columns, rowCount }: Table, tell: TellPlace): readonly ReadingNote[] {
  const last = rowCount - 1;
  if (rowCount <= TOTALS.above) return [];
  const said = columns.flatMap((column) =>
    column.kind === "string" && saysTotal(column.values[last] ?? "", NAMES) ? [column.values] : [],
  );
  const [texts] = said;
  if (texts === undefined || said.length > 1 || texts.indexOf(texts[last] ?? "") !== last) return [];
  const names = columns.flatMap((column, at) =>
    isNumbers(column) && isLargest(column, last) ? [fields[at]?.name ?? ""] : [],
  );
  return names.length === 0 ? [] : [{ kind: "no_total", columns: names, facts: { place: tell(rowCount) } }];
}

function isLargest(column: Numbers, last: number): boolean {
  const sizeAt = (row: number): number | bigint => {
    const value = column.values[row] ?? 0;
    return value < 0 ? -value : value;
  };
  const size = sizeAt(last);
  if (isNull(column, last) || !Number.isFinite(Number(size)) || Number(size) === 0) return false;
  for (let row = 0; row < last; row += 1) if (!isNull(column, row) && sizeAt(row) > size) return false;
  return true;
}

function saysTotal(text: string, but?: ReadonlySet<string>): boolean {
  const word = text.trim().replace(/:+$/, "").trimEnd().toLowerCase().replaceAll("ς", "σ");
  return WORDS.has(word) && but?.has(word) !== true;
}

function isSame(one: Numbers, other: Numbers, rows: number): boolean {
  if (describePhysical(one) !== describePhysical(other)) return false;
  for (let row = 0; row < rows; row += 1)
    if (one.values[row] !== other.values[row] || isNull(one, row) !== isNull(other, row)) return false;
  return true;
}

/** Whether the last number is the sum of those above it, or near it; zeros alone add up to nothing. */
function isSum(column: Numbers, last: number, near: number): boolean {
  if (last - countNulls(column, last) < TOTALS.above) return false;
  if (column.kind === "float64") {
    let [total, size] = [0, 0];
    for (let row = 0; row < last; row += 1) {
      if (isNull(column, row)) continue;
      total += column.values[row] ?? 0;
      size += Math.abs(column.values[row] ?? 0);
    }
    return Number.isFinite(size) && size > 0 && Math.abs(total - (column.values[last] ?? 0)) <= near * size;
  }
  let [total, size] = [0n, 0n];
  for (let row = 0; row < last; row += 1) {
    if (isNull(column, row)) continue;
    const value = column.values[row] ?? 0n;
    total += value;
    size += value < 0n ? -value : value;
  }
  const apart = total - (column.values[last] ?? 0n);
  return size > 0n && (apart < 0n ? -apart : apart) * BigInt(Math.round(1 / near)) <= size;
}

function isNumbers(column: Column): column is Numbers {
  return column.kind === "float64" || column.kind === "int64" || column.kind === "decimal";
}

function isNull(column: Column, row: number): boolean {
  return column.kind === "string" ? (column.values[row] ?? null) === null : column.nulls?.[row] === 1;
}

function countNulls(column: Column, rows: number): number {
  let count = 0;
  for (let row = 0; row < rows; row += 1) if (isNull(column, row)) count += 1;
  return count;
}

// --- rows that say what they are ---------------------------------------------------------------------------------------

/** Rows that say that they add up or average others, and do. */
interface Named {
  readonly rows: readonly number[];
  readonly columns: readonly string[];
  readonly hasAverage: boolean;
}

const NONE: Named = { rows: [], columns: [], hasAverage: false };

/** Finds rows with a word of a total or an average that are one: at least half of those that say so. */
function findNamed({ fields, columns, rowCount }: Table): Named {
  if (rowCount <= TOTALS.above) return NONE;
  const averages = findRows(columns, rowCount, AVERAGE);
  const said = [...new Set([...averages, ...findRows(columns, rowCount, TOTAL)])].sort((one, other) => one - other);
  if (said.length === 0 || said.length * 2 > rowCount) return NONE;
  const parts = columns.map((column) => (isNumbers(column) ? countParts(column, rowCount, said, averages) : []));
  const rows = said.filter((_, at) => parts.some((counts) => (counts[at] ?? 0) > 0));
  const isPlural = parts.some((counts) => counts.some((count) => count >= TOTALS.above));
  if (!isPlural || rows.length * 2 < said.length) return NONE;
  const names = fields.flatMap(({ name }, at) => (parts[at]?.some((count) => count > 0) === true ? [name] : []));
  return { rows, columns: names, hasAverage: rows.some((row) => averages.has(row)) };
}

/** Finds the rows of which any text matches; of a large table, only its first and last row may. */
function findRows(columns: readonly Column[], rowCount: number, pattern: RegExp): ReadonlySet<number> {
  const found = new Set<number>();
  const step = rowCount <= TOTALS.rows ? 1 : rowCount - 1;
  for (const column of columns) {
    if (column.kind !== "string") continue;
    for (let row = 0; row < rowCount; row += step) if (pattern.test(column.values[row] ?? "")) found.add(row);
  }
  return found;
}

/** Sums, sums of magnitudes and counts of the rows before each row, without those that say what they are. */
interface Running {
  readonly sums: Float64Array;
  readonly sizes: Float64Array;
  readonly counts: Int32Array;
}

function run(column: Numbers, rowCount: number, said: readonly number[]): Running {
  const sums = new Float64Array(rowCount + 1);
  const [sizes, counts] = [new Float64Array(rowCount + 1), new Int32Array(rowCount + 1)];
  const left = new Set(said);
  for (let row = 0; row < rowCount; row += 1) {
    const value = left.has(row) ? undefined : readNumber(column, row);
    sums[row + 1] = (sums[row] ?? 0) + (value ?? 0);
    sizes[row + 1] = (sizes[row] ?? 0) + Math.abs(value ?? 0);
    counts[row + 1] = (counts[row] ?? 0) + (value === undefined ? 0 : 1);
  }
  return { sums, sizes, counts };
}

function readNumber(column: Numbers, row: number): number | undefined {
  if (isNull(column, row)) return undefined;
  const value = Number(column.values[row] ?? 0) / (column.kind === "decimal" ? 10 ** column.scale : 1);
  return Number.isFinite(value) ? value : undefined;
}

/** Counts, for each row that says so, the rows that it adds up or averages; 0 where it does neither. */
function countParts(
  column: Numbers,
  rowCount: number,
  said: readonly number[],
  averages: ReadonlySet<number>,
): readonly number[] {
  const { sums, sizes, counts } = run(column, rowCount, said);
  if (!Number.isFinite(sizes[rowCount])) return said.map(() => 0);
  return said.map((row, at) => {
    const met = readNumber(column, row);
    if (met === undefined) return 0;
    const isAverage = averages.has(row);
    const before = at === 0 ? 0 : (said[at - 1] ?? 0);
    const parts = [[before, row], [0, row], [row + 1, said[at + 1] ?? rowCount], [0, rowCount]] as const; // prettier-ignore
    const found = parts.map(([low, high]) => {
      const count = (counts[high] ?? 0) - (counts[low] ?? 0);
      const size = (sizes[high] ?? 0) - (sizes[low] ?? 0);
      const apart = Math.abs((sums[high] ?? 0) - (sums[low] ?? 0) - met * (isAverage ? Math.max(count, 1) : 1));
      const isIt = size > 0 && apart <= TOTALS.named * size && count >= (isAverage ? TOTALS.above : 1);
      return isIt ? count : 0;
    });
    return Math.max(...found);
  });
}
