/**
 * Variables of questions: `where year = $year`. A name stands for a value of a condition, and never for text.
 *
 * A spec has them as `{"variable": "year"}`. They become values before anything else reads the question, so a plan holds
 * values; what each stood for is in its notes.
 */

import { isObject } from "@service-nb/records";
import { type ServiceError } from "../errors.js";
import { formatValue } from "./ask-format.js";
import { invalidIntent, limitExceeded } from "./faults.js";
import { findNearest } from "./matching.js";
import { LIMITS } from "./tables.js";
import { compareTexts } from "../values/order.js";
import { cut, describeValue, makeVisible, writeCount } from "./text.js";
import { type Operand, RealNumber } from "./values.js";

const EXPECTED = "text, a number, a boolean, a date, or a list of them";
const SHOWN = 64; // characters of a name

/** What variables stand for, by name. */
export type Variables = Readonly<Record<string, unknown>>;

/** A spec with values in place of its variables, and what each of them stood for. */
export interface BoundSpec {
  readonly spec: unknown;
  readonly notes: Readonly<Record<string, string>>;
}

/**
 * Puts values in place of the variables of a spec.
 *
 * @throws {ServiceError} There is no variable of a name, or its value is none that a condition compares with.
 */
export function bindVariables(spec: unknown, variables: Variables): BoundSpec {
  if (!isObject(spec)) return { spec, notes: {} };
  const notes = new Map<string, string>();
  const find = (name: string): Operand | readonly Operand[] => {
    if (!Object.hasOwn(variables, name)) throw unboundVariableError(name, variables);
    const value = readVariable(variables[name], name);
    notes.set(`$${name}`, writeNote(value));
    return value;
  };
  const walker = new VariableWalker(find);
  const members = Object.entries(spec).map(([key, each]) => {
    return [key, key === "filter" || key === "having" ? walker.walk(each, 0) : each] as const;
  });
  return { spec: Object.fromEntries(members), notes: Object.fromEntries(notes) };
}

/** Changes the variables in the conditions of a spec; an object that stands in many places is read once. */
class VariableWalker {
  readonly #find: (name: string) => Operand | readonly Operand[];
  readonly #done = new Map<object, unknown>();

  constructor(find: (name: string) => Operand | readonly Operand[]) {
    this.#find = find;
  }

  walk(node: unknown, depth: number): unknown {
    if (depth > LIMITS.nesting || !(Array.isArray(node) || isObject(node))) return node;
    const known = this.#done.get(node);
    if (known !== undefined) return known;
    const changed = Array.isArray(node)
      ? node.map((each: unknown) => this.walk(each, depth + 1))
      : this.#change(node, depth);
    this.#done.set(node, changed);
    return changed;
  }

  #change(node: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> {
    const members = Object.entries(node).map(([key, each]): [string, unknown] => {
      const isOperand = key === "value" || key === "values";
      return [key, isOperand ? this.#changeOperand(each, key === "values") : this.walk(each, depth + 1)];
    });
    return Object.fromEntries(members);
  }

  #changeOperand(operand: unknown, isListed: boolean): unknown {
    const name = variableName(operand);
    if (name !== undefined) {
      const value = this.#find(name);
      return isListed && !Array.isArray(value) ? [value] : value;
    }
    if (!Array.isArray(operand)) return operand;
    return operand.flatMap((each: unknown) => {
      const inside = variableName(each); // `in ($years)` is `in $years`
      return inside === undefined ? [each] : this.#find(inside);
    });
  }
}

function variableName(value: unknown): string | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  const name = Object.hasOwn(value, "variable") ? value["variable"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** The error of a name that stands for nothing; it names the variables that there are, without values. */
function unboundVariableError(name: string, variables: Variables): ServiceError {
  const known = Object.keys(variables).filter((each) => isValue(variables[each]));
  const near = findNearest(name, known, 1);
  const others = [...known].sort(compareTexts).filter((each) => !near.includes(each));
  const listed = [...near, ...others].map((each) => `$${makeVisible(cut(each, SHOWN))}`);
  const more = listed.length > LIMITS.named ? ` and ${writeCount(listed.length - LIMITS.named)} more` : "";
  const shown = listed.slice(0, LIMITS.named);
  const there = shown.length > 0 ? `There is ${shown.join(", ")}${more}.` : "None was given.";
  const details = {
    met: `$${name}`,
    expected: shown.length > 0 ? shown : undefined,
    did_you_mean: near[0] === undefined ? undefined : [`$${near[0]}`],
  };
  const hint = near[0] === undefined ? undefined : `Did you mean \`$${near[0]}\`?`;
  return invalidIntent(`No variable is called \`$${makeVisible(cut(name, SHOWN))}\`. ${there}`, details, hint);
}

function isValue(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return toScalar(first) !== undefined;
}

/** What a variable stands for, as a caller would write it in a condition. */
function readVariable(value: unknown, name: string): Operand | readonly Operand[] {
  if (!Array.isArray(value)) return readScalar(value, name);
  if (value.length > LIMITS.values) {
    const says = `The variable \`$${name}\` has ${writeCount(value.length)} values; at most ${writeCount(LIMITS.values)} are taken.`;
    throw limitExceeded(says, { limit: LIMITS.values, value: value.length });
  }
  return Array.from(value, (each: unknown) => readScalar(each, name));
}

function readScalar(value: unknown, name: string): Operand {
  const scalar = toScalar(value);
  if (scalar !== undefined) return scalar;
  const says = `The variable \`$${name}\` is ${describeValue(value)}; expected ${EXPECTED}.`;
  throw invalidIntent(says, { met: `$${name}`, expected: EXPECTED });
}

/** A moment is its text in UTC. */
function toScalar(value: unknown): Operand | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? undefined : value.toISOString().replace(/(\.000)?Z$/, "");
  if (value instanceof RealNumber) return value;
  if (typeof value === "number") return Number.isNaN(value) ? undefined : value;
  return typeof value === "string" || typeof value === "boolean" || typeof value === "bigint" ? value : undefined;
}

function writeNote(value: Operand | readonly Operand[]): string {
  if (!isList(value)) return cut(formatValue(value), LIMITS.noteChars);
  const more = value.length > LIMITS.noted ? `, … ${writeCount(value.length - LIMITS.noted)} more` : "";
  return `(${value
    .slice(0, LIMITS.noted)
    .map((each) => cut(formatValue(each), LIMITS.noteChars))
    .join(", ")}${more})`;
}

function isList(value: Operand | readonly Operand[]): value is readonly Operand[] {
  return Array.isArray(value);
}
