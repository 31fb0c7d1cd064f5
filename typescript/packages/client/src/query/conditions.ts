/**
 * Conditions bound to a column: operands in the column's type, whole days of times, calendar periods made absolute.
 *
 * An operand for a float64 column is rounded to the nearest double, as the column's own values were, and the plan notes
 * where that is another number; those of integer and decimal columns are exact.
 */

import { type Field } from "../values/columns.js";
import { compareTexts, countChars } from "../values/order.js";
import { isList } from "./condition-groups.js";
import { addDays, computePeriodBounds, isDay, isWrittenDay, readMoment } from "./dates.js";
import { Decimal, findMagnitude, readWritten, type Written } from "./decimal.js";
import { LIMITS, OPERATORS } from "./tables.js";
import { describeValue } from "./text.js";
import { type Condition, type Op, type Period } from "./types.js";
import { type BoundValue, type Operand, RealNumber } from "./values.js";

const DIGITS = `[0-9]{1,${String(LIMITS.digits)}}`;
const NUMBER = new RegExp(`^[+-]?(${DIGITS}\\.?|(${DIGITS})?\\.${DIGITS})([eE][+-]?[0-9]{1,4})?$`);
const FINER_THAN_MICROSECONDS = /[.,][0-9]{7}/;
const MOST_MOMENT_CHARS = 40;
const MOST_SHOWN = 40; // characters of an operand in a note
const DAY_BOUNDS: ReadonlyMap<Op, readonly [Op, number]> = new Map([
  ["gte", ["gte", 0]],
  ["lt", ["lt", 0]],
  ["gt", ["gte", 1]],
  ["lte", ["lt", 1]],
]);

/** An operand or an operator does not fit the column; the message says met and expected. */
export class OperandError extends Error {
  override readonly name = "OperandError";
}

/**
 * A condition with its operand in the column's own type: one, or two that mean the same.
 *
 * A day compared with a column of times is the whole day: `<= 2024-01-31` includes that day's evening.
 *
 * @throws {OperandError}
 */
export function bindCondition(condition: Condition<Operand>, field: Field): Condition<BoundValue>[] {
  const { op, operand, measure } = condition;
  const { takes, isOrdered } = OPERATORS[op];
  if (takes === "text" && field.type !== "string")
    throw new OperandError(`operator ${op} needs a string column; ${field.name} is ${field.type}`);
  if (isOrdered && field.type === "boolean")
    throw new OperandError(`operator ${op} needs an ordered column; ${field.name} is boolean`);
  if (field.type === "datetime" && hasDay(operand)) return bindWholeDays(condition, field);
  const column = field.name;
  if (isList(operand)) {
    const bound = operand.map((value) => bindValue(value, field));
    return [{ column, op, measure, operand: takes === "list" ? sortValues(bound) : bound }];
  }
  return [{ column, op, measure, operand: operand === undefined ? undefined : bindValue(operand, field) }];
}

function hasDay(operand: Operand | readonly Operand[] | undefined): boolean {
  if (isList(operand)) return operand.some(hasDay);
  return typeof operand === "string" && isWrittenDay(operand);
}

/** Sorted and without repetitions, so that the order of a list does not change the plan hash. */
function sortValues(values: readonly BoundValue[]): BoundValue[] {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, at) => at === 0 || compareValues(value, sorted[at - 1] ?? value) !== 0);
}

/** Less than, equal to or greater than zero, as one value is to another of its type. */
export function compareValues(one: BoundValue, other: BoundValue): number {
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other);
  if (one instanceof Decimal || other instanceof Decimal) return toDecimal(one).compare(toDecimal(other));
  return one < other ? -1 : one > other ? 1 : 0;
}

function toDecimal(value: BoundValue): Decimal {
  return value instanceof Decimal ? value : Decimal.of(BigInt(value));
}

/** A day of times as the bounds of the day: equal to it is between its midnights. */
function bindWholeDays(condition: Condition<Operand>, field: Field): Condition<BoundValue>[] {
  const { op, operand } = condition;
  const [low, high] = isList(operand) ? operand : [operand, operand];
  if (op !== "eq" && op !== "between") return [bindWholeDay(condition, field)];
  return [
    bindWholeDay({ ...condition, op: "gte", operand: low }, field),
    bindWholeDay({ ...condition, op: "lte", operand: high }, field),
  ];
}

/** One bound of a column of times: a whole day ends where the next one begins. */
function bindWholeDay(condition: Condition<Operand>, field: Field): Condition<BoundValue> {
  const { op, operand, measure } = condition;
  const known = DAY_BOUNDS.get(op);
  if (known === undefined || operand === undefined || isList(operand))
    throw new OperandError(
      `operator ${op} needs times for ${field.name}, a datetime column; compare whole days with >= and <`,
    );
  const [bound, days] = hasDay(operand) ? known : [op, 0];
  const moment = addDays(bindMoment(operand, field), days);
  if (moment === undefined) throw new OperandError(`${describeValue(operand)} is the last day of the calendar`);
  return { column: field.name, op: bound, measure, operand: moment };
}

function bindValue(value: Operand, field: Field): BoundValue {
  switch (field.type) {
    case "number":
      return bindNumber(value, field);
    case "date":
      return bindDay(value, field);
    case "datetime":
      return bindMoment(value, field);
    case "string":
    case "boolean":
      if (typeof value === field.type && typeof value !== "number" && typeof value !== "bigint" && !(value instanceof RealNumber)) return value; // prettier-ignore
  }
  throw misfit(value, field);
}

function bindNumber(value: Operand, field: Field): number | bigint | Decimal {
  const written = writtenOf(value);
  if (written === undefined) throw misfit(value, field);
  const beyond = new OperandError(
    `${describeValue(value)} is beyond the range of ${field.name}, a ${field.physical} column`,
  );
  if (field.physical === "float64") {
    const nearest = value instanceof RealNumber ? value.value : Number(value);
    if (!Number.isFinite(nearest)) throw beyond;
    return nearest + 0; // -0 and 0 are one operand
  }
  if (findMagnitude(written) >= LIMITS.digits || written.exponent < -LIMITS.digits) throw beyond;
  const exact = Decimal.fromWritten(written);
  return exact.isWhole ? exact.units : exact;
}

/**
 * The operands of a condition that no double equals, each with the double that it is compared as. The shortest text of
 * a double is what people mean by it, as `0.3`, and is not listed.
 */
export function listRoundedOperands({ operand }: Condition<Operand>, field: Field): readonly string[] {
  if (field.physical !== "float64") return [];
  return (isList(operand) ? operand : [operand]).flatMap((value) => {
    if (typeof value !== "string" && typeof value !== "bigint") return []; // of a double nobody knows what was written
    const [written, shortest] = [writtenOf(value), readWritten(String(Number(value)))];
    if (written === undefined || shortest === undefined) return [];
    const exact = Decimal.fromWritten(written);
    const doubles = [Decimal.fromWritten(shortest), Decimal.fromDouble(Number(value))];
    if (doubles.some((each) => each.compare(exact) === 0)) return [];
    const text = String(value);
    const shown = text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
    return [`${shown} as ${String(Number(value) + 0)}`];
  });
}

/** The digits of a number, or of a text that writes one; undefined of another value. */
function writtenOf(value: Operand): Written | undefined {
  if (typeof value === "boolean" || (typeof value === "string" && !NUMBER.test(value))) return undefined;
  return readWritten(String(value instanceof RealNumber ? value.value : value));
}

function bindDay(value: Operand, field: Field): string {
  if (typeof value !== "string" || !isWrittenDay(value)) throw misfit(value, field);
  if (!isDay(value)) throw new OperandError(`${describeValue(value)} is not a calendar date`);
  return value;
}

function bindMoment(value: Operand, field: Field): string {
  const isMoment =
    typeof value === "string" && isWrittenDay(value.slice(0, 10)) && countChars(value) <= MOST_MOMENT_CHARS;
  if (!isMoment) throw misfit(value, field);
  if (FINER_THAN_MICROSECONDS.test(value)) {
    const says = "is finer than a microsecond, the resolution of";
    throw new OperandError(`${describeValue(value)} ${says} ${field.name}`);
  }
  const moment = readMoment(value);
  if (moment === undefined) throw new OperandError(`${describeValue(value)} is not an ISO 8601 date and time`);
  return moment;
}

const EXPECTED: Readonly<Record<string, string>> = {
  date: "a date such as '2024-01-31'",
  datetime: "a date and time such as '2024-01-31T12:00'",
};

function misfit(value: Operand, field: Field): OperandError {
  const kind = EXPECTED[field.type] ?? `a ${field.type}`;
  return new OperandError(
    `${describeValue(value)} does not fit ${field.name}, a ${field.type} column: expected ${kind}`,
  );
}

/**
 * The half-open interval of days that a period means, as two bound conditions.
 *
 * @throws {OperandError} The column holds no dates.
 */
export function buildPeriodConditions(field: Field, period: Period, today: string): Condition<BoundValue>[] {
  if (field.type !== "date" && field.type !== "datetime")
    throw new OperandError(`a period needs a date column; ${field.name} is ${field.type}`);
  const [first, after] = computePeriodBounds(period, today);
  return [
    ...bindCondition({ column: field.name, op: "gte", operand: first }, field),
    ...bindCondition({ column: field.name, op: "lt", operand: after }, field),
  ];
}

/** A bound value as specs and plans have it: decimals are texts. */
export function writeValue(value: BoundValue): string | boolean | number | bigint {
  return value instanceof Decimal ? value.toString() : value;
}
