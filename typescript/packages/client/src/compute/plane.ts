/** Computations: parse, check, bind, run, identify, finish. */

import { type Card, type ReadingNote } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { invalidIntent } from "../query/faults.js";
import { type Policy } from "../query/policy.js";
import { describeValue, quoteText } from "../query/text.js";
import {
  type BindingProvenance,
  type BindingSources,
  type Bound,
  bindColumns,
  countValues,
  describeBinding,
  orderArguments,
} from "./binding.js";
import { bindGroups, buildGroupError } from "./binding-groups.js";
import { buildNamedSpec, type Checked, parseCall, Signature } from "./call.js";
import { isComputeLine, parseComputeLine } from "./compute-line.js";
import { type CapabilityEntry, type Contract, type Tier } from "./contract.js";
import { type ForeignNames } from "./foreign-names.js";
import { type Executor, type RuntimeDescription, type Value } from "./executor.js";
import {
  hashComputation,
  hashInvocation,
  hashValues,
  iterIdentity,
  iterList,
  iterValue,
  type Scope,
} from "./identity.js";
import { requireSamples } from "./samples.js";
import { CapabilityIndex, type CapabilityHit } from "./search.js";
import { type ComputedValue, encodeValue } from "./words.js";

const MOST_DIGITS = 4_300; // of a whole number that JSON carries

/** The specification's fields of a computation; `card` is its evidence. */
export interface Computation {
  readonly status: "ok";
  readonly value: ComputedValue;
  readonly value_type: string;
  readonly module: string;
  readonly function: string;
  readonly invocation_hash: string;
  readonly computation_hash: string;
  readonly contract_hash: string;
  readonly determinism: DeterminismEnvelope;
  readonly latency_ms: number;
  readonly request_id: string;
  readonly provenance?: ReadingOf & { readonly bindings: readonly BindingProvenance[] };
  readonly card: Card;
  /** Of a call that was made over the values of a column. */
  readonly group?: Group;
}

/** What the readers of its sources decided of the columns that it used, where there is anything. */
export interface ReadingOf {
  readonly reading_notes?: readonly ReadingNote[];
}

/** All that a value is promised to depend on. */
export interface DeterminismEnvelope {
  readonly runtime_bundle_version: string;
  readonly runtime_bundle_sha256: string;
  readonly platform: string;
  readonly architecture: string;
  readonly kernel_build: string;
  readonly precision_mode: "float64";
  readonly thread_count: 1;
  readonly input_hash: string;
  readonly tier: Tier;
  readonly capability_version: number;
  readonly libraries: RuntimeDescription["libraries"];
  readonly seed?: number;
  readonly profile?: NonNullable<RuntimeDescription["profile"]>;
  readonly runtime_modules?: readonly string[];
  readonly pinning?: "pinned" | "unpinned";
}

/** A call after it ran: its value, what computed it, and the hashes over both. */
export interface Computed {
  readonly checked: Checked;
  readonly bound: readonly Bound[];
  readonly args: readonly Value[];
  readonly value: Value;
  readonly description: RuntimeDescription;
  readonly scope: Scope;
  readonly invocationHash: string;
  readonly inputHash: string;
  readonly computationHash: string;
  readonly requestId: string;
  readonly latencyMs: number;
  readonly group?: Group;
}

/** The value of the column that a call was made over; null of the rows that have none. */
export interface Group {
  readonly column: string;
  readonly value: string | number | boolean | null;
}

type BoundCall = Pick<Computed, "checked" | "bound" | "args" | "group">;

/** What a computation needs of its client. */
export interface ComputeContext {
  readonly sources: BindingSources;
  readonly executor: Executor;
  readonly timeoutS: number | undefined;
  readonly now: () => number;
  readonly drawId: () => string;
}

/** The capabilities of a contract, as calls and searches find them. */
export class ComputePlane {
  readonly contract: Contract;
  readonly #foreign: ForeignNames;
  readonly #signatures = new Map<string, Signature>();
  #index: CapabilityIndex | undefined;

  constructor(contract: Contract, foreign: ForeignNames) {
    [this.contract, this.#foreign] = [contract, foreign];
  }

  /**
   * Runs a call.
   *
   * @throws {ServiceError} Of the call, of its columns, or of what runs it.
   */
  async compute(spec: unknown, context: ComputeContext): Promise<Computed> {
    const [computed] = await this.computeMany([spec], context);
    if (computed === undefined) throw new ServiceError("engine_failed", "The runtime gave no value.");
    return computed;
  }

  /**
   * Runs calls in order. All are checked before the first column is read; the first error ends it.
   *
   * @throws {ServiceError} Of a call, of its columns, or of what runs it.
   */
  async computeMany(specs: readonly unknown[], context: ComputeContext): Promise<readonly Computed[]> {
    const { sources, now } = context;
    const checked = specs.map((spec) => this.#check(spec, sources.policy));
    const started = now();
    const calls: BoundCall[] = [];
    for (const each of checked) calls.push(await bindCall(each, sources));
    return this.#run(calls, context, started);
  }

  /**
   * Runs a call once for each value of a column of its bindings' source, in the order of the values.
   *
   * @throws {ServiceError} As `computeMany`; what failed in one group names it.
   */
  async computeOver(spec: unknown, over: string, context: ComputeContext): Promise<readonly Computed[]> {
    const checked = this.#check(spec, context.sources.policy);
    const started = context.now();
    const groups = await bindGroups(checked, over, context.sources);
    const calls = groups.map(({ column, value, bound }) => {
      return { checked, bound, args: orderArguments(checked, bound), group: { column, value } };
    });
    try {
      return await this.#run(calls, context, started);
    } catch (error) {
      const at = error instanceof ServiceError ? Number(error.details["call"] ?? (calls.length === 1 ? 0 : -1)) : -1;
      const failed = groups[at];
      throw failed === undefined ? error : buildGroupError(error as ServiceError, failed.column, failed.value);
    }
  }

  /** Runs calls in one round trip, and hashes each with its value. */
  async #run(calls: readonly BoundCall[], context: ComputeContext, started: number): Promise<readonly Computed[]> {
    const { executor, timeoutS, now } = context;
    if (calls.length === 0) return [];
    const invocations = calls.map(({ checked: { capability, seed }, args }) => ({ capabilityId: capability.id, args, seed })); // prettier-ignore
    const ran = await executor.run(invocations, { timeoutS });
    if (ran.values.length !== calls.length)
      throw new ServiceError("engine_failed", "The runtime gave another number of values than calls.");
    const latencyMs = Math.round((now() - started - ran.setupMs) * 1_000) / 1_000;
    return calls.map((call, at) => {
      const about = { ...call, latencyMs, requestId: context.drawId() };
      return this.#finish(about, ran.values[at], ran.description, executor.mode);
    });
  }

  #check(spec: unknown, policy: Policy): Checked {
    const call = parseCall(spec);
    return this.#findSignature(call.capabilityId, policy).check(call);
  }

  #findSignature(name: string, policy: Policy): Signature {
    policy.requireFunction(name);
    const known = this.#signatures.get(name);
    if (known !== undefined) return known;
    const capability = this.contract.find(name);
    if (capability === undefined) throw this.#refuseName(name, policy);
    const signature = new Signature(capability);
    this.#signatures.set(name, signature);
    return signature;
  }

  #refuseName(name: string, policy: Policy): ServiceError {
    const allows = (each: string): boolean => policy.allowsFunction(each);
    const near = this.#getIndex().findNearestNames(name, allows);
    const meant = near[0] === undefined ? "Search for it: searchCapabilities(…)." : `Did you mean ${near[0]}?`;
    const hint = this.#getIndex().explainName(name, allows) ?? meant;
    const details = { nearest_matches: near, met: name };
    return new ServiceError("unsupported_operation", `The contract has no capability ${describeValue(name)}.`, { hint, details }); // prettier-ignore
  }

  #getIndex(): CapabilityIndex {
    this.#index ??= new CapabilityIndex(this.contract, this.#foreign);
    return this.#index;
  }

  /** The capabilities that fit a text, the best first, among those that the policy allows. */
  search(query: unknown, limit: unknown, policy: Policy): readonly CapabilityHit[] {
    return this.#getIndex().search(query, limit, (name) => policy.allowsFunction(name));
  }

  /** The names of the capabilities that the policy allows, sorted. */
  listNames(policy: Policy): readonly string[] {
    return this.contract.names.filter((name) => policy.allowsFunction(name));
  }

  /** All that the contract says of a capability that the policy allows. */
  readEntry(name: string, policy: Policy): CapabilityEntry {
    this.#findSignature(name, policy);
    return this.contract.readEntry(name);
  }

  /** Hashes a call as its identity, and its value after it. */
  #finish(
    call: BoundCall & Pick<Computed, "latencyMs" | "requestId">,
    value: Value | undefined,
    description: RuntimeDescription,
    mode: string,
  ): Computed {
    const { id } = call.checked.capability;
    if (value === undefined) throw new ServiceError("engine_failed", `The runtime gave no value of ${id}.`);
    if (holdsLongNumber(value)) throw tooLong(id);
    const scope = { contractHash: this.contract.hash, executionScope: `${description.platform}:${mode}` };
    const invocationHash = hashInvocation(iterIdentity(call.checked, call.bound, scope));
    const inputHash = hashValues(iterList(call.args));
    const computationHash = hashComputation(invocationHash, iterValue(value));
    return { ...call, value, description, scope, invocationHash, inputHash, computationHash };
  }
}

async function bindCall(checked: Checked, sources: BindingSources): Promise<BoundCall> {
  const bound: Bound[] = [];
  for (const binding of checked.bindings) bound.push(...(await bindColumns(checked, binding, sources)));
  await requireSamples(checked, bound, async ({ binding }, field, condition) => {
    const parameters = binding.parameters.slice(0, 1);
    const one = { ...binding, parameters, fields: [field], filter: { conditions: [condition] } };
    return countValues(checked, one, sources);
  });
  return { checked, bound, args: orderArguments(checked, bound) };
}

function holdsLongNumber(value: Value): boolean {
  if (typeof value === "bigint") return value >= TOO_LONG || value <= -TOO_LONG;
  if (typeof value !== "object" || value instanceof Float64Array) return false;
  return Object.values(value as Readonly<Record<string, Value>>).some(holdsLongNumber);
}

const TOO_LONG = 10n ** BigInt(MOST_DIGITS);

function tooLong(id: string): ServiceError {
  const message = `The value of ${id} cannot be carried: a number of more than ${String(MOST_DIGITS)} digits.`;
  return new ServiceError("limit_exceeded", message, { details: { limit: MOST_DIGITS } });
}

// --- what callers write ----------------------------------------------------------------------------------------------

const MOST_CALLS = 10_000;
const BESIDE = ["args", "kwargs", "bindings", "seed"] as const;

/**
 * Reads a call: a spec, a compute line, or the name of a capability with the other arguments beside it.
 *
 * @throws {ServiceError} `invalid_intent` where both say something.
 */
export function readCallForm(spec: unknown, beside: Readonly<Record<string, unknown>>): unknown {
  const told = BESIDE.filter((key) => beside[key] !== undefined && beside[key] !== null);
  const given = Object.fromEntries(told.map((key) => [key, beside[key]]));
  const [first] = Object.keys(given);
  if (typeof spec === "string") {
    const named = isComputeLine(spec, first !== undefined) ? parseComputeLine(spec) : buildNamedSpec(spec);
    return { ...named, ...given };
  }
  if (first === undefined) return spec;
  const message = "A spec is the whole call: pass no other arguments with it.";
  throw invalidIntent(message, { path: first, met: Object.keys(given).map(quoteText).join(", ") });
}

/**
 * Reads the calls of `computeMany`.
 *
 * @throws {ServiceError} `invalid_intent` unless they are a list that is not too long.
 */
export function readCallList(specs: unknown): readonly unknown[] {
  if (Array.isArray(specs) && specs.length <= MOST_CALLS) return specs.map((spec) => readCallForm(spec, {}));
  const message = `\`computeMany\` takes a list of at most ${MOST_CALLS.toLocaleString("en")} calls.`;
  throw invalidIntent(message, { path: "specs", met: describeValue(specs) });
}

// --- what comes back -------------------------------------------------------------------------------------------------

/** The specification's fields of a result, in their order and ready for JSON; its card is built when it is looked at. */
export function buildComputation(computed: Computed, reading: ReadingOf, buildCard: () => Card): Computation {
  const { capability } = computed.checked;
  let card: Card | undefined;
  return {
    status: "ok",
    value: encodeValue(computed.value),
    value_type: capability.entry.result.type,
    module: capability.module,
    function: capability.function,
    invocation_hash: computed.invocationHash,
    computation_hash: computed.computationHash,
    contract_hash: computed.scope.contractHash,
    determinism: buildEnvelope(computed),
    latency_ms: computed.latencyMs,
    request_id: computed.requestId,
    ...(computed.bound.length > 0 && { provenance: { bindings: computed.bound.map(describeBinding), ...reading } }),
    get card() {
      card ??= buildCard();
      return card;
    },
    ...(computed.group !== undefined && { group: computed.group }),
  };
}

/** The determinism envelope of a computation. */
export function buildEnvelope({ checked, description, inputHash }: Computed): DeterminismEnvelope {
  const { tier, entry } = checked.capability;
  return {
    runtime_bundle_version: description.bundleVersion,
    runtime_bundle_sha256: description.bundleSha256,
    platform: description.platform,
    architecture: description.architecture,
    kernel_build: description.kernelBuild,
    precision_mode: "float64",
    thread_count: 1,
    input_hash: inputHash,
    tier,
    capability_version: entry.version,
    libraries: description.libraries,
    ...(checked.seed !== undefined && { seed: checked.seed }),
    ...(description.profile !== undefined && { profile: description.profile }),
    ...(description.modules.length > 0 && { runtime_modules: description.modules }),
    ...(tier !== "certified" && { pinning: description.isPinned ? "pinned" : "unpinned" }),
  };
}
