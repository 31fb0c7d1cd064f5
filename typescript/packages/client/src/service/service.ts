/** The client: sources are connected, questions asked, plans resolved, run and verified. */

import { qualifyMethod } from "@service-nb/records";
import { type BindingSources, type SourceColumns } from "../compute/binding.js";
import { type Executor } from "../compute/executor.js";
import { type Computation } from "../compute/plane.js";
import { type CapabilityEntry } from "../compute/contract.js";
import { type CapabilityHit } from "../compute/search.js";
import { evaluate, selectColumns } from "../engine/evaluate.js";
import { buildResult, countUsedRows, type ResultRow } from "../engine/result.js";
import { ServiceError } from "../errors.js";
import {
  describePlan,
  parseQuestion,
  type PlanResponse,
  type Resolved,
  resolveQuestion,
  writeRefusal,
} from "../query/question.js";
import { describeTextColumn, refusalStatusOf, writeResolution } from "../query/outcomes.js"; // prettier-ignore
import { describeSteps, listUsedColumns, nameEngine, planToJson } from "../query/plan.js";
import { parsePolicy, type Policy, type PolicyOptions } from "../query/policy.js";
import { CONFIDENCE } from "../query/tables.js";
import { type Plan } from "../query/types.js";
import { type Variables } from "../query/variables.js";
import { quote } from "../readers/names.js";
import { type ComputationInput, type Connector, type QuestionInput, type SourceInput } from "../inputs.js";
import { DEFAULT_LIMITS, type Limits } from "../readers/options.js";
import { adviseOn } from "./advised.js";
import {
  buildAnswerCard,
  buildRefusalCard,
  chooseNotes,
  describeReading,
  describeUsed,
  type Unsigned,
} from "./cards.js";
import { type Host } from "./host.js";
import { type ConnectorTest, type Deployment, type EngineAnswer, type StoredConnector } from "./live.js";
import { type InputForm, type Registered, type ServiceSource } from "./registry.js";
import { type ConnectOptions, Sources } from "./sources.js";
import {
  type AnswerData,
  type AnsweredOutcome,
  type PlanVerdict,
  type QueryOutcome,
  type RefusedOutcome,
} from "./answers.js";
import { type ComputeOptions, type Computing, type ComputingPlace } from "./computing.js";
import { listChecks, restorePlan } from "./stored-plan.js";
import { Receipts } from "./receipts.js";
import { type Place } from "./upkeep.js";
import { VERSION } from "../version.js";

const ENGINE = `typescript ${VERSION}`;
const SCOPE = "local_registered_source";
const DEPLOYMENT_SCOPE = "deployment_registered_source";
const DEFAULT_TIMEOUT_S = 300;
const ID_DIGITS = 16;

/** How a client is configured. */
export interface ServiceConfig {
  readonly policy?: PolicyOptions | Policy | undefined;
  readonly tenantId?: string | undefined;
  /** Seconds that one computation, or a question to a deployment, may run, 300 unless it is said; null: no limit. */
  readonly timeout?: number | null | undefined;
  /** Modules that the managed runtime shall have, such as ["finance"]; otherwise SERVICE_RUNTIME_MODULES, or all. */
  readonly runtimeModules?: readonly string[] | undefined;
  /** What computes in place of the managed runtime. */
  readonly executor?: Executor | undefined;
  /** Bounds on what is read and answered. */
  readonly limits?: Partial<Limits> | undefined;
}

/** A client of this process. Made by `createService`. */
export class Service {
  readonly #host: Host;
  readonly #policy: Policy;
  readonly #limits: Limits;
  readonly #timeoutS: number | undefined;
  readonly #sources: Sources;
  readonly #receipts: Receipts;
  readonly #computing: Computing | undefined;

  constructor(host: Host, config: ServiceConfig, live?: Deployment) {
    this.#host = host;
    this.#computing = host.openComputing?.(config, live);
    this.#policy = parsePolicy(config.policy);
    this.#timeoutS = config.timeout === null ? undefined : (config.timeout ?? DEFAULT_TIMEOUT_S);
    this.#limits = { ...DEFAULT_LIMITS, ...config.limits };
    this.#sources = new Sources(host, this.#policy, this.#limits, live);
    this.#receipts = new Receipts(host, config.tenantId ?? null);
  }

  /** `deployment` where SERVICE_DEPLOYMENT_URL names one: live sources are its own, and all other data stay here. */
  get mode(): "local" | "deployment" {
    return this.#sources.live === undefined ? "local" : "deployment";
  }

  /** The names of the connected sources, sorted. */
  get sources(): readonly string[] {
    return this.#sources.registry.listNames();
  }

  /** The names of the deployment's sources that the policy allows, sorted; none without a deployment. */
  liveSources(): Promise<readonly string[]> {
    return this.#sources.listLiveNames();
  }

  /** The connected sources that the policy allows, sorted by name, as `connect` returned them. */
  listSources(): readonly ServiceSource[] {
    const { registry } = this.#sources;
    return registry.listNames().map((name) => registry.describe(registry.get(name)));
  }

  /**
   * A connected source, as `connect` returned it.
   *
   * @throws {ServiceError} `source_not_found`
   */
  source(name: string): ServiceSource {
    const { registry } = this.#sources;
    return registry.describe(registry.get(name));
  }

  /**
   * Connects a source: a path, bytes, an object, rows, `{records}`, or `{provider: "sqlite", path, table}`; of a
   * deployment `connect(null, { connector, name })`, or `connect(null, { name })` for a source that it has.
   *
   * @throws {ServiceError} The input cannot be read, or the name is bound to other data.
   */
  async connect(input: SourceInput, options: ConnectOptions = {}): Promise<ServiceSource> {
    return this.#sources.connect(input, options);
  }

  /** Tries a connector; nothing is registered or kept. A live one is tried by the deployment, within 15 seconds. */
  testConnector(descriptor: Connector): Promise<ConnectorTest> {
    return this.#sources.testConnector(descriptor);
  }

  /**
   * Has the deployment keep a connector, for sources to be made of. A table or query in it is not kept: it comes back
   * with the result.
   *
   * @throws {ServiceError} `deployment_required`, or what the deployment says.
   */
  createConnector(descriptor: Connector, options: { readonly name?: string } = {}): Promise<StoredConnector> {
    return this.#sources.createConnector(descriptor, options);
  }

  /**
   * Has the deployment describe a live source as it is now. Plans for its old columns are refused from then on; cards
   * do not change, and verify.
   *
   * @throws {ServiceError} `invalid_intent` of a source that is no live one, `source_not_found`, `policy_denied_source`.
   */
  refresh(name: string): Promise<ServiceSource> {
    return attempt(() => this.#sources.upkeep.refresh(name));
  }

  /** Disconnects a source here: its name can be used again. A deployment keeps what it has. */
  disconnect(name: string): void {
    this.#sources.upkeep.disconnect(name);
  }

  /** Forgets a source here and, with its secrets, at the deployment, for all its users; returns where it was. */
  forget(name: string): Promise<readonly Place[]> {
    return attempt(() => this.#sources.upkeep.forget(name));
  }

  /** Has the deployment forget a connector that no source uses, with its secrets. */
  forgetConnector(id: string): Promise<void> {
    return attempt(() => this.#sources.forgetConnector(id));
  }

  /** The connectors that the deployment keeps, by age, without their secrets. */
  async connectors(): Promise<readonly StoredConnector[]> {
    return (await this.#sources.live?.listConnectors()) ?? [];
  }

  /** Answers a question, or returns why it cannot be answered: candidates, or the reason of a refusal. */
  async ask(spec: QuestionInput, options: { readonly variables?: Variables } = {}): Promise<QueryOutcome> {
    const resolved = await this.#resolve(spec, options.variables);
    const { plan } = resolved.resolution;
    if (plan === undefined) return this.#refuse(resolved);
    const resolution = { ...writeResolution(resolved.resolution), plan: planToJson(plan) };
    const { data, card } = await this.#run(plan);
    return { status: "ok", data, resolution, card };
  }

  /** Resolves a question without running it. */
  async resolve(spec: QuestionInput, options: { readonly variables?: Variables } = {}): Promise<PlanResponse> {
    const { resolution } = await this.#resolve(spec, options.variables);
    const name = resolution.plan?.sourceName;
    return describePlan(resolution, name === undefined ? undefined : countRows(this.#sources.registry.get(name)));
  }

  /** Runs a stored plan, or what `resolve` returned, and returns its rows. */
  async query(plan: unknown): Promise<readonly ResultRow[]> {
    return (await this.queryWithMetadata(plan)).result;
  }

  /** Runs a stored plan, and returns its rows with their hashes. */
  queryWithMetadata(plan: unknown): Promise<AnswerData> {
    return attempt(async () => (await this.#run(restorePlan(plan, this.#surroundings))).data);
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
   * Runs a capability of the contract: a ComputationSpec, a compute line such as
   * `stats.mean values=sales.revenue where region = 'north'`, or its name with the rest of the call beside it. With
   * `over` it is run once for each value of a column of the bindings' source, and a list comes back, with their `group`.
   *
   * @throws {ServiceError} Of the call, its columns, the policy, or what runs it; the code says which.
   */
  async compute(
    spec: ComputationInput,
    options: ComputeOptions & { readonly over: string },
  ): Promise<readonly Computation[]>;
  async compute(spec: ComputationInput, options?: ComputeOptions & { readonly over?: undefined }): Promise<Computation>;
  async compute(spec: ComputationInput, options: ComputeOptions = {}): Promise<Computation | readonly Computation[]> {
    const computed = await this.#requireComputing().compute(spec, this.#computingPlace, options);
    if (options.over !== undefined) return computed;
    const [only] = computed;
    if (only === undefined) throw new ServiceError("engine_failed", "The runtime gave no value.");
    return only;
  }

  /**
   * Runs several ComputationSpecs in order, in one round trip. All are checked before the first runs; the first error
   * ends it, and `details.call` is its index. @throws {ServiceError} As `compute`.
   */
  computeMany(specs: readonly ComputationInput[], options: { timeout?: number } = {}): Promise<readonly Computation[]> {
    return attempt(() => this.#requireComputing().computeMany(specs, this.#computingPlace, options));
  }

  /** @throws {ServiceError} `compute_runtime_unavailable` */
  #requireComputing(): Computing {
    if (this.#computing !== undefined) return this.#computing;
    const hint = 'Compute in Node: import { createService } from "@service-nb/client"';
    throw new ServiceError("compute_runtime_unavailable", "A page computes nothing; it asks and verifies.", { hint });
  }

  get #computingPlace(): ComputingPlace {
    const [host, { registry }] = [this.#host, this.#sources];
    const sources: BindingSources = {
      policy: this.#policy,
      buildCatalog: () => registry.buildCatalog(),
      readClock: () => host.clock(),
      connectNamed: (name) => this.#sources.connectNamed(name),
      readColumns: (plan) => this.#readColumns(this.#requireUnchanged(plan), plan),
    };
    return { sources, registry, receipts: this.#receipts };
  }

  /**
   * The capabilities that fit a text, the best first. Beginnings of words and small spelling errors are forgiven; a name
   * of another library (`np.std`) finds its counterpart. `match` and `note` of a hit say how it fits and what differs.
   */
  searchCapabilities(query: string, limit = 10): Promise<readonly CapabilityHit[]> {
    return attempt(() => this.#requireComputing().search(query, limit, this.#policy));
  }

  /** The names of the capabilities that the policy allows, sorted: `finance.npv`. */
  capabilities(): Promise<readonly string[]> {
    return attempt(() => this.#requireComputing().listNames(this.#policy));
  }

  /**
   * All that the contract says of a capability.
   *
   * @throws {ServiceError} `unsupported_operation` with `nearestMatches`, `policy_denied_function`
   */
  capability(name: string): Promise<CapabilityEntry> {
    return attempt(() => this.#requireComputing().readEntry(name, this.#policy));
  }

  /** The hash of the contract that the capabilities stand in. */
  contractHash(): Promise<string> {
    return attempt(() => this.#requireComputing().readContractHash());
  }

  /**
   * What this client computes with. Unsafe: it takes calls as they come, no policy is asked, nothing is hashed, and what
   * comes back has no evidence. For measuring and for looking into a runtime, never for results.
   */
  getUnsafeRuntime(): Executor {
    return this.#requireComputing().executor;
  }

  /** Lets go of the runtime and of connections; the next call takes them up again. */
  close(): void {
    this.#computing?.close();
    this.#sources.live?.close();
  }

  get #surroundings(): Parameters<typeof restorePlan>[1] {
    return { policy: this.#policy, registry: this.#sources.registry, clock: this.#host.clock };
  }

  #resolve(spec: unknown, variables: Variables | undefined): Promise<Resolved> {
    const { registry, live } = this.#sources;
    return adviseOn(spec, registry, this.#host.clock, async () => {
      if (live !== undefined) await this.#sources.connectNamed(parseQuestion(spec, variables).question.sourceName);
      return resolveQuestion(spec, registry.buildCatalog(), this.#host.clock(), variables);
    });
  }

  #requireUnchanged(plan: Plan): Registered {
    const source = this.#sources.registry.get(plan.sourceName);
    if (!source.hasChanged()) return source;
    const message = `The file behind ${quote(source.name)} is no longer what was registered.`;
    throw new ServiceError("source_changed", message, { hint: "Connect the new content under another name." });
  }

  async #run(plan: Plan): Promise<Pick<AnsweredOutcome, "data" | "card">> {
    const started = this.#host.now();
    const source = this.#requireUnchanged(plan);
    const { answer, engine: computedBy, used } = await this.#evaluate(source, plan);
    const engine = nameEngine(plan, computedBy);
    const result = buildResult(plan, new Map(source.fields.map((field) => [field.name, field])), answer);
    const input = this.#sources.registry.buildInput(source);
    const queryId = `query_${this.#host.drawHex(ID_DIGITS)}`;
    const latencyMs = Math.round((this.#host.now() - started) * 1_000) / 1_000;
    const readingNotes = chooseNotes(this.#sources.registry.listNotes(source), listUsedColumns(plan));
    const [sourceRows, method] = [countRows(source), qualifyMethod(answer.method, readingNotes)];
    const about = { plan, result, source: input, sourceRows, method, engine, used, queryId, latencyMs, readingNotes };
    const data: AnswerData = {
      query_id: queryId,
      result: result.rows,
      result_type: "table",
      confidence: CONFIDENCE[plan.decisionPath],
      plan: describeSteps(plan, sourceRows),
      row_count: result.rows.length,
      decision_path: plan.decisionPath,
      plan_hash: plan.planHash,
      schema_revision: plan.schemaRevision,
      validated: true,
      deterministic_scope: source.live === undefined ? SCOPE : DEPLOYMENT_SCOPE,
      result_hash: result.hash,
      provenance: { method, engine, notes: plan.notes, ...describeUsed(used), ...describeReading(readingNotes) },
      latency_ms: latencyMs,
    };
    return { data, card: this.#receipts.sign(buildAnswerCard(about), queryId, [input]) };
  }

  /** The columns that a plan groups by, where the values are. */
  async #readColumns(source: Registered, plan: Plan): Promise<SourceColumns> {
    const [{ name, table, live }, sourceRows] = [source, countRows(source)];
    if (table !== undefined) return { ...selectColumns(table, plan), sourceRows };
    if (live === undefined) throw new ServiceError("engine_failed", `The source ${quote(name)} has no values.`);
    try {
      return { ...(await live.readColumns(plan, this.#timeoutS)), sourceRows };
    } catch (error) {
      throw this.#sources.hideNames(name, error, "read");
    }
  }

  /** The groups of a plan, where the values are. */
  async #evaluate({ name, table, live }: Registered, plan: Plan): Promise<EngineAnswer> {
    if (table !== undefined) {
      const answer = evaluate(table, plan, this.#limits);
      return { answer, engine: ENGINE, used: countUsedRows(plan, answer) };
    }
    if (live === undefined) throw new ServiceError("engine_failed", `The source ${quote(name)} has no values.`);
    try {
      return await live.run(plan, this.#timeoutS);
    } catch (error) {
      throw this.#sources.hideNames(name, error, "read");
    }
  }

  #refuse(resolved: Resolved): RefusedOutcome {
    const [status, form, texts] = [
      refusalStatusOf(resolved.resolution),
      writeResolution(resolved.resolution),
      writeRefusal(resolved),
    ];
    const id = `refusal_${this.#host.drawHex(ID_DIGITS)}`;
    const unsigned: Unsigned = buildRefusalCard(status, texts, form);
    const card = this.#receipts.sign(unsigned, id, this.#listInputs());
    const beside = describeTextColumn(resolved.resolution);
    return { status, resolution: form, refusal_hash: texts.hash, result_id: id, ...beside, card };
  }

  #listInputs(): InputForm[] {
    const most = 20;
    return this.sources
      .slice(0, most)
      .map((name) => this.#sources.registry.buildInput(this.#sources.registry.get(name)));
  }
}

/** What is thrown at once is a rejected promise like any other. */
async function attempt<T>(action: () => T | Promise<T>): Promise<T> {
  return Promise.resolve().then(action);
}

/** The rows of a source; undefined of a live one, whose count may have changed. */
function countRows(source: Registered): number | undefined {
  return source.content.algorithm === "live" ? undefined : source.rowCount;
}
