/** What a caller passes: questions, computations and sources, in the shapes of the specification. */

import { type AggregationName, type DateUnit, type Op, type Order, type Period } from "./query/types.js";

/** A value that a condition compares with, or the name of a variable in its place. */
export type SpecValue = string | number | bigint | boolean | Date | SpecVariable;

export interface SpecVariable {
  readonly variable: string;
}

/** One aggregation; `percent` belongs to percentiles. */
export interface Measure {
  readonly aggregation?: AggregationName | undefined;
  readonly metric?: string | undefined;
  readonly percent?: number | bigint | string | undefined;
}

/** A group key: a column, the period of a date, or the bin of a number. */
export type GroupBy =
  | string
  | { readonly column: string; readonly unit: DateUnit; readonly zone?: string | undefined }
  | { readonly column: string; readonly width: number | bigint | string };

interface Compared {
  readonly op: Op;
  readonly value?: SpecValue | readonly SpecValue[] | undefined;
  readonly values?: readonly SpecValue[] | SpecVariable | undefined;
}

/** Conditions of which all have to hold, or any; `T` is that of a column, or of a measure. */
export type Conditions<T> = T | { readonly all: readonly Conditions<T>[] } | { readonly any: readonly Conditions<T>[] };

export type ColumnCondition = Compared & { readonly column: string };
export type MeasureCondition = Compared & Measure;

/** Which rows are asked about. */
export interface Filter {
  readonly conditions?: readonly Conditions<ColumnCondition>[] | undefined;
  readonly time_filter?: { readonly column: string; readonly period: Period } | undefined;
}

/** A question: one measure, or `measures` in its place. */
export interface QuerySpec extends Measure {
  readonly measures?: readonly Measure[] | undefined;
  readonly group_by?: GroupBy | readonly GroupBy[] | undefined;
  readonly filter?: Filter | undefined;
  readonly having?: { readonly conditions: readonly Conditions<MeasureCondition>[] } | undefined;
  readonly order_by?: string | undefined;
  readonly order?: Order | undefined;
  readonly limit?: number | bigint | undefined;
  readonly source_name?: string | undefined;
}

/** A QuerySpec as an ask line says it. */
export interface AskedSpec extends QuerySpec {
  readonly group_by?: readonly GroupBy[] | undefined;
}

/** What `ask` and `resolve` take: an ask line, or a QuerySpec. */
export type QuestionInput = string | QuerySpec;

/** Columns that stand for parameters: one, or several of the same rows. */
export type ColumnBinding = {
  readonly source: string;
  readonly filter?: Filter | undefined;
} & (
  | { readonly nullPolicy?: NullPolicy | undefined; readonly null_policy?: never }
  | { readonly null_policy: NullPolicy; readonly nullPolicy?: never }
) &
  (
    | { readonly parameter: string; readonly field: string }
    | { readonly parameters: readonly string[]; readonly fields: readonly string[]; readonly alignment: "rowwise" }
  );

export type NullPolicy = "refuse" | "drop";

/** A literal argument of a computation. */
export type Argument = string | number | bigint | boolean | readonly Argument[] | { readonly [key: string]: Argument };

/** What a call is made of, beside the name of its capability. */
export interface CallArguments {
  readonly args?: readonly Argument[] | undefined;
  readonly kwargs?: Readonly<Record<string, Argument>> | undefined;
  readonly bindings?: readonly ColumnBinding[] | undefined;
  readonly seed?: number | bigint | undefined;
}

/** A call of a capability of the contract. */
export interface ComputationSpec extends CallArguments {
  readonly module: string;
  readonly function: string;
}

/** What `compute` takes: a compute line, the name of a capability, or a ComputationSpec. */
export type ComputationInput = string | ComputationSpec;

/** What objects of the platform have that are no data: promises, functions, lists, buffers, streams, addresses. */
interface NoData {
  readonly then?: never;
  readonly call?: never;
  readonly byteLength?: never;
  readonly arrayBuffer?: never;
  readonly getReader?: never;
  readonly searchParams?: never;
  readonly [Symbol.iterator]?: never;
  readonly [Symbol.asyncIterator]?: never;
}

/** An address of a file: `new URL("file:…")`. */
export interface FileAddress {
  readonly href: string;
  readonly searchParams: object;
}

/** A table or a query of a SQLite file. */
export interface SqliteSource {
  readonly provider: "sqlite";
  readonly path: string;
  readonly table?: string | undefined;
  readonly query?: string | undefined;
}

/** A connector: `{type, host, database, user, password, table}`, or `{id, table}` of one that the deployment keeps. */
export type Connector = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What `connect` takes: a path or an address of a file, bytes, rows, one object, or null for a live source. */
export type SourceInput =
  | (string | Uint8Array | FileAddress | SqliteSource | readonly object[] | null)
  | (Readonly<Record<string, unknown>> & NoData) // a literal, of any members
  | (object & NoData);
