/** Values of conditions: as questions have them, and as plans have them. */

import type { Decimal } from "./decimal.js";

/** A double whose text has a point or an exponent though it is whole: `2.0` is shown as it was written. */
export class RealNumber {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A value as a question has it. A safe whole `number` and a `bigint` are integers, any other `number` is a double. */
export type Operand = string | boolean | number | bigint | RealNumber;

/** A value in the type of its column: text, dates and times in ISO 8601; doubles; exact whole and decimal numbers. */
export type BoundValue = string | boolean | number | bigint | Decimal;

/** A variable of a question, which a value takes the place of. */
export interface Variable {
  readonly variable: string;
}

export function isInteger(value: Operand): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
}
