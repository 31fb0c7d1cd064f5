/** What a client computes with: the contract, read at the first computation or search, and one executor. Not in pages. */

import { type BindingSources } from "../compute/binding.js";
import { type CapabilityEntry, Contract } from "../compute/contract.js";
import { type Executor } from "../compute/executor.js";
import { ForeignNames, type ForeignTable } from "../compute/foreign-names.js";
import { ComputePlane, type Computation, readCallForm, readCallList } from "../compute/plane.js";
import { type CapabilityHit } from "../compute/search.js";
import { type CallArguments } from "../inputs.js";
import { type Policy } from "../query/policy.js";
import { signComputation } from "./computation-cards.js";
import { checkSeconds } from "./create.js";
import { type ExecutorOptions } from "./host.js";
import { type Deployment } from "./live.js";
import { type Receipts } from "./receipts.js";
import { type Registry } from "./registry.js";

const DEFAULT_TIMEOUT_S = 300;
const ID_DIGITS = 16;
const MODULES = "SERVICE_RUNTIME_MODULES";

/** The rest of a call that is asked by name, and how long it may run. */
export interface ComputeOptions extends CallArguments {
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

/** What a host has for computations. */
export interface ComputingHost {
  readonly environment: (name: string) => string | undefined;
  readonly now: () => number;
  /** Random hex digits. */
  readonly drawHex: (digits: number) => string;
  /** The contract of capabilities, byte for byte as it was published; read at the first computation. */
  readonly readContract: () => Promise<Uint8Array>;
  /** Names of other libraries; read with the contract. */
  readonly readForeignNames: () => Promise<ForeignTable>;
  /** What computes where the configuration names nothing else. */
  readonly createExecutor: (options: ExecutorOptions) => Executor;
}

/** Of a client: the sources that calls read, and what signs their results. */
export interface ComputingPlace {
  readonly sources: BindingSources;
  readonly registry: Registry;
  readonly receipts: Receipts;
}

/** The computations of one client. */
export class Computing {
  readonly #host: ComputingHost;
  readonly #config: ComputingConfig;
  readonly #live: Deployment | undefined;
  #plane: Promise<ComputePlane> | undefined;
  #executor: Executor | undefined;

  constructor(host: ComputingHost, config: ComputingConfig, live?: Deployment) {
    this.#host = host;
    this.#config = config;
    this.#live = live;
  }

  /** Runs one call, or with `over` one for each value of a column. */
  async compute(spec: unknown, place: ComputingPlace, options: ComputeOptions): Promise<readonly Computation[]> {
    return this.#run([readCallForm(spec, { ...options })], place, options);
  }

  async computeMany(specs: unknown, place: ComputingPlace, options: ComputeOptions): Promise<readonly Computation[]> {
    return this.#run(readCallList(specs), place, options);
  }

  /** Checks, binds, runs, hashes and signs calls. */
  async #run(
    specs: readonly unknown[],
    { sources, registry, receipts }: ComputingPlace,
    { timeout, over }: ComputeOptions,
  ): Promise<readonly Computation[]> {
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
    return computed.map((each) => signComputation(each, plane.contract, registry, receipts));
  }

  async search(query: unknown, limit: unknown, policy: Policy): Promise<readonly CapabilityHit[]> {
    return (await this.#getPlane()).search(query, limit, policy);
  }

  async listNames(policy: Policy): Promise<readonly string[]> {
    return (await this.#getPlane()).listNames(policy);
  }

  async readEntry(name: string, policy: Policy): Promise<CapabilityEntry> {
    return (await this.#getPlane()).readEntry(name, policy);
  }

  async readContractHash(): Promise<string> {
    return (await this.#getPlane()).contract.hash;
  }

  /** What the configuration names; else what the deployment has, if there is one; else what this host has. */
  get executor(): Executor {
    this.#executor ??=
      this.#config.executor ??
      this.#live?.createExecutor(async () => (await this.#getPlane()).contract) ??
      this.#host.createExecutor({ modules: this.#listModules() });
    return this.#executor;
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
    const [contract, names] = [this.#host.readContract(), this.#host.readForeignNames()];
    return new ComputePlane(new Contract(await contract), new ForeignNames(await names));
  }
}
