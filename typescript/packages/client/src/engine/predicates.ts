/** Conditions as functions of values: null meets only `is_null`, NaN only `is_not_null`, `ne` and `not_in`. */

import { Decimal } from "../query/decimal.js";
import { type Condition, type ConditionTree } from "../query/types.js";
import { type BoundValue } from "../query/values.js";
import { readDay, readMoment } from "../values/calendar.js";
import { findScale } from "../values/columns.js";
import { compareHeld, type Held, isComparable } from "./values.js";

export type Predicate = (value: Held) => boolean;

/** A bound operand beside values of a column: `value * factor` is compared with `operand`. */
interface Comparable {
  readonly operand: Exclude<Held, null>;
  readonly factor: bigint;
}

/** Builds the meaning of a bound condition as a function of one value of its column. */
export function buildPredicate(condition: Condition<BoundValue>, physical: string): Predicate {
  const { op, operand } = condition;
  if (op === "is_null") return (value) => value === null;
  if (op === "is_not_null") return (value) => value !== null;
  const operands = (Array.isArray(operand) ? (operand as readonly BoundValue[]) : [operand as BoundValue]).map((each) =>
    toComparable(each, physical),
  );
  const [first = { operand: false, factor: 1n }, second = first] = operands;
  switch (op) {
    case "in":
    case "not_in":
      return buildMembership(operands, op === "in");
    case "between":
      return (value) => meets(value, first, (side) => side >= 0) && meets(value, second, (side) => side <= 0);
    case "contains":
      return (value) => typeof value === "string" && value.includes(String(first.operand));
    case "starts_with":
      return (value) => typeof value === "string" && value.startsWith(String(first.operand));
    case "ne":
      return (value) => value !== null && !meets(value, first, (side) => side === 0);
    default:
      return buildComparison(first, SIDES[op]);
  }
}

const SIDES = {
  eq: (side: number): boolean => side === 0,
  gt: (side: number): boolean => side > 0,
  gte: (side: number): boolean => side >= 0,
  lt: (side: number): boolean => side < 0,
  lte: (side: number): boolean => side <= 0,
} as const;

function buildComparison(first: Comparable, holds: (side: number) => boolean): Predicate {
  return (value) => meets(value, first, holds);
}

function meets(value: Held, { operand, factor }: Comparable, holds: (side: number) => boolean): boolean {
  if (!isComparable(value)) return false;
  const scaled = factor !== 1n && typeof value === "bigint" ? value * factor : value;
  return holds(compareHeld(scaled, operand));
}

function buildMembership(operands: readonly Comparable[], isIn: boolean): Predicate {
  // What has more places than the column holds equals none of its values.
  const listed = new Set<Held>(operands.filter(({ factor }) => factor === 1n).map(({ operand }) => operand));
  return (value) => value !== null && (isComparable(value) && listed.has(value)) === isIn;
}

function toComparable(value: BoundValue, physical: string): Comparable {
  const plain = (operand: Exclude<Held, null>): Comparable => ({ operand, factor: 1n });
  if (physical === "date") return plain(readDay(String(value)) ?? 0);
  if (physical === "datetime") return plain(readMoment(String(value), false) ?? 0n);
  const scale = findScale(physical);
  if (scale === undefined) return plain(value instanceof Decimal ? value.toString() : value);
  const exact = value instanceof Decimal ? value : Decimal.of(BigInt(value));
  const apart = scale - exact.scale;
  if (apart >= 0) return plain(exact.units * 10n ** BigInt(apart));
  return { operand: exact.units, factor: 10n ** BigInt(-apart) };
}

/** Builds a test of rows, or of groups, out of conditions that all have to hold, or any. */
export function buildTest<Item>(
  trees: readonly ConditionTree<BoundValue>[],
  joiner: "all" | "any",
  build: (condition: Condition<BoundValue>) => (item: Item) => boolean,
): (item: Item) => boolean {
  const tests = trees.map((tree) => ("joiner" in tree ? buildTest(tree.parts, tree.joiner, build) : build(tree)));
  if (joiner === "all") return (item) => tests.every((test) => test(item));
  return (item) => tests.some((test) => test(item));
}
