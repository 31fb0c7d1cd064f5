/**
 * Places on an axis. A place may be a float, as a pixel is one; what is written beside it never is.
 *
 * Everything is measured in units of a power of ten at which the largest value is below one, so that a number of
 * hundreds of digits has its place as well as a small one.
 */

import { separated, type Parts } from "../number.js";

/** An axis from `low` to `high` in its own units. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  place(value: Parts): number;
  readonly ticks: readonly Tick[];
}

/** A line across the chart, with its exact number. */
export interface Tick {
  readonly place: number;
  readonly label: string;
}

const FLOAT_DIGITS = 17;
const TICKS = 4; // about as many
const SLACK = 1e-6; // of a step: a value on a tick has one
const PLAIN_ZEROS = 9; // beyond, a label has an exponent
const FROM_ZERO = 0.6; // a line starts at zero unless all of it lies above this part of its height

/** The scale of values; bars always stand on zero, lines where it is not far off. */
export function scaleOf(values: readonly Parts[], isFromZero: boolean): Scale {
  const unit = values.reduce<bigint | null>((most, value) => larger(most, value), null) ?? 0n;
  const place = (value: Parts): number => placeOf(value, unit);
  const places = values.map(place);
  const [least, most] = [Math.min(...places), Math.max(...places)];
  const isAway = !isFromZero && least !== most && (least > FROM_ZERO * most || most < FROM_ZERO * least);
  const low = isAway ? least : Math.min(least, 0);
  const high = isAway ? most : Math.max(most, 0);
  const top = high === low ? low + 1 : high;
  const step = stepOf(top - low);
  // A bar ends where its value is; a line has room up to the next rule.
  const ends = isFromZero ? { low, high: top } : { low: floor(low, step), high: -floor(-top, step) };
  return { ...ends, place, ticks: ticksOf(ends.low, ends.high, step, unit) };
}

function larger(most: bigint | null, value: Parts): bigint | null {
  return value.sign !== 0 && (most === null || value.exponent > most) ? value.exponent : most;
}

function placeOf(value: Parts, unit: bigint): number {
  if (value.sign === 0) return 0;
  const below = value.exponent - unit;
  return below < -400n ? 0 : value.sign * Number(`0.${value.digits.slice(0, FLOAT_DIGITS)}e${String(below)}`);
}

/** One, two or five of a power of ten: exact where it is written, a float where it is a place. */
interface Step {
  readonly factor: number;
  readonly power: number;
  readonly size: number;
}

function stepOf(span: number): Step {
  const power = Math.floor(Math.log10(span / TICKS));
  const written = [
    [1, power],
    [2, power],
    [5, power],
    [1, power + 1],
  ] as const;
  const steps = written.map(([factor, tens]) => ({ factor, power: tens, size: factor * 10 ** tens }));
  const [fallback] = steps;
  const near = steps.find(({ size }) => span / size <= TICKS + 1) ?? fallback;
  if (near === undefined) throw new RangeError("There is always a step.");
  return near;
}

function floor(place: number, { size }: Step): number {
  return Math.floor(place / size + SLACK) * size;
}

function ticksOf(low: number, high: number, step: Step, unit: bigint): Tick[] {
  const [first, last] = [Math.ceil(low / step.size - SLACK), Math.floor(high / step.size + SLACK)];
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => ({
    place: (first + index) * step.size,
    label: decimal((first + index) * step.factor, unit + BigInt(step.power)),
  }));
}

/** `count * 10^power` as an exact text. */
export function decimal(count: number, power: bigint): string {
  if (count === 0) return "0";
  const sign = count < 0 ? "-" : "";
  const digits = String(Math.abs(count));
  if (power > PLAIN_ZEROS || power < -PLAIN_ZEROS) return `${sign}${digits}e${String(power)}`;
  const shift = Number(power);
  if (shift >= 0) return separated(sign + digits + "0".repeat(shift));
  const padded = digits.padStart(1 - shift, "0");
  return separated(`${sign}${padded.slice(0, shift)}.${padded.slice(shift)}`);
}
