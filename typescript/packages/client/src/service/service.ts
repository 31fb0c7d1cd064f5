/** The client: sources are connected, questions asked, plans resolved, run and verified. */

import { type Card, isObject } from "@service-nb/records";
import { type BindingSources } from "../compute/binding.js";
import { type Executor } from "../compute/executor.js";
import { buildComputation, type Computation, readCallForm } from "../compute/plane.js";
import { type CapabilityHit } from "../compute/search.js";
import { hashValues } from "../digests.js";
import { evaluate } from "../engine/evaluate.js";
import { buildResult, countUsedRows, type ResultRow } from "../engine/result.js";
import { ServiceError } from "../errors.js";
import { describePlan, type PlanResponse, type Resolved, resolveQuestion, writeRefusal } from "../query/question.js";
import { type ResolutionForm, statusOf, writeResolution } from "../query/outcomes.js";
import { describeSteps, planToJson } from "../query/plan.js";
import { parsePolicy, type Policy, type PolicyOptions } from "../query/policy.js";
import { CONFIDENCE } from "../query/tables.js";
import { type DecisionPath, type Plan, type Status } from "../query/types.js";
import { type Variables } from "../query/variables.js";
import { refuseAddress } from "../readers/misplaced-descriptors.js";
import { quote } from "../readers/names.js";
import {
  checkOptions,
  DEFAULT_LIMITS,
  type Limits,
  type ReadingOptions,
  type ReadOptions,
} from "../readers/options.js";
import { findFormat, type Format, readBytes, readObjects } from "../readers/read.js";
import { Computing, type ComputeOptions, listReadSources } from "./computing.js";
import { buildComputationCard } from "./computation-cards.js";
import { buildAnswerCard, buildRefusalCard, type Unsigned } from "./cards.js";
import { findDataPlace, requireOneList } from "./data-places.js";
import { type Host } from "./host.js";
import { type Registered, Registry, type ServiceSource } from "./registry.js";
import { buildRegistered, chooseName, type Read, readSqliteRequest } from "./source-inputs.js";
import { listChecks, type PlanCheck, restorePlan } from "./stored-plan.js";
import { Receipts } from "./receipts.js";

const VERSION = "0.1.0";
const ENGINE = `typescript ${VERSION}`;
const SCOPE = "local_registered_source";
const ID_DIGITS = 16;

/** How a client is configured. */
export interface ServiceConfig {
  readonly policy?: PolicyOptions | Policy | undefined;
  readonly tenantId?: string | undefined;
  /** Seconds that one computation may run, 300 unless it is said; null: no limit. */
  readonly timeout?: number | null | undefined;
  /** Modules that the managed runtime shall have, such as ["finance"]; otherwise SERVICE_RUNTIME_MODULES, or all. */
  readonly runtimeModules?: readonly string[] | undefined;
  /** What computes in place of the managed runtime. */
  readonly executor?: Executor | undefined;
  /** Bounds on what is read and answered. */
  readonly limits?: Partial<Limits> | undefined;
}

/** Options of a source, beside how it is read. */
export interface ConnectOptions extends ReadingOptions {
  readonly name?: string | undefined;
  /** Columns by other names that questions may use. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** The format of bytes; that of a file follows from its ending. */
  readonly format?: Format | undefined;
}

/** The answer of a question. */
export interface AnswerData {
  readonly query_id: string;
  readonly result: readonly ResultRow[];
  readonly result_type: "table";
  readonly confidence: number;
  readonly plan: readonly string[];
  readonly row_count: number;
  readonly decision_path: DecisionPath;
  readonly plan_hash: string;
  readonly schema_revision: string;
  readonly validated: true;
  readonly deterministic_scope: string;
  readonly result_hash: string;
  readonly provenance: Readonly<Record<string, unknown>>;
  readonly latency_ms: number;
}

/** What a question ends in; `card` is its evidence. */
export interface QueryOutcome {
  readonly status: Status;
  readonly data?: AnswerData;
  readonly resolution: Partial<ResolutionForm> & { readonly plan?: Readonly<Record<string, unknown>> };
  readonly refusal_hash?: string;
  readonly result_id?: string;
  readonly card: Card;
}

/** Whether a stored plan holds here, check by check. */
export interface PlanVerdict {
  readonly valid: boolean;
  readonly checks: readonly PlanCheck[];
}

/** A client of this process. Made by `createService`. */
export class Service {
  readonly #host: Host;
  readonly #policy: Policy;
  readonly #limits: Limits;
  readonly #registry: Registry;
  readonly #receipts: Receipts;
  readonly #computing: Computing;

  constructor(host: Host, config: ServiceConfig) {
    this.#host = host;
    this.#computing = new Computing(host, config);
    this.#policy = parsePolicy(config.policy);
    this.#limits = { ...DEFAULT_LIMITS, ...config.limits };
    this.#registry = new Registry(this.#policy);
    this.#receipts = new Receipts(host, config.tenantId ?? null);
  }

  /** The names of the connected sources, sorted. */
  get sources(): readonly string[] {
    return this.#registry.listNames();
  }

  /**
   * Connects a source: a path, bytes, an object, rows, `{records}`, or `{provider: "sqlite", path, table}`.
   *
   * @throws {ServiceError} The input cannot be read, or the name is bound to other data.
   */
  async connect(input: unknown, options: ConnectOptions = {}): Promise<ServiceSource> {
    const { name, aliases, format, ...given } = options;
    if (typeof input === "string") refuseAddress(input); // before its end is taken for a name
    const label = chooseName(name, input);
    this.#policy.requireSource(label);
    for (const column of [...Object.keys(given.types ?? {}), ...Object.values(aliases ?? {})])
      this.#requireField(label, column);
    const checked = checkOptions(given, this.#limits);
    const place = findDataPlace(input, this.#host);
    requireOneList(this.#policy, label, place, this.#registry.listAll());
    try {
      const read = await this.#read(input, { format, given, checked });
      const registered = buildRegistered(label, read, checked, aliases);
      requireOneList(this.#policy, label, place, this.#registry.listAll()); // others may have been connected meanwhile
      return this.#registry.describe(this.#registry.add({ ...registered, place }));
    } catch (error) {
      throw this.#hideNames(label, error);
    }
  }

  #requireField(source: string, field: string): void {
    if (this.#policy.allowsField(source, field)) return;
    const message = `The policy does not allow the field ${quote(field)} of ${source}.`;
    throw new ServiceError("policy_denied_field", message, { details: { met: field } });
  }

  /** An error without names of columns and values, where the policy hides fields of the source. */
  #hideNames(label: string, error: unknown): unknown {
    if (!(error instanceof ServiceError) || !this.#policy.restrictsFields(label)) return error;
    const { line, row } = error.details;
    const message = `The source ${quote(label)} cannot be registered (${error.code}).`;
    const hint = "The policy restricts its fields, so columns and values are not named.";
    return new ServiceError(error.code, message, { hint, details: { line, row } });
  }

  async #read(input: unknown, { format, given, checked }: Request): Promise<Read> {
    if (typeof input === "string") return this.#readPath(input, { format, given, checked });
    if (input instanceof Uint8Array)
      return { ...readBytes(input, format ?? "csv", given, checked), origin: null, hasChanged: () => false };
    if (isObject(input) && input["provider"] === "sqlite") return this.#readSqlite(input, checked);
    if (isObject(input) && input["provider"] !== undefined)
      throw new ServiceError("unsupported_source", "This client reads no databases but SQLite.", {
        hint: "Pass {provider: 'sqlite', path, table}; the Python client reaches live sources through a deployment.",
        details: { met: "provider", expected: "sqlite" },
      });
    if (typeof input === "object" && input !== null)
      return { ...readObjects(input, given, checked), origin: null, hasChanged: () => false };
    throw new ServiceError("unsupported_source", `An input of type ${typeof input} cannot be connected.`, {
      hint: "Pass a path, bytes, rows, {records: […]} or {provider: 'sqlite', path, table}.",
    });
  }

  async #readPath(path: string, { format, given, checked }: Request): Promise<Read> {
    const found = format ?? findFormat(path);
    const { readFile } = this.#host;
    if (readFile === undefined)
      throw new ServiceError("unsupported_source", "There are no files here.", { hint: "Pass the bytes of the file." });
    const most = found === "json" ? this.#limits.jsonBytes : this.#limits.textBytes;
    const { bytes, name, hasChanged } = await readFile(path, most);
    return { ...readBytes(bytes, found, given, checked), origin: { file: name }, hasChanged };
  }

  async #readSqlite(input: Readonly<Record<string, unknown>>, checked: ReadOptions): Promise<Read> {
    const request = readSqliteRequest(input);
    const { readSqlite } = this.#host;
    if (readSqlite === undefined)
      throw new ServiceError("driver_missing", "SQLite needs node:sqlite, of Node 22.13 or later.");
    const { table, hasChanged } = await readSqlite(request, checked, this.#limits);
    const parts = { provider: "sqlite", file: request.path.replace(/^.*[/\\]/, "") };
    const { table: name, query } = request;
    const origin = { ...parts, ...(name !== undefined && { table: name }), ...(query !== undefined && { query }) };
    return { table, content: hashValues(table), origin, hasChanged };
  }

  /** Answers a question, or returns why it cannot be answered: candidates, or the reason of a refusal. */
  async ask(spec: unknown, options: { readonly variables?: Variables } = {}): Promise<QueryOutcome> {
    const resolved = this.#resolve(spec, options.variables);
    const { plan } = resolved.resolution;
    if (plan === undefined) return this.#refuse(resolved);
    const form = { ...writeResolution(resolved.resolution), plan: planToJson(plan) };
    return Promise.resolve(this.#run(plan, form));
  }

  /** Resolves a question without running it. */
  resolve(spec: unknown, options: { readonly variables?: Variables } = {}): Promise<PlanResponse> {
    return attempt(() => {
      const { resolution } = this.#resolve(spec, options.variables);
      const name = resolution.plan?.sourceName;
      return describePlan(resolution, name === undefined ? undefined : this.#registry.get(name).table.rowCount);
    });
  }

  /** Runs a stored plan, or what `resolve` returned, and returns its rows. */
  async query(plan: unknown): Promise<readonly ResultRow[]> {
    return (await this.queryWithMetadata(plan)).result;
  }

  /** Runs a stored plan, and returns its rows with their hashes. */
  queryWithMetadata(plan: unknown): Promise<AnswerData> {
    return attempt(() => {
      const { data } = this.#run(restorePlan(plan, this.#surroundings), {});
      if (data === undefined) throw new ServiceError("engine_failed", "The plan gave no answer.");
      return data;
    });
  }

  /** Checks a stored plan without running it. */
  verify(plan: unknown): Promise<PlanVerdict> {
    return attempt(() => {
      const passed: Parameters<typeof listChecks>[0][number][] = [];
      try {
        this.#requireUnchanged(restorePlan(plan, this.#surroundings, (check) => passed.push(check)));
        passed.push("content");
        return { valid: true, checks: listChecks(passed, undefined) };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return { valid: false, checks: listChecks(passed, error) };
      }
    });
  }

  /**
   * Runs a capability of the contract: a ComputationSpec, or its name with the rest of the call beside it.
   *
   * @throws {ServiceError} Of the call, its columns, the policy, or what runs it; the code says which.
   */
  async compute(spec: unknown, options: ComputeOptions = {}): Promise<Computation> {
    const sources: BindingSources = {
      policy: this.#policy,
      catalog: this.#registry.buildCatalog(),
      clock: this.#host.clock(),
      findTable: (plan) => this.#requireUnchanged(plan).table,
    };
    const computed = await this.#computing.compute(readCallForm(spec, { ...options }), sources, options.timeout);
    const inputs = listReadSources(computed).map((name) => this.#registry.buildInput(this.#registry.get(name)));
    const unsigned = buildComputationCard(computed, await this.#computing.buildDefinition(computed), inputs);
    return buildComputation(computed, this.#receipts.sign(unsigned, computed.requestId, inputs));
  }

  /** The capabilities that fit a text, the best first. Beginnings of words and small spelling errors are forgiven. */
  searchCapabilities(query: string, limit = 10): Promise<readonly CapabilityHit[]> {
    return this.#computing.search(query, limit, this.#policy);
  }

  /**
   * What this client computes with. Unsafe: it takes calls as they come, no policy is asked, nothing is hashed, and what
   * comes back has no evidence. For measuring and for looking into a runtime, never for results.
   */
  getUnsafeRuntime(): Executor {
    return this.#computing.executor;
  }

  /** Lets go of the runtime, if it was used; the next computation takes it up again. */
  close(): void {
    this.#computing.close();
  }

  get #surroundings(): Parameters<typeof restorePlan>[1] {
    return { policy: this.#policy, registry: this.#registry, clock: this.#host.clock };
  }

  #resolve(spec: unknown, variables: Variables | undefined): Resolved {
    return resolveQuestion(spec, this.#registry.buildCatalog(), this.#host.clock(), variables);
  }

  #requireUnchanged(plan: Plan): Registered {
    const source = this.#registry.get(plan.sourceName);
    if (!source.hasChanged()) return source;
    const message = `The file behind ${quote(source.name)} is no longer what was registered.`;
    throw new ServiceError("source_changed", message, { hint: "Connect the new content under another name." });
  }

  #run(plan: Plan, resolution: QueryOutcome["resolution"]): QueryOutcome {
    const started = this.#host.now();
    const source = this.#requireUnchanged(plan);
    const answer = evaluate(source.table, plan, this.#limits);
    const fields = new Map(source.table.fields.map((field) => [field.name, field]));
    const result = buildResult(plan, fields, answer);
    const used = countUsedRows(plan, answer);
    const input = this.#registry.buildInput(source);
    const queryId = `query_${this.#host.drawHex(ID_DIGITS)}`;
    const latencyMs = Math.round((this.#host.now() - started) * 1_000) / 1_000;
    const about = { plan, result, source: input, method: answer.method, engine: ENGINE, used, queryId, latencyMs };
    const dropped = Object.keys(used.nulls).length > 0 ? { dropped: used.nulls } : {};
    const data: AnswerData = {
      query_id: queryId,
      result: result.rows,
      result_type: "table",
      confidence: CONFIDENCE[plan.decisionPath],
      plan: describeSteps(plan, source.table.rowCount),
      row_count: result.rows.length,
      decision_path: plan.decisionPath,
      plan_hash: plan.planHash,
      schema_revision: plan.schemaRevision,
      validated: true,
      deterministic_scope: SCOPE,
      result_hash: result.hash,
      provenance: { method: answer.method, engine: ENGINE, notes: plan.notes, used_rows: used.count, ...dropped },
      latency_ms: latencyMs,
    };
    return { status: "ok", data, resolution, card: this.#receipts.sign(buildAnswerCard(about), queryId, [input]) };
  }

  #refuse(resolved: Resolved): QueryOutcome {
    const [status, form, texts] = [
      statusOf(resolved.resolution),
      writeResolution(resolved.resolution),
      writeRefusal(resolved),
    ];
    const id = `refusal_${this.#host.drawHex(ID_DIGITS)}`;
    const unsigned: Unsigned = buildRefusalCard(status, texts, form);
    const card = this.#receipts.sign(unsigned, id, this.#listInputs());
    return { status, resolution: form, refusal_hash: texts.hash, result_id: id, card };
  }

  #listInputs(): ReturnType<Registry["buildInput"]>[] {
    const most = 20;
    return this.sources.slice(0, most).map((name) => this.#registry.buildInput(this.#registry.get(name)));
  }
}

interface Request {
  readonly format: Format | undefined;
  readonly given: ReadingOptions;
  readonly checked: ReadOptions;
}

/** What is thrown at once is a rejected promise like any other. */
async function attempt<T>(action: () => T): Promise<T> {
  return Promise.resolve().then(action);
}
