/** Reads the conditions of a spec: on rows, and on groups. */

import { isObject } from "@service-nb/records";
import { flattenConditions, joinConditions } from "./condition-groups.js";
import { invalidIntent, limitExceeded } from "./faults.js";
import { spellMeasure } from "./measures.js";
import {
  checkSize,
  isEmpty,
  type Members,
  misfitError,
  readChoice,
  readMembers,
  readName,
  readText,
} from "./reading.js";
import { CONDITION_KEYS, FILTER_KEYS, HAVING_KEYS, JOINERS, LIMITS, MEASURE_KEYS, OPERATORS, PERIODS, TIME_FILTER_KEYS } from "./tables.js"; // prettier-ignore
import { type AskedMeasure, type Condition, type ConditionTree, type Op, type TimeFilter } from "./types.js";
import { type Operand, RealNumber } from "./values.js";

type ReadLeaf = (raw: unknown, path: string) => Condition<Operand>;
type ReadMeasure = (raw: unknown, path: string) => AskedMeasure;
type Trees = readonly ConditionTree<Operand>[];

const OPS = Object.keys(OPERATORS) as Op[];
const COMPARED_KEYS = CONDITION_KEYS.filter((key) => key !== "column");
const MEASURED_KEYS = [...MEASURE_KEYS, ...COMPARED_KEYS];

/** The conditions and the period of a filter. */
export function readFilter(raw: unknown): { readonly conditions: Trees; readonly timeFilter: TimeFilter | undefined } {
  if (raw === undefined) return { conditions: [], timeFilter: undefined };
  const parts = readMembers(raw, "filter", FILTER_KEYS);
  const conditions = readConditions(parts.conditions, "filter.conditions", readCondition);
  return { conditions, timeFilter: readTimeFilter(parts.time_filter) };
}

/** The conditions on groups, in which a measure stands in place of a column. */
export function readHaving(raw: unknown, readMeasure: ReadMeasure): Trees {
  if (raw === undefined) return [];
  const parts = readMembers(raw, "having", HAVING_KEYS);
  return readConditions(parts.conditions, "having.conditions", (leaf, path) => readMeasured(leaf, path, readMeasure));
}

function readConditions(raw: unknown, path: string, readLeaf: ReadLeaf): Trees {
  return new ConditionsReader(path, readLeaf).read(isEmpty(raw) ? [] : raw);
}

/** Reads the conditions of rows or of groups, and counts those in all brackets. */
class ConditionsReader {
  readonly #path: string;
  readonly #readLeaf: ReadLeaf;
  #count = 0;

  constructor(path: string, readLeaf: ReadLeaf) {
    this.#path = path;
    this.#readLeaf = readLeaf;
  }

  read(raw: unknown): Trees {
    return flattenConditions("all", this.#readList(raw, this.#path, 0));
  }

  #readList(raw: unknown, path: string, depth: number): Trees {
    if (!Array.isArray(raw)) throw misfitError(path, raw, "a list of conditions");
    checkSize(raw.length, LIMITS.conditions, path, "conditions");
    return Array.from(raw, (item: unknown, at) => this.#readTree(item, `${path}[${String(at)}]`, depth));
  }

  #readTree(raw: unknown, path: string, depth: number): ConditionTree<Operand> {
    const joiner = isObject(raw) ? JOINERS.find((each) => Object.hasOwn(raw, each)) : undefined;
    if (joiner === undefined) {
      this.#count += 1;
      checkSize(this.#count, LIMITS.conditions, this.#path, "conditions");
      return this.#readLeaf(raw, path);
    }
    const parts = readMembers(raw, path, [joiner])[joiner];
    if (depth === LIMITS.groups) {
      const details = { path, limit: LIMITS.groups, value: depth + 1 };
      throw limitExceeded(`${path} is in more than ${String(LIMITS.groups)} groups.`, details);
    }
    const inside = `${path}.${joiner}`;
    if (isEmpty(parts)) throw misfitError(inside, parts, "a list of at least one condition");
    return joinConditions(joiner, this.#readList(parts, inside, depth + 1));
  }
}

function readCondition(raw: unknown, path: string): Condition<Operand> {
  const parts = readMembers(raw, path, CONDITION_KEYS);
  return readComparison(parts, path, readName(parts.column, `${path}.column`));
}

function readMeasured(raw: unknown, path: string, readMeasure: ReadMeasure): Condition<Operand> {
  const parts = readMembers(raw, path, MEASURED_KEYS);
  const measure = readMeasure(Object.fromEntries(MEASURE_KEYS.map((key) => [key, parts[key]])), path);
  return { ...readComparison(parts, path, spellMeasure(measure)), measure };
}

type Compared = Members<(typeof COMPARED_KEYS)[number]>;

function readComparison(parts: Compared, path: string, column: string): Condition<Operand> {
  const op = readChoice(parts.op, `${path}.op`, OPS);
  const { value, values } = parts;
  const { takes } = OPERATORS[op];
  if (takes === "none") {
    if (value !== undefined || values !== undefined)
      throw invalidIntent(`${path}: ${op} takes no value.`, { path, met: "value", expected: "no value" });
    return { column, op };
  }
  if (takes === "two" || takes === "list") return { column, op, operand: readOperands(op, parts, path) };
  if (values !== undefined || value === undefined)
    throw invalidIntent(`${path}: ${op} takes one \`value\`.`, { path, expected: "value" });
  return { column, op, operand: readOperand(value, `${path}.value`) };
}

function readOperands(op: Op, { value, values }: Compared, path: string): readonly Operand[] {
  const listed = values ?? value;
  if ((value !== undefined && values !== undefined) || !Array.isArray(listed) || listed.length === 0)
    throw invalidIntent(`${path}: ${op} takes \`values\`, a non-empty list.`, { path, expected: "values" });
  if (OPERATORS[op].takes === "two" && listed.length !== 2) {
    const says = `${path}: ${op} takes two \`values\`, not ${String(listed.length)}.`;
    throw invalidIntent(says, { path, expected: "2 values" });
  }
  checkSize(listed.length, LIMITS.values, `${path}.values`, "values");
  return Array.from(listed, (item: unknown, at) => readOperand(item, `${path}.values[${String(at)}]`));
}

/** A value that a condition compares with; a moment is its text in UTC. */
function readOperand(value: unknown, path: string): Operand {
  if (typeof value === "number" && !Number.isFinite(value)) throw misfitError(path, value, "a finite number");
  if (typeof value === "bigint" && (value < 0n ? -value : value) >= 10n ** BigInt(LIMITS.digits)) {
    const details = { path, limit: LIMITS.digits, limit_name: "digits" };
    throw limitExceeded(`${path} has more than ${String(LIMITS.digits)} digits.`, details);
  }
  if (typeof value === "string") return readText(value, path, LIMITS.text);
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof RealNumber) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString().replace(/(\.000)?Z$/, "");
  throw misfitError(path, value ?? null, "a string, a number, a boolean or a date");
}

function readTimeFilter(raw: unknown): TimeFilter | undefined {
  if (raw === undefined) return undefined;
  const parts = readMembers(raw, "filter.time_filter", TIME_FILTER_KEYS);
  const column = readName(parts.column, "filter.time_filter.column");
  return { column, period: readChoice(parts.period, "filter.time_filter.period", PERIODS) };
}
