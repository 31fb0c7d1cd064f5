/** Columns of exact values, as every reader returns them and as aggregates read them. */

import { type TextReason } from "../query/text-columns.js";
import { type ReadingNote } from "@service-nb/records";

export type FieldType = "string" | "number" | "boolean" | "date" | "datetime";

/** A column: its name, its type, and the physical type of its values. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** int64, float64, decimal(p,s) with p up to 38, string, boolean, date, datetime (microseconds). */
  readonly physical: string;
  /** UTC of instants, whose times had a zone and are kept in it; in a result, what its periods are of. */
  readonly zone?: string | undefined;
}

/** Where values are null: a byte of 1 each; undefined where none is. What stands in their place means nothing. */
export type Nulls = Uint8Array | undefined;

/** The values of one column, one kind for each physical type. */
export type Column =
  | { readonly kind: "float64"; readonly values: Float64Array; readonly nulls: Nulls }
  | { readonly kind: "int64"; readonly values: BigInt64Array; readonly nulls: Nulls }
  | DecimalColumn
  | { readonly kind: "string"; readonly values: readonly (string | null)[] }
  | { readonly kind: "boolean"; readonly values: Uint8Array; readonly nulls: Nulls }
  /** Days since 1970-01-01. */
  | { readonly kind: "date"; readonly values: Int32Array; readonly nulls: Nulls }
  /** Microseconds since 1970-01-01, without a zone; instants, which had one, are in UTC. */
  | {
      readonly kind: "datetime";
      readonly values: BigInt64Array;
      readonly nulls: Nulls;
      readonly isZoned?: boolean | undefined;
    };

/** Numbers `units / 10**scale`. */
export interface DecimalColumn {
  readonly kind: "decimal";
  readonly values: BigInt64Array | readonly bigint[];
  readonly nulls: Nulls;
  readonly precision: number;
  readonly scale: number;
}

/** Columns of equal length, under the names of their fields. */
export interface Table {
  readonly fields: readonly Field[];
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** Why a column is text, as far as its reader knows; it looks when it is asked. */
  readonly findTextReason?: (name: string) => TextReason | undefined;
  /** What a reader decided that the bytes leave open. */
  readonly notes?: readonly ReadingNote[];
}

const DECIMAL = /^decimal\(([0-9]{1,2}),([0-9]{1,2})\)$/;

/** Builds the field of a column of the physical type. */
export function buildField(name: string, physical: string): Field {
  return { name, type: findType(physical), physical };
}

/** Builds the field of a column that was read; of one that is not there, a field of texts. */
export function buildFieldOf(name: string, column: Column | undefined): Field {
  if (column === undefined) return buildField(name, "string");
  const isZoned = column.kind === "datetime" && column.isZoned === true;
  return { ...buildField(name, describePhysical(column)), ...(isZoned && { zone: "UTC" }) };
}

function findType(physical: string): FieldType {
  switch (physical) {
    case "string":
    case "boolean":
    case "date":
    case "datetime":
      return physical;
    default:
      return "number";
  }
}

/** The digits before and after the point of an exact decimal type; undefined of every other. */
export function findDecimalSize(physical: string): { readonly precision: number; readonly scale: number } | undefined {
  const found = DECIMAL.exec(physical);
  return found === null ? undefined : { precision: Number(found[1]), scale: Number(found[2]) };
}

/** The digits after the point of an exact numeric type, 0 for int64; undefined of every other. */
export function findScale(physical: string): number | undefined {
  return physical === "int64" ? 0 : findDecimalSize(physical)?.scale;
}

/** The physical type of a column's values. */
export function describePhysical(column: Column): string {
  return column.kind === "decimal" ? `decimal(${String(column.precision)},${String(column.scale)})` : column.kind;
}
