/**
 * Samples: which parameters of a capability are paired, place by place, and which are compared. The contract says both:
 * arrays with a size of one letter are paired, row by row; one with a letter of its own is an independent sample, and
 * loses only its own nulls. `compares` names the parameters that are set against each other.
 */

import { type ServiceError } from "../errors.js";
import { formatAsk } from "../query/ask-format.js";
import { type AskForm } from "../query/ask-spec.js";
import { invalidIntent } from "../query/faults.js";
import { writeCount, writeName } from "../query/text.js";
import { type Bound, type ResolvedFilter } from "./binding.js";
import { type Checked } from "./call.js";
import { type Capability, type Parameter } from "./contract.js";
import { formatCall } from "./words.js";

/** Groups the names of parameters by the rows that they share, in their order. */
export function groupPaired(parameters: readonly Parameter[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const { name, shape } of parameters) {
    const size = shape[0] ?? "";
    groups.set(size, [...(groups.get(size) ?? []), name]);
  }
  return [...groups.values()];
}

/** Whether parameters share their rows, so that a condition on nulls of one may leave out rows of all. */
export function arePaired({ parameters }: Capability, names: readonly string[]): boolean {
  return groupPaired(parameters.filter(({ name }) => names.includes(name))).length < 2;
}

/** The column that a parameter is bound to, by resolved names, and the binding that read it. */
interface BoundColumn {
  readonly source: string;
  readonly field: string;
  readonly bound: Bound;
}

type Columns = ReadonlyMap<string, BoundColumn>;

function listColumns(bound: readonly Bound[]): Columns {
  return new Map(
    bound.flatMap((one) =>
      one.binding.parameters.map((name, at) => {
        return [name, { source: one.binding.source, field: one.fields[at] ?? "", bound: one }] as const;
      }),
    ),
  );
}

/**
 * Requires that a call neither compares a sample with itself nor pairs values of other rows.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function requireSamples(checked: Checked, bound: readonly Bound[]): void {
  const columns = listColumns(bound);
  const same = findSameSample(checked.capability, columns);
  if (same !== undefined) throw sameSampleError(checked, columns, ...same);
  const broken = findBrokenPair(checked.capability, columns);
  if (broken !== undefined) throw brokenPairError(checked, columns, ...broken);
}

/** Two parameters that are compared and are bound to one column under one condition. */
function findSameSample({ compares }: Capability, columns: Columns): readonly [string, string] | undefined {
  const names = compares.filter((name) => columns.has(name));
  const pairs = names.flatMap((first, at) => names.slice(at + 1).map((second) => [first, second] as const));
  return pairs.find(([first, second]) => isSame(columns.get(first), columns.get(second)));
}

function isSame(one: BoundColumn | undefined, other: BoundColumn | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.source !== other.source || one.field !== other.field) return false;
  const filters = [one.bound.filter, other.bound.filter];
  if (writeFilter(filters[0]) === writeFilter(filters[1])) return true;
  // A condition that leaves out no row is none.
  return filters.includes(undefined) && countRows(one.bound) === countRows(other.bound);
}

function writeFilter(filter: unknown): string {
  const texts = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${String(value)}n` : value);
  return JSON.stringify([filter], texts);
}

/** Counts the rows that a binding selected, before nulls were dropped. */
function countRows({ rowCount, dropped }: Bound): number {
  return rowCount + dropped;
}

/** A parameter that lost rows to nulls, and one that is paired with it and did not lose the same rows. */
function findBrokenPair({ parameters }: Capability, columns: Columns): readonly [string, string] | undefined {
  for (const group of groupPaired(parameters.filter(({ shape }) => shape.length > 0)))
    for (const name of group) {
      const rows = columns.get(name)?.bound;
      if (rows === undefined || rows.dropped === 0) continue;
      const other = group.find((each) => columns.get(each)?.bound !== rows);
      if (other !== undefined) return [name, other];
    }
  return undefined;
}

// --- errors ----------------------------------------------------------------------------------------------------------

const NEGATED: Readonly<Record<string, string>> = {
  eq: "ne",
  ne: "eq",
  lt: "gte",
  gte: "lt",
  gt: "lte",
  lte: "gt",
  in: "not_in",
  not_in: "in",
  is_null: "is_not_null",
  is_not_null: "is_null",
};

function sameSampleError(checked: Checked, columns: Columns, first: string, second: string): ServiceError {
  const column = writeColumn(columns.get(first));
  const under = columns.get(second)?.bound.filter === undefined ? "" : " under one condition";
  return invalidIntent(
    `${checked.capability.id} compares ${first} with ${second}, and both are ${column}${under}: the same values.`,
    {
      parameter: second,
      field: columns.get(second)?.field,
      met: `the values of ${first}`,
      expected: "another column, or other rows of it",
    },
    advise(checked, columns, first, second),
  );
}

function advise(checked: Checked, columns: Columns, first: string, second: string): string {
  if (arePaired(checked.capability, [first, second])) return `Name another column for ${first} or ${second}.`;
  const column = writeColumn(columns.get(first));
  const form = `${first}=${column}[…] ${second}=${column}[…]`;
  const line = writeComplement(checked, columns, first, second);
  if (line === undefined) return `Name another column, or give each its own condition: ${form}.`;
  return `Give each its own condition: ${form}. The rows of the condition against all others: ${line}`;
}

/** The call that compares the rows of a condition with all others; undefined unless one short condition says it. */
function writeComplement(checked: Checked, columns: Columns, first: string, second: string): string | undefined {
  const conditions = (columns.get(first)?.bound.filter as ResolvedFilter | undefined)?.conditions ?? [];
  const [condition] = conditions;
  const op = condition !== undefined && "op" in condition ? NEGATED[condition.op] : undefined;
  if (columns.size !== 2 || conditions.length !== 1 || condition === undefined || op === undefined) return undefined;
  const column = writeColumn(columns.get(first));
  const said = new Map([
    [first, `${column}[${writeCondition(condition)}]`],
    [second, `${column}[${writeCondition({ ...condition, op } as AskForm)}]`],
  ]);
  const line = formatCall(checked, [], said);
  return line.includes("…") ? undefined : line;
}

function writeCondition(condition: AskForm): string {
  return formatAsk({ aggregation: "count", filter: { conditions: [condition] } }).slice("count where ".length);
}

function brokenPairError(checked: Checked, columns: Columns, name: string, other: string): ServiceError {
  const bound = columns.get(name)?.bound;
  const lost = `${writeCount(bound?.dropped ?? 0)} of ${writeCount(bound === undefined ? 0 : countRows(bound))} rows`;
  return invalidIntent(
    `${name} and ${other} of ${checked.capability.id} are paired row by row, and ${lost} with a null would be dropped ` +
      `from ${name} alone.`,
    {
      parameter: name,
      field: columns.get(name)?.field,
      met: `${lost} with a null`,
      expected: `rows that are dropped from ${other} too`,
    },
    `Bind both in one binding of one source, rowwise, or select the rows of ${name} with a filter.`,
  );
}

function writeColumn(column: BoundColumn | undefined): string {
  return `${writeName(column?.source ?? "")}.${writeName(column?.field ?? "")}`;
}
