/**
 * A source behind a deployment: plans go there, and what comes back is believed only with the hash that it must have.
 *
 * Rows are read by the physical types of this side's schema, put in order, and hashed: another hash than the
 * deployment's is `answer_mismatch`, and no answer.
 */

import { sha256 as hash } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { canonicalText, encodeUtf8 } from "@service-nb/records";
import { type Answer, type Group, type Selected, tooManyGroups } from "../engine/evaluate.js";
import { buildResult, type UsedRows } from "../engine/result.js";
import { type Held, toJson } from "../engine/values.js";
import { ServiceError } from "../errors.js";
import { buildResultColumns, listResultFields, planToJson, sealPlan } from "../query/plan.js";
import { describeValue, makeVisible } from "../query/text.js";
import { type Plan } from "../query/types.js";
import { type Limits } from "../readers/options.js";
import { type EngineAnswer } from "../service/live.js";
import { type Column, type Field } from "../values/columns.js";
import { type DeploymentClient } from "./client.js";
import { buildMismatch } from "./faults.js";
import {
  type ColumnValues,
  type QueryAnswer,
  type QueryData,
  type QueryProvenance,
  type ResultColumn,
} from "./messages.js";
import { buildColumn, readHeld, UnreadableError } from "./values.js";

const MOST_BYTES = 1024 ** 3; // of the columns that a computation is bound to
const MOST_WORDS = 200; // characters of a method or an engine's name

/** What is known of a source of a deployment. */
export interface RemoteDescription {
  /** What the deployment calls it; plans may call it otherwise here. */
  readonly dataset: string;
  readonly fields: readonly Field[];
  readonly revision: string;
  /** What tells the source from others of its name, there: no other may answer. */
  readonly mark: string | undefined;
  readonly limits: Limits;
}

/** Has the deployment run a plan, and reads its answer. */
export async function runRemotely(
  client: DeploymentClient,
  source: RemoteDescription,
  plan: Plan,
  timeoutS: number | undefined,
): Promise<EngineAnswer> {
  const own = rewritePlan(plan, source);
  const answer = await callSource(source, () =>
    client.post("/v1/query/execute", buildBody(own, source), "QueryAnswer", { timeoutS }),
  );
  if (answer.status !== "ok" || !isGiven(answer.data))
    throw mismatch(`is ${answer.status}, and a resolved plan was sent`, own);
  return checkAnswer(own, source, answer, answer.data);
}

/** Has the deployment read the columns that a plan groups by, each of which has the digest that it carries. */
export async function readRemotely(
  client: DeploymentClient,
  source: RemoteDescription,
  plan: Plan,
  timeoutS: number | undefined,
): Promise<Selected> {
  const own = rewritePlan(plan, source);
  const { columns } = await callSource(source, () =>
    client.post("/v1/query/columns", buildBody(own, source), "ColumnsAnswer", { timeoutS, mostBytes: MOST_BYTES }),
  );
  const [rowCount = 0, ...others] = columns.map(({ values }) => values.length);
  const isAsked = columns.length === own.groupBy.length && columns.every(({ name }, at) => name === own.groupBy[at]);
  if (!isAsked || others.some((count) => count !== rowCount))
    throw mismatch("has other columns than were asked for", own);
  const fields = new Map(source.fields.map((field) => [field.name, field]));
  const read = columns.map((told) => {
    const field = fields.get(told.name);
    if (field?.physical !== told.physical)
      throw mismatch(`has ${makeVisible(told.name)} as ${makeVisible(told.physical)}`, own);
    return { field, column: readColumn(told, own) };
  });
  return { columns: read, rows: Int32Array.from({ length: rowCount }, (_, row) => row) };
}

function readColumn({ name, physical, values, sha256 }: ColumnValues, plan: Plan): Column {
  try {
    const held = values.map((value) => readHeld(value, physical));
    const written = held.map((value) => toJson(value, physical));
    if (bytesToHex(hash(encodeUtf8(canonicalText(written)))) === sha256) return buildColumn(held, physical);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw mismatch(`has a value in ${makeVisible(name)} that is no ${physical}`, plan);
  }
  throw mismatch(`has values in ${makeVisible(name)} that do not have the digest that it carries`, plan);
}

/** A policy of this side may hide columns that the key may see, and so have another schema. */
function rewritePlan(plan: Plan, source: RemoteDescription): Plan {
  return sealPlan({ ...plan, schemaRevision: source.revision });
}

function buildBody(plan: Plan, { dataset, mark }: RemoteDescription): Readonly<Record<string, unknown>> {
  return { plan: { ...planToJson(plan), source_name: dataset }, ...(mark !== undefined && { mark }) };
}

async function callSource<T>({ dataset }: RemoteDescription, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw explainChange(error, dataset);
  }
}

/** Where the source is another by now, what to do about it on this side. */
function explainChange(error: unknown, dataset: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const anew = "Create another client, and connect it again; existing plans and cards do not change.";
  const name = describeValue(dataset);
  const { code, details } = error;
  if (code === "schema_revision_mismatch") {
    const message = `The deployment has ${name} with other columns than when it was connected.`;
    return new ServiceError(code, message, { hint: anew, details: { ...details, changed: "columns" } });
  }
  if (code === "source_changed") return new ServiceError(code, error.message, { hint: anew, details });
  if (code !== "source_not_found" || details["met"] !== dataset) return error;
  const message = `The deployment has no source ${name} any more, or this key may not see it.`;
  return new ServiceError(code, message, { hint: anew, details });
}

function checkAnswer(plan: Plan, source: RemoteDescription, told: QueryAnswer, data: QueryData): EngineAnswer {
  if (data.result.length > source.limits.groups) throw tooManyGroups(source.limits);
  if (data.plan_hash !== plan.planHash || data.schema_revision !== plan.schemaRevision)
    throw mismatch("is of another plan", plan);
  if (data.row_count !== data.result.length || !data.validated)
    throw mismatch("counts other rows than it has, or was not validated", plan);
  const fields = new Map(source.fields.map((field) => [field.name, field]));
  const columns = listResultFields(plan, fields);
  if (isGiven(told.columns) && !hasColumns(columns, told.columns)) throw mismatch("describes other columns", plan);
  const groups = readGroups(plan, columns, data.result);
  const answer: Answer = { groups, method: makeVisible(data.provenance.method.slice(0, MOST_WORDS)) };
  const result = buildResult(plan, fields, answer);
  if (result.rows.length !== groups.length || result.hash !== data.result_hash)
    throw mismatch("does not have the hash that it carries", plan, { met: result.hash, expected: data.result_hash });
  const engine = makeVisible(data.provenance.engine.slice(0, MOST_WORDS));
  return { answer, engine, used: readUsedRows(plan, groups, data.provenance) };
}

function hasColumns(due: readonly Field[], told: readonly ResultColumn[]): boolean {
  const isSame = (one: Field, other: ResultColumn | undefined): boolean =>
    one.name === other?.name && one.type === other.type && one.physical === other.physical;
  return told.length === due.length && due.every((field, at) => isSame(field, told[at]));
}

type Row = QueryData["result"][number];

function readGroups(plan: Plan, columns: readonly Field[], rows: readonly Row[]): readonly Group[] {
  try {
    return rows.map((row) => readGroup(plan, columns, row));
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw mismatch("has a value that does not fit its column's type", plan);
  }
}

function readGroup(plan: Plan, columns: readonly Field[], row: Row): Group {
  if (Object.keys(row).length !== columns.length) throw new UnreadableError();
  const values = columns.map(({ name, physical }): Held => {
    if (!Object.hasOwn(row, name)) throw new UnreadableError();
    return readHeld(row[name], physical);
  });
  const count = values.at(-1);
  if (typeof count !== "bigint") throw new UnreadableError();
  const names = buildResultColumns(plan);
  const measured = values.slice(names.keys.length, -1).values();
  return {
    keys: values.slice(0, names.keys.length),
    rows: count,
    values: names.measures.map((name) => (name === names.count ? count : (measured.next().value ?? null))),
    nulls: [],
  };
}

/** What the deployment says of the rows that it used, which must fit the groups; an older one says nothing. */
function readUsedRows(plan: Plan, groups: readonly Group[], told: QueryProvenance): UsedRows | undefined {
  const counted = Number(groups.reduce((sum, group) => sum + group.rows, 0n));
  const isWhole = plan.limit === undefined && plan.having.length === 0;
  const { used_rows: count, dropped = {} } = told;
  if (!isGiven(count)) return isWhole ? { count: counted, nulls: {} } : undefined;
  const metrics = new Set(plan.measures.map((each) => each.metric));
  const fits = Object.entries(dropped).every(([name, nulls]) => metrics.has(name) && nulls > 0 && nulls <= count);
  if (count < counted || (isWhole && count !== counted) || !fits)
    throw mismatch("counts other rows than its groups have", plan);
  return { count, nulls: dropped };
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

function mismatch(what: string, plan: Plan, details: Readonly<Record<string, unknown>> = {}): ServiceError {
  const hint = "It is not used. Ask again; if that does not help, use the same release on both sides.";
  return buildMismatch(`The deployment's answer ${what}.`, hint, { plan_hash: plan.planHash, ...details });
}
