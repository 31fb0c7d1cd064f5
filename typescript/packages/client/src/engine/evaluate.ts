/** Evaluates a plan over columns: rows that meet its conditions, their groups, the measures of each group. */

import { beyondLimit, ServiceError } from "../errors.js";
import { columnOf } from "../query/measures.js";
import { type AskedMeasure, type GroupKey, type Plan } from "../query/types.js";
import { type Limits } from "../readers/options.js";
import { type Column, type Field, type Table } from "../values/columns.js";
import { buildKeyReader, type Extremes } from "./keys.js";
import { buildMeasure, type Computed, describeMethod, type Rows } from "./measures.js";
import { buildPredicate, buildTest } from "./predicates.js";
import { computeTotals, type Grouped, isTotal } from "./totals.js";
import { buildReader, type Held } from "./values.js";

/** One group of a result: its keys, its rows, its measures, and how many nulls each of these leaves out. */
export interface Group {
  readonly keys: readonly Held[];
  readonly rows: bigint;
  readonly values: readonly Held[];
  readonly nulls: readonly number[];
}

export interface Answer {
  readonly groups: readonly Group[];
  /** How the values are kept exact, in words. */
  readonly method: string;
}

/** A column with its field. */
export interface Named {
  readonly field: Field;
  readonly column: Column;
}

/** Columns of a source, and the rows of them that a plan's conditions keep, in the order of the source. */
export interface Selected {
  readonly columns: readonly Named[];
  readonly rows: Rows;
}

/** Selects the columns that a plan groups by, and the rows that meet its conditions. */
export function selectColumns(table: Table, plan: Plan): Selected {
  const find = buildFinder(table);
  return { columns: plan.groupBy.map((key) => find(columnOf(key))), rows: selectRows(table, plan, find) };
}

/** Computes the groups of a plan. */
export function evaluate(table: Table, plan: Plan, limits: Limits): Answer {
  const find = buildFinder(table);
  const rows = selectRows(table, plan, find);
  const grouped = groupRows(rows, plan.groupBy, find, limits);
  const measures = plan.measures.map((each) => computeMeasure(each, grouped, find));
  const groups = grouped.keys.map((keys, at) => {
    const computed = measures.map((groups) => groups[at] ?? { value: null, nulls: 0 });
    const values = computed.map(({ value }) => value);
    return { keys, rows: BigInt(grouped.counts[at] ?? 0), values, nulls: computed.map(({ nulls }) => nulls) };
  });
  const methods = plan.measures.map((each) =>
    describeMethod(each, each.metric === undefined ? "int64" : find(each.metric).field.physical),
  );
  return { groups, method: [...new Set(methods)].join("; ") };
}

type Find = (name: string) => Named;

function buildFinder(table: Table): Find {
  const named = new Map<string, Named>();
  for (const [at, field] of table.fields.entries()) {
    const column = table.columns[at];
    if (column !== undefined) named.set(field.name, { field, column });
  }
  return (name) => {
    const found = named.get(name);
    if (found === undefined) throw new ServiceError("engine_failed", "The plan names a column that is not there.");
    return found;
  };
}

/** Computes a measure of each group. */
function computeMeasure(measure: AskedMeasure, grouped: Grouped, find: Find): readonly Computed[] {
  if (measure.metric === undefined) return Array.from(grouped.counts, (count) => ({ value: BigInt(count), nulls: 0 }));
  const { column } = find(measure.metric);
  if (column.kind === "float64" && isTotal(measure)) return computeTotals(measure, column, grouped);
  return orderByGroup(grouped).map(buildMeasure(measure, column));
}

const WHOLE = new WeakMap<Table, Rows>(); // all rows of tables, which many questions are about

function selectRows(table: Table, plan: Plan, find: Find): Rows {
  const whole = WHOLE.get(table) ?? Int32Array.from({ length: table.rowCount }, (_, row) => row);
  WHOLE.set(table, whole);
  if (plan.conditions.length === 0) return whole;
  const holds = buildTest<number>(plan.conditions, "all", (condition) => {
    const { field, column } = find(condition.column);
    const [test, read] = [buildPredicate(condition, field.physical), buildReader(column)];
    return (row) => test(read(row));
  });
  return whole.filter(holds);
}

/** Numbers the groups of rows, key by key, in the order in which rows meet them. */
function groupRows(rows: Rows, keys: readonly GroupKey[], find: Find, limits: Limits): Grouped {
  let [numbers, found]: [Int32Array | undefined, readonly (readonly Held[])[]] = [undefined, [[]]];
  for (const key of keys) {
    const coded = codeKey(rows, key, find);
    if (numbers === undefined && coded.isOfRows) [numbers, found] = [coded.codes, coded.values.map((value) => [value])];
    else [numbers, found] = combine(numbers ?? new Int32Array(rows.length), found, coded, limits);
    if (found.length > limits.groups) throw tooManyGroups(limits);
  }
  numbers ??= new Int32Array(rows.length);
  if (rows.length === 0 && keys.length > 0) found = [];
  return { rows, numbers, keys: found, counts: countRows(numbers, found.length) };
}

const COUNTS = new WeakMap<Int32Array, Int32Array>(); // of numbers that are kept for a column of text

function countRows(numbers: Int32Array, groups: number): Int32Array {
  const known = COUNTS.get(numbers);
  if (known !== undefined) return known;
  const counts = new Int32Array(groups);
  for (const group of numbers) counts[group] = (counts[group] ?? 0) + 1;
  COUNTS.set(numbers, counts);
  return counts;
}

/** Numbers the pairs of a group and a further key. */
function combine(
  numbers: Int32Array,
  found: readonly (readonly Held[])[],
  coded: Coded,
  limits: Limits,
): [Int32Array, readonly (readonly Held[])[]] {
  const next = new PairNumbers(found.length * coded.values.length);
  const combined: (readonly Held[])[] = [];
  const joined = new Int32Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    const [group, code] = [numbers[at] ?? 0, coded.codes[at] ?? 0];
    const pair = group * coded.values.length + code;
    let number = next.get(pair);
    if (number === undefined) {
      number = combined.length;
      if (number >= limits.groups) throw tooManyGroups(limits);
      next.set(pair, number);
      combined.push([...(found[group] ?? []), coded.values[code] ?? null]);
    }
    joined[at] = number;
  }
  return [joined, combined];
}

const MOST_PAIRS = 1_000_000; // of groups and keys that a table of all of them is made for

/** The numbers that pairs of a group and a key were given. */
class PairNumbers {
  readonly #table: Int32Array | undefined;
  readonly #map = new Map<number, number>();

  constructor(pairs: number) {
    this.#table = pairs <= MOST_PAIRS ? new Int32Array(pairs) : undefined;
  }

  get(pair: number): number | undefined {
    if (this.#table === undefined) return this.#map.get(pair);
    const found = this.#table[pair] ?? 0;
    return found === 0 ? undefined : found - 1;
  }

  set(pair: number, number: number): void {
    if (this.#table === undefined) this.#map.set(pair, number);
    else this.#table[pair] = number + 1;
  }
}

/** Builds the error of a result beyond the limit of groups. */
export function tooManyGroups({ groups }: Limits): ServiceError {
  const message = `The result has more than ${String(groups)} groups.`;
  return beyondLimit(message, { limit: groups }, "Group by a column with fewer values, or add a condition.");
}

/** Numbers the different keys of rows. */
function codeKey(rows: Rows, key: GroupKey, find: Find): Coded {
  const { field, column } = find(columnOf(key));
  if (column.kind === "string") return codeTexts(rows, column);
  const [read, toKey] = [buildReader(column), buildKeyReader(key, field, findExtremes(key, column))];
  const known = new Map<Held, number>();
  const values: Held[] = [];
  const codes = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const value = toKey(read(rows[at] ?? 0));
    let code = known.get(value);
    if (code === undefined) {
      code = values.length;
      known.set(value, code);
      values.push(value);
    }
    codes[at] = code;
  }
  return { codes, values, isOfRows: true };
}

/** The least and the largest moment of a column whose periods are of a zone: of all its rows. */
function findExtremes(key: GroupKey, column: Column): Extremes | undefined {
  if (typeof key === "string" || !("unit" in key) || key.zone === undefined || column.kind !== "datetime")
    return undefined;
  let [low, high]: [bigint | undefined, bigint | undefined] = [undefined, undefined];
  for (const [row, value] of column.values.entries()) {
    if (column.nulls?.[row] === 1) continue;
    if (low === undefined || value < low) low = value;
    if (high === undefined || value > high) high = value;
  }
  return [low ?? 0n, high ?? 0n];
}

interface Coded {
  readonly codes: Int32Array;
  readonly values: readonly Held[];
  /** These rows have every value, and met them in this order. */
  readonly isOfRows: boolean;
}

const CODED = new WeakMap<Column, Coded>(); // columns of text, which many questions group by

function codeTexts(rows: Rows, column: Column & { readonly kind: "string" }): Coded {
  const whole = CODED.get(column) ?? codeAll(column.values);
  CODED.set(column, whole);
  if (rows.length === column.values.length) return whole;
  return { codes: rows.map((row) => whole.codes[row] ?? 0), values: whole.values, isOfRows: false };
}

function codeAll(texts: readonly (string | null)[]): Coded {
  const known = new Map<string | null, number>();
  const codes = new Int32Array(texts.length);
  for (let row = 0; row < texts.length; row += 1) {
    const text = texts[row] ?? null;
    let code = known.get(text);
    if (code === undefined) {
      code = known.size;
      known.set(text, code);
    }
    codes[row] = code;
  }
  return { codes, values: [...known.keys()], isOfRows: true };
}

/** Lists the rows of each group, in their order. */
function orderByGroup({ rows, numbers, counts }: Grouped): readonly Rows[] {
  const starts = new Int32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at += 1) starts[at + 1] = (starts[at] ?? 0) + (counts[at] ?? 0);
  const next = starts.slice();
  const ordered = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const number = numbers[at] ?? 0;
    ordered[next[number] ?? 0] = rows[at] ?? 0;
    next[number] = (next[number] ?? 0) + 1;
  }
  return Array.from(counts, (_, at) => ordered.subarray(starts[at], starts[at + 1]));
}
