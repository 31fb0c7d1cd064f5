/** Columns as arguments: read by the names, conditions and policy of a question, in the order of their source. */

import { type Selected } from "../engine/evaluate.js";
import { buildReader, type Held, toJson, writeUnits } from "../engine/values.js";
import { ServiceError } from "../errors.js";
import { type Clock } from "../query/binder.js";
import { type AskForm } from "../query/ask-spec.js";
import { invalidIntent } from "../query/faults.js";
import { type Refusal, statusOf, writeResolution } from "../query/outcomes.js";
import { buildHashedForm } from "../query/plan.js";
import { describeDeniedField, type Policy } from "../query/policy.js";
import { resolve } from "../query/resolve.js";
import { parseSpec } from "../query/spec.js";
import { describeValue, quoteText, writeCount, writeName } from "../query/text.js";
import { type Plan, type Question } from "../query/types.js";
import { type Catalog } from "../source.js";
import { type Column, type Field, findDecimalSize } from "../values/columns.js";
import { convertEach, ITEMS, Misfit } from "./arguments.js";
import { type Binding, type Checked } from "./call.js";
import { type Parameter } from "./contract.js";
import { type Value } from "./executor.js";
import { hashValues, iterList, iterValue } from "./identity.js";
import { groupPaired } from "./samples.js";
import { type ComputedValue, encodeValue } from "./words.js";

/** A binding after its columns were read: a value for each parameter, and where they came from. */
export interface Bound {
  readonly binding: Binding;
  /** As the source has them. */
  readonly fields: readonly string[];
  readonly values: readonly Value[];
  readonly schemaRevision: string;
  readonly rowCount: number;
  readonly dropped: number;
  /** Of the column; of several, of the list of them. */
  readonly inputHash: string;
  readonly inputHashes: readonly string[];
  /** Resolved, as JSON. */
  readonly filter: ResolvedFilter | undefined;
  /** Undefined of a live source, whose count may have changed. */
  readonly sourceRows: number | undefined;
}

/** Columns of a source, and how many rows it has in all. */
export interface SourceColumns extends Selected {
  /** Undefined of a live source, whose count may have changed. */
  readonly sourceRows: number | undefined;
}

/** What columns are read from: the sources as the policy shows them. */
export interface BindingSources {
  readonly policy: Policy;
  readonly buildCatalog: () => Catalog;
  readonly readClock: () => Clock;
  /** Connects a source that is not connected, if a deployment has one of exactly that name. */
  readonly connectNamed: (name: string) => Promise<void>;
  /** The columns that a plan groups by, and their rows that meet its conditions, where the source has its values. */
  readonly readColumns: (plan: Plan) => Promise<SourceColumns>;
}

/**
 * Reads the columns of a binding, and converts them to the types of its parameters.
 *
 * @throws {ServiceError} `policy_denied_…`, `source_not_found`, `source_changed`, `invalid_intent`
 */
export async function bindColumns(
  checked: Checked,
  binding: Binding,
  sources: BindingSources,
): Promise<readonly Bound[]> {
  const read = await readBinding(checked, binding, sources);
  return bindRows(read, read.rows, read.filter);
}

/** The columns of a binding as they were read, and the rows that its filter keeps. */
export interface ReadBinding {
  readonly binding: Binding;
  readonly parameters: readonly (Parameter | undefined)[];
  readonly columns: readonly Named[];
  /** The column whose values part the rows, of a call that is made over it. */
  readonly over: Named | undefined;
  readonly rows: Rows;
  readonly schemaRevision: string;
  readonly filter: ResolvedFilter | undefined;
  readonly sourceRows: number | undefined;
}

/** A filter after its names and values were resolved, as JSON. */
export interface ResolvedFilter {
  readonly conditions: readonly AskForm[];
}

/** Reads the columns of a binding, and with them the one that parts its rows. */
export async function readBinding(
  checked: Checked,
  binding: Binding,
  sources: BindingSources,
  over?: string,
): Promise<ReadBinding> {
  await sources.connectNamed(binding.source);
  const plan = planBinding(binding, sources, over);
  const selected = await sources.readColumns(plan);
  // A column that several parameters take is named once in the plan.
  const names = over === undefined ? binding.fields : [...binding.fields, over];
  const distinct = [...new Set(names)];
  const columns = names.map((field) => selected.columns[distinct.indexOf(field)]).filter(isThere);
  return {
    binding,
    parameters: binding.parameters.map((name) => checked.capability.parameters.find((each) => each.name === name)),
    columns: columns.slice(0, binding.fields.length),
    over: over === undefined ? undefined : columns.at(-1),
    rows: selected.rows,
    schemaRevision: plan.schemaRevision,
    filter: buildHashedForm(plan)["filter"] as ResolvedFilter | undefined,
    sourceRows: selected.sourceRows,
  };
}

/**
 * Converts some rows of a binding's columns to the types of its parameters. Where there are nulls, those that are not
 * paired are bound by themselves: each loses its own nulls alone.
 */
export function bindRows(read: ReadBinding, some: Rows, filter: ResolvedFilter | undefined): readonly Bound[] {
  const groups = groupPaired(read.parameters.filter(isThere));
  const hasNulls = read.columns.some(({ column }) => some.some((row) => isNull(column, row)));
  if (groups.length === 1 || !hasNulls) return [bindPart(read, some, filter)];
  const parts = groups.map((group) => takePart(read, group));
  const hint = `Drop them with nullPolicy: "drop": each sample loses its own.${writeSelections(parts, some, filter)}`;
  return parts.map((part) => bindPart(part, some, filter, hint));
}

/** The part of a binding that has some of its parameters. */
function takePart(read: ReadBinding, names: readonly string[]): ReadBinding {
  const places = read.binding.parameters.flatMap((name, at) => (names.includes(name) ? [at] : []));
  const pick = <T>(items: readonly T[]): readonly T[] => items.filter((_, at) => places.includes(at));
  const { parameters, fields } = read.binding;
  const binding = { ...read.binding, parameters: pick(parameters), fields: pick(fields) };
  return { ...read, binding, parameters: pick(read.parameters), columns: pick(read.columns) };
}

/** The arguments of a line that leave out the nulls of each part alone. */
function writeSelections(parts: readonly ReadBinding[], rows: Rows, filter: ResolvedFilter | undefined): string {
  if (filter !== undefined) return ""; // whose text is not known here
  const written = parts.flatMap(({ binding, columns }) => {
    const holed = columns.filter(({ column }) => rows.some((row) => isNull(column, row)));
    const told = holed.map(({ field }) => `${writeName(field.name)} is not null`).join(" and ");
    const where = told === "" ? "" : `[${told}]`;
    return binding.parameters.map((name, at) => {
      return `${name}=${writeName(binding.source)}.${writeName(columns[at]?.field.name ?? "")}${where}`;
    });
  });
  return ` Or select their rows: ${written.join(" ")}`;
}

/** Converts some rows of columns to the types of their parameters, row by row; the hint is of nulls that are refused. */
function bindPart(read: ReadBinding, some: Rows, filter: ResolvedFilter | undefined, nullHint?: string): Bound {
  const { binding, columns, parameters } = read;
  const { rows, dropped } = dropNulls(binding, columns, some, nullHint);
  const vectors = columns.map((named, at) => convertColumn(parameters[at], named, rows));
  const values = vectors.map((vector, at) => requireShape(parameters[at], columns[at]?.field, vector));
  const hashes = vectors.map((vector) => hashValues(iterValue(vector)));
  return {
    binding,
    fields: columns.map(({ field }) => field.name),
    values,
    schemaRevision: read.schemaRevision,
    rowCount: rows.length,
    dropped,
    inputHash: hashes.length === 1 ? (hashes[0] ?? "") : hashValues(iterList(vectors)),
    inputHashes: hashes,
    filter,
    sourceRows: read.sourceRows,
  };
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Resolves the names of a binding as those of a question that groups by its columns. */
function planBinding(binding: Binding, { policy, buildCatalog, readClock }: BindingSources, over?: string): Plan {
  policy.requireSource(binding.source);
  const filtered = parseSpec(binding.filter === undefined ? {} : { filter: binding.filter });
  const question: Question = {
    ...filtered,
    aggregation: "count",
    groupBy: [...new Set(over === undefined ? binding.fields : [...binding.fields, over])],
    sourceName: binding.source,
  };
  const resolution = resolve(question, buildCatalog(), readClock());
  if (resolution.plan !== undefined) return resolution.plan;
  throw refuseBinding(binding, resolution.refusals);
}

function refuseBinding(binding: Binding, refusals: readonly Refusal[]): ServiceError {
  const told = writeResolution({ refusals });
  const near = told.did_you_mean.length > 0 ? told.did_you_mean : undefined;
  const hint = near === undefined ? undefined : `Did you mean ${quoteText(near[0] ?? "")}?`;
  const [parameter] = binding.parameters;
  const denied = refusals.find(({ code, name }) => code === "policy_denied_field" && name !== undefined);
  if (denied?.name !== undefined) {
    const names = denied.didYouMean ?? [];
    const details = { met: denied.name, did_you_mean: names.length > 0 ? names : undefined, parameter };
    const message = describeDeniedField(binding.source, denied.name);
    return new ServiceError("policy_denied_field", message, { hint, details });
  }
  const reason = told.reason ?? statusOf({ refusals });
  const isOfSource = refusals.some(
    ({ code, missing, ways }) => code === "unknown_source" || [missing, ways?.[0]?.slot].includes("source_name"),
  );
  if (isOfSource)
    return new ServiceError("source_not_found", reason, {
      hint,
      details: { parameter, met: binding.source, did_you_mean: near },
    });
  const details = { parameter, met: binding.fields.join(", "), expected: `columns of ${binding.source}` };
  return invalidIntent(reason, { ...details, did_you_mean: near }, hint);
}

// --- values ----------------------------------------------------------------------------------------------------------

export type Named = Selected["columns"][number];
export type Rows = Selected["rows"];

function isNull(column: Column, row: number): boolean {
  return column.kind === "string" ? column.values[row] === null : column.nulls?.[row] === 1;
}

/** Counts the values of the one column of a binding; undefined where there are nulls among them. */
export async function countValues(
  checked: Checked,
  binding: Binding,
  sources: BindingSources,
): Promise<number | undefined> {
  const { columns, rows } = await readBinding(checked, binding, sources);
  return columns.some(({ column }) => rows.some((row) => isNull(column, row))) ? undefined : rows.length;
}

function dropNulls(
  binding: Binding,
  columns: readonly Named[],
  rows: Rows,
  nullHint: string | undefined,
): { rows: Rows; dropped: number } {
  const kept = rows.filter((row) => !columns.some(({ column }) => isNull(column, row)));
  const dropped = rows.length - kept.length;
  if (dropped === 0 || binding.nullPolicy === "drop") return { rows: kept, dropped };
  const at = columns.findIndex(({ column }) => rows.some((row) => isNull(column, row)));
  const met = `${writeCount(dropped)} of ${writeCount(rows.length)} rows with a null`;
  const hint = nullHint ?? 'Drop those rows with nullPolicy: "drop", or exclude them with a filter.';
  throw misfitError({ parameter: binding.parameters[at], field: columns[at]?.field, met, expected: "none", hint });
}

function convertColumn(parameter: Parameter | undefined, { field, column }: Named, rows: Rows): Value {
  const name = parameter?.name;
  const scalar = parameter?.scalar ?? "float64";
  if ((parameter?.shape.length ?? 0) > 1)
    throw misfitError({ parameter: name, field, met: "one column", expected: `a matrix, ${parameter?.type ?? ""}` });
  const read = buildItemReader(field, column, scalar === "float64");
  const converted =
    scalar === "float64"
      ? convertDoubles(rows, read)
      : convertEach(
          ITEMS[scalar],
          Array.from(rows, (row) => read(row)),
        );
  if (!(converted instanceof Misfit)) return converted;
  const { met, expected, index } = converted;
  throw misfitError({ parameter: name, field, met, expected, index });
}

function convertDoubles(rows: Rows, read: (row: number) => unknown): Float64Array | Misfit {
  const doubles = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const value = read(rows[at] ?? 0);
    if (typeof value !== "number" && typeof value !== "bigint") {
      return new Misfit(describeNoNumber(value), "a number", at);
    }
    const double = ITEMS.float64(value);
    if (double instanceof Misfit) return new Misfit(double.met, double.expected, at);
    doubles[at] = double as number;
  }
  return doubles;
}

function describeNoNumber(value: unknown): string {
  if (value instanceof Moment) return `the ${value.text.includes("T") ? "time" : "date"} ${value.text}`;
  return `${typeof value === "string" ? "the text " : ""}${describeValue(value)}`;
}

/** Reads a value as literals are taken: of a decimal the nearest double, or the whole number that it is. */
function buildItemReader(field: Field, column: Column, isDouble: boolean): (row: number) => unknown {
  const read = buildReader(column);
  const size = findDecimalSize(field.physical);
  if (size !== undefined) {
    const unit = 10n ** BigInt(size.scale);
    return (row) => {
      const units = column.kind === "decimal" ? (column.values[row] ?? 0n) : 0n;
      const text = writeUnits(units, size.scale);
      if (isDouble) return Number(text);
      return units % unit === 0n ? units / unit : Number(text);
    };
  }
  if (column.kind === "date" || column.kind === "datetime")
    return (row) => new Moment(String(toJson(read(row), field.physical)));
  return (row): Held => read(row);
}

/** A date, which is no number and no text. */
class Moment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function requireShape(parameter: Parameter | undefined, field: Field | undefined, vector: Value): Value {
  if (parameter === undefined || parameter.shape.length > 0) return vector;
  const items = vector as Float64Array | readonly Value[];
  const [first] = items;
  if (items.length === 1 && first !== undefined) return first;
  const expected = `exactly one, for ${parameter.type}`;
  throw misfitError({ parameter: parameter.name, field, met: `${writeCount(items.length)} values`, expected });
}

interface ColumnFault {
  readonly parameter: string | undefined;
  readonly field: Field | undefined;
  readonly met: string;
  readonly expected: string;
  readonly index?: number | undefined;
  readonly hint?: string;
}

function misfitError({ parameter, field, met, expected, index, hint }: ColumnFault): ServiceError {
  const at = index === undefined ? "" : ` (value ${writeCount(index + 1)})`;
  const message = `${parameter ?? ""} is bound to ${describeValue(field?.name)}${at}, which has ${met}; expected ${expected}.`;
  return invalidIntent(message, { parameter, field: field?.name, met, expected, index }, hint);
}

/** All arguments in the order of the capability's parameters. */
export function orderArguments(checked: Checked, bound: readonly Bound[]): readonly Value[] {
  const { names } = checked.capability;
  if (checked.args.length === names.length) return checked.args;
  const given = new Map<string, Value>(checked.args.map((value, at) => [names[at] ?? "", value]));
  for (const [name, value] of checked.kwargs) given.set(name, value);
  for (const { binding, values } of bound)
    for (const [at, name] of binding.parameters.entries()) given.set(name, values[at] ?? 0);
  return names.map((name) => given.get(name) ?? 0);
}

/** What was read for parameters, and its hashes. */
export interface BindingProvenance {
  readonly source_name: string;
  readonly fields: readonly string[];
  readonly parameters: readonly string[];
  readonly schema_revision: string;
  readonly row_count: number;
  readonly dropped: number;
  readonly input_hash: string;
  readonly input_hashes?: readonly string[];
  readonly filter?: ComputedValue;
  readonly source_rows?: number;
}

/** A binding as `provenance.bindings` has it; `row_count` counts the rows that were used. */
export function describeBinding(bound: Bound): BindingProvenance {
  return {
    source_name: bound.binding.source,
    fields: bound.fields,
    parameters: bound.binding.parameters,
    schema_revision: bound.schemaRevision,
    row_count: bound.rowCount,
    dropped: bound.dropped,
    input_hash: bound.inputHash,
    ...(bound.fields.length > 1 && { input_hashes: bound.inputHashes }),
    ...(bound.filter !== undefined && { filter: encodeValue(bound.filter as unknown as Value) }),
    ...(bound.sourceRows !== undefined && { source_rows: bound.sourceRows }),
  };
}
