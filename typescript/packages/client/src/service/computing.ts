/** What a client computes with: the contract, read at the first computation or search, and one executor. */

import { type BindingSources } from "../compute/binding.js";
import { Contract } from "../compute/contract.js";
import { type Executor } from "../compute/executor.js";
import { ComputePlane, type Computed } from "../compute/plane.js";
import { type CapabilityHit } from "../compute/search.js";
import { ServiceError } from "../errors.js";
import { invalidIntent } from "../query/faults.js";
import { type Policy } from "../query/policy.js";
import { describeValue } from "../query/text.js";
import { type Host } from "./host.js";
import { type Deployment } from "./live.js";

const DEFAULT_TIMEOUT_S = 300;
const ID_DIGITS = 16;
const MODULES = "SERVICE_RUNTIME_MODULES";

/** The rest of a call that is asked by name, and how long it may run. */
export interface ComputeOptions {
  readonly args?: readonly unknown[] | undefined;
  readonly kwargs?: Readonly<Record<string, unknown>> | undefined;
  readonly bindings?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly seed?: number | bigint | undefined;
  /** Seconds; the client's own unless it is said. */
  readonly timeout?: number | undefined;
  /** A column of the bindings' source: the call is run once for each of its values. */
  readonly over?: string | undefined;
}

/** What a configuration says of computations. */
export interface ComputingConfig {
  readonly timeout?: number | null | undefined;
  readonly runtimeModules?: readonly string[] | undefined;
  readonly executor?: Executor | undefined;
}

/** A call after it ran, and what writes the definition of its capability for a card. */
export interface ComputedCall {
  readonly computed: Computed;
  readonly definition: () => string;
}

/** The computations of one client. */
export class Computing {
  readonly #host: Host;
  readonly #config: ComputingConfig;
  readonly #live: Deployment | undefined;
  #plane: Promise<ComputePlane> | undefined;
  #executor: Executor | undefined;

  constructor(host: Host, config: ComputingConfig, live?: Deployment) {
    this.#host = host;
    this.#config = config;
    this.#live = live;
  }

  /** Checks, binds, runs and hashes calls; with each comes what writes the definition of its capability. */
  async compute(
    specs: readonly unknown[],
    sources: BindingSources,
    { timeout, over }: Pick<ComputeOptions, "timeout" | "over">,
  ): Promise<readonly ComputedCall[]> {
    const given = checkSeconds(timeout) ?? this.#config.timeout;
    const { now, drawHex } = this.#host;
    const plane = await this.#getPlane();
    const context = {
      sources,
      executor: this.executor,
      timeoutS: given === null ? undefined : (given ?? DEFAULT_TIMEOUT_S),
      now,
      drawId: () => `service_${drawHex(ID_DIGITS)}`,
    };
    const computed =
      over === undefined ? await plane.computeMany(specs, context) : await plane.computeOver(specs[0], over, context);
    return computed.map((each) => {
      return { computed: each, definition: () => plane.contract.buildDefinition(each.checked.capability.id) };
    });
  }

  async search(query: unknown, limit: unknown, policy: Policy): Promise<readonly CapabilityHit[]> {
    return (await this.#getPlane()).search(query, limit, policy);
  }

  /** @throws {ServiceError} `compute_runtime_unavailable` where nothing computes. */
  get executor(): Executor {
    this.#executor ??= this.#config.executor ?? this.#createExecutor();
    if (this.#executor !== undefined) return this.#executor;
    const hint = "Pass an executor to createService, or compute in Node.";
    throw new ServiceError("compute_runtime_unavailable", "Nothing computes here.", { hint });
  }

  /** At the deployment, if there is one; otherwise what this host has. */
  #createExecutor(): Executor | undefined {
    if (this.#live !== undefined) return this.#live.createExecutor(async () => (await this.#getPlane()).contract);
    return this.#host.createExecutor?.({ modules: this.#listModules() });
  }

  close(): void {
    this.#executor?.close();
  }

  #listModules(): readonly string[] {
    const given = this.#config.runtimeModules ?? [];
    const named = given.length > 0 ? given : (this.#host.environment(MODULES) ?? "").split(",");
    return [...new Set(named.map((name) => name.trim()).filter((name) => name !== ""))].sort();
  }

  #getPlane(): Promise<ComputePlane> {
    this.#plane ??= this.#readPlane();
    return this.#plane;
  }

  async #readPlane(): Promise<ComputePlane> {
    const { readContract } = this.#host;
    if (readContract === undefined)
      throw new ServiceError("compute_runtime_unavailable", "There is no contract of capabilities here.");
    return new ComputePlane(new Contract(await readContract()));
  }
}

/** The sources that a call read, each once. */
export function listReadSources({ bound }: Computed): readonly string[] {
  return [...new Set(bound.map(({ binding }) => binding.source))];
}

/**
 * Checks that a timeout is a number of seconds above 0, and returns it.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function checkSeconds(timeout: unknown): number | undefined {
  if (timeout === undefined || (typeof timeout === "number" && timeout > 0)) return timeout;
  throw invalidIntent(`\`timeout\` must be seconds above 0, not ${describeValue(timeout)}.`, { path: "timeout" });
}
