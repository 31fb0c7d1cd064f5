/** Bindings whose rows are parted by the values of a column: a call is made once for each of them. */

import { buildReader, type Held, toJson } from "../engine/values.js";
import { ServiceError } from "../errors.js";
import { sortForms } from "../query/condition-groups.js";
import { invalidIntent, limitExceeded } from "../query/faults.js";
import { describeValue, writeCount } from "../query/text.js";
import { compareTexts } from "../values/order.js";
import { type BindingSources, type Bound, bindRows, type ReadBinding, readBinding, type Rows } from "./binding.js";
import { type Checked } from "./call.js";
import { requireGroupSamples } from "./samples.js";

const MOST_GROUPS = 10_000;

/** The rows of one value of the column that a call is made over, bound; the value as JSON has it. */
export interface BoundGroup {
  readonly column: string;
  readonly value: string | number | boolean | null;
  readonly bound: readonly Bound[];
}

/**
 * Binds a call once for each value of a column of its one source, in the order of the values, null last.
 *
 * @throws {ServiceError} As `bindColumns`, and `invalid_intent` of a column that parts no rows.
 */
export async function bindGroups(
  checked: Checked,
  over: string,
  sources: BindingSources,
): Promise<readonly BoundGroup[]> {
  requireOneSource(checked, over);
  const read: ReadBinding[] = [];
  for (const binding of checked.bindings) read.push(await readBinding(checked, binding, sources, over));
  const column = read[0]?.over;
  if (column === undefined) return [];
  const { name, physical } = column.field;
  if (physical === "float64") throw overError(name, physical);
  const parts = read.map(partRows);
  const keys = [...new Map(parts.flatMap((part) => [...part].map(([text, { key }]) => [text, key] as const)))];
  if (keys.length > MOST_GROUPS) {
    const message = `${name} has ${writeCount(keys.length)} values; \`over\` takes at most ${writeCount(MOST_GROUPS)}.`;
    throw limitExceeded(message, { limit: MOST_GROUPS, value: keys.length });
  }
  return keys
    .sort(([, one], [, other]) => compareKeys(one, other))
    .map(([text, key]) => {
      const value = toJson(key, physical);
      const condition = {
        column: name,
        ...(value === null ? { op: "is_null" as const } : { op: "eq" as const, value }),
      };
      const bindPart = (each: ReadBinding, at: number): readonly Bound[] => {
        const filter = { conditions: sortForms([...(each.filter?.conditions ?? []), condition]) };
        return bindRows(each, parts[at]?.get(text)?.rows ?? new Int32Array(0), filter);
      };
      const bindGroup = (): readonly Bound[] => {
        const bound = read.flatMap(bindPart);
        requireGroupSamples(checked, bound);
        return bound;
      };
      return { column: name, value, bound: nameGroup(name, value, bindGroup) };
    });
}

function requireOneSource(checked: Checked, over: string): void {
  const names = new Set(checked.bindings.map(({ source }) => source));
  if (names.size === 1 && typeof over === "string" && over !== "") return;
  const met = describeValue(over);
  const message = `\`over\` is ${met}, and needs exactly one bound source; this call has ${String(names.size)}.`;
  const hint = "`over` runs a call once for each value of a column of the bound source.";
  throw invalidIntent(message, { path: "over", met, expected: "a column of the bound source" }, hint);
}

function overError(name: string, physical: string): ServiceError {
  const message = `over is ${describeValue(name)}, a float64 column; expected text, whole numbers, dates or booleans.`;
  const expected = "string, int64, decimal, boolean, date or datetime";
  return invalidIntent(message, { path: "over", met: physical, expected });
}

/** The rows of a binding by the value of the column that parts them. */
function partRows({ over, rows }: ReadBinding): ReadonlyMap<string, { readonly key: Held; readonly rows: Rows }> {
  if (over === undefined) return new Map();
  const read = buildReader(over.column);
  const parts = new Map<string, { readonly key: Held; readonly rows: number[] }>();
  for (const row of rows) {
    const key = read(row);
    const text = `${typeof key} ${String(key)}`;
    const part = parts.get(text);
    if (part === undefined) parts.set(text, { key, rows: [row] });
    else part.rows.push(row);
  }
  return new Map(
    [...parts].map(([text, { key, rows: some }]) => [text, { key, rows: Int32Array.from(some) }] as const),
  );
}

function compareKeys(one: Held, other: Held): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other);
  return one < other ? -1 : Number(one > other);
}

/** Names in an error the group that failed. */
export function nameGroup<T>(column: string, value: BoundGroup["value"], run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ServiceError ? buildGroupError(error, column, value) : error;
  }
}

/** Builds the error of a call in one group: the same, with the group in its words and details. */
export function buildGroupError(error: ServiceError, column: string, value: BoundGroup["value"]): ServiceError {
  const details = Object.fromEntries(Object.entries(error.details).filter(([key]) => key !== "call"));
  const message = `In the group ${column} = ${describeValue(value)}: ${error.message}`;
  return new ServiceError(error.code, message, { hint: error.hint, details: { ...details, group: value } });
}
