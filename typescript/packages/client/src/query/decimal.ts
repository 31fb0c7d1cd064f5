/** Decimal numbers, exactly: as they were written, and as the numbers that they are. */

import { splitDouble } from "../engine/exact.js";

const WRITTEN = /^([+-]?)(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,4}))?$/;

/** A number as its digits were written: zeros at its end count, those before it do not. */
export interface Written {
  readonly isNegative: boolean;
  readonly digits: string; // "0" of a zero
  readonly exponent: number;
}

/** A decimal number `units / 10**scale`, with no zeros behind: equal numbers have equal parts. */
export class Decimal {
  readonly units: bigint;
  readonly scale: number;

  private constructor(units: bigint, scale: number) {
    this.units = units;
    this.scale = scale;
  }

  static of(units: bigint, scale = 0): Decimal {
    let [left, places] = [units, scale];
    while (places > 0 && left % 10n === 0n) [left, places] = [left / 10n, places - 1];
    return new Decimal(left, places);
  }

  static fromWritten(written: Written): Decimal {
    const units = BigInt(written.digits) * (written.isNegative ? -1n : 1n);
    const { exponent } = written;
    return exponent < 0 ? Decimal.of(units, -exponent) : Decimal.of(units * 10n ** BigInt(exponent));
  }

  /** The number that a double is, to its last digit. */
  static fromDouble(value: number): Decimal {
    const { top, power } = splitDouble(value);
    return power >= 0 ? new Decimal(top << BigInt(power), 0) : Decimal.of(top * 5n ** BigInt(-power), -power);
  }

  get isWhole(): boolean {
    return this.scale === 0;
  }

  /** Less than, equal to or greater than zero, as this is to the other. */
  compare(other: Decimal): number {
    const apart = this.units * 10n ** BigInt(other.scale) - other.units * 10n ** BigInt(this.scale);
    return apart < 0n ? -1 : apart > 0n ? 1 : 0;
  }

  /** Plain digits. */
  toString(): string {
    const digits = String(this.units < 0n ? -this.units : this.units).padStart(this.scale + 1, "0");
    const sign = this.units < 0n ? "-" : "";
    return this.scale === 0 ? sign + digits : `${sign}${digits.slice(0, -this.scale)}.${digits.slice(-this.scale)}`;
  }
}

/** The number that a text writes; undefined of a text that writes none, or one of too many places. */
export function readWritten(text: string): Written | undefined {
  const found = WRITTEN.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = "", fraction = "", only = "", power = "0"] = found;
  const behind = fraction + only;
  const exponent = Number(power) - behind.length;
  return { isNegative: sign === "-", digits: (whole + behind).replace(/^0+(?=[0-9])/, ""), exponent };
}

/** The power of ten of the first digit. */
export function findMagnitude(written: Written): number {
  return written.exponent + written.digits.length - 1;
}

/** The same number without the zeros at its end. */
export function dropZeros(written: Written): Written {
  if (/^0+$/.test(written.digits)) return { isNegative: written.isNegative, digits: "0", exponent: 0 };
  let end = written.digits.length;
  while (written.digits[end - 1] === "0") end -= 1;
  return { ...written, digits: written.digits.slice(0, end), exponent: written.exponent + written.digits.length - end };
}
