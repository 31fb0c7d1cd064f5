/**
 * Samples: which parameters of a capability are paired, place by place, and which are compared. The contract says both:
 * arrays with a size of one letter are paired, row by row; one with a letter of its own is an independent sample, and
 * loses only its own nulls. `compares` names the parameters that are set against each other.
 */

import { type ServiceError } from "../errors.js";
import { formatAsk } from "../query/ask-format.js";
import { type AskForm } from "../query/ask-spec.js";
import { invalidIntent } from "../query/faults.js";
import { OPERATORS } from "../query/tables.js";
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
type Pair = readonly [string, string];

function listColumns(bound: readonly Bound[]): Columns {
  return new Map(
    bound.flatMap((one) =>
      one.binding.parameters.map((name, at) => {
        return [name, { source: one.binding.source, field: one.fields[at] ?? "", bound: one }] as const;
      }),
    ),
  );
}

/** Counts the values of a column that a condition selects; undefined where there are nulls among them. */
export type CountValues = (bound: Bound, field: string, condition: AskForm) => Promise<number | undefined>;

/**
 * Requires that a call neither compares a sample with itself nor pairs values of other rows.
 *
 * @throws {ServiceError} `invalid_intent`, with a call that compares other rows where they can be counted
 */
export async function requireSamples(
  checked: Checked,
  bound: readonly Bound[],
  countValues: CountValues,
): Promise<void> {
  const columns = listColumns(bound);
  const same = findSameSample(checked.capability, columns);
  const counted = same === undefined || columns.size > same.length ? undefined : columns.get(same[0]);
  requireSeveral(checked, columns, same, await findOthers(checked, counted, countValues));
}

/** Requires the same of a group of `over`, whose rows no condition of a line selects. */
export function requireGroupSamples(checked: Checked, bound: readonly Bound[]): void {
  const columns = listColumns(bound);
  requireSeveral(checked, columns, findSameSample(checked.capability, columns), undefined);
}

function requireSeveral(checked: Checked, columns: Columns, same: Pair | undefined, others: AskForm | undefined): void {
  if (same !== undefined) throw sameSampleError(checked, columns, same, others);
  const broken = findBrokenPair(checked.capability, columns);
  if (broken !== undefined) throw brokenPairError(checked, columns, broken);
}

/** The condition of the rows that a column's own leaves out, if both are enough for the call. */
async function findOthers(
  { capability }: Checked,
  column: BoundColumn | undefined,
  countValues: CountValues,
): Promise<AskForm | undefined> {
  const others = negateCondition(column?.bound.filter);
  if (column === undefined || others === undefined || column.bound.dropped > 0) return undefined;
  const count = await countValues(column.bound, column.field, others);
  const least = Math.max(...capability.entry.params.map((each) => each.min_size ?? 1));
  return count !== undefined && Math.min(column.bound.rowCount, count) >= least ? others : undefined;
}

/** Two parameters that are compared and are bound to one column under one condition. */
function findSameSample({ compares }: Capability, columns: Columns): Pair | undefined {
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
function findBrokenPair({ parameters }: Capability, columns: Columns): Pair | undefined {
  for (const group of groupPaired(parameters.filter(({ shape }) => shape.length > 0)))
    for (const name of group) {
      const rows = columns.get(name)?.bound;
      if (rows === undefined || rows.dropped === 0) continue;
      const other = group.find((each) => columns.get(each)?.bound !== rows);
      if (other !== undefined) return [name, other];
    }
  return undefined;
}

/** The columns of parameters that are paired though their rows are selected apart, each group of them. */
export function findPairsByPlace({ parameters }: Capability, bound: readonly Bound[]): readonly (readonly string[])[] {
  const columns = listColumns(bound);
  const groups = groupPaired(parameters.filter(({ name, shape }) => shape.length > 0 && columns.has(name)));
  const found = groups.map((group) => group.flatMap((name) => columns.get(name) ?? []));
  const isApart = (group: readonly BoundColumn[]): boolean =>
    new Set(group.map((each) => writeFilter([each.source, each.bound.filter]))).size > 1;
  return found.filter(isApart).map((group) => group.map(({ field }) => field));
}

// --- errors ----------------------------------------------------------------------------------------------------------

function sameSampleError(checked: Checked, columns: Columns, names: Pair, others: AskForm | undefined): ServiceError {
  const [first, second] = names;
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
    advise(checked, columns, names, others),
  );
}

function advise(checked: Checked, columns: Columns, [first, second]: Pair, others: AskForm | undefined): string {
  if (arePaired(checked.capability, [first, second])) return `Name another column for ${first} or ${second}.`;
  const column = writeColumn(columns.get(first));
  const form = `${first}=${column}[…] ${second}=${column}[…]`;
  const condition = readCondition(columns.get(first)?.bound.filter);
  let line = "…";
  if (condition !== undefined && others !== undefined) {
    const said = [
      [first, `${column}[${writeCondition(condition)}]`],
      [second, `${column}[${writeCondition(others)}]`],
    ] as const;
    line = formatCall(checked, [], new Map(said));
  }
  // Also where a value is too long for a line.
  if (line.includes("…")) return `Name another column, or give each its own condition: ${form}.`;
  return `Give each its own condition: ${form}. The rows of the condition against all others: ${line}`;
}

/** The condition of all rows that a filter leaves out, but for nulls; undefined unless it is one condition. */
function negateCondition(filter: unknown): AskForm | undefined {
  const condition = readCondition(filter);
  const op = condition !== undefined && "op" in condition ? OPERATORS[condition.op].opposite : null;
  return op === null ? undefined : { ...condition, op };
}

function readCondition(filter: unknown): AskForm | undefined {
  const conditions = (filter as ResolvedFilter | undefined)?.conditions ?? [];
  return conditions.length === 1 ? conditions[0] : undefined;
}

function writeCondition(condition: AskForm): string {
  return formatAsk({ aggregation: "count", filter: { conditions: [condition] } }).slice("count where ".length);
}

function brokenPairError(checked: Checked, columns: Columns, [name, other]: Pair): ServiceError {
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
