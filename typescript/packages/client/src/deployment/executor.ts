/**
 * Computing at a deployment: calls go there, and each value comes back with hashes that are made again here.
 *
 * What is sent is complete: bindings were read and hashed on this side, and stand in the call as arguments. So the
 * deployment's `invocation_hash` is over the same arguments, contract and scope as this side's, and its
 * `computation_hash` over the same value; any other is `answer_mismatch`, and no value.
 */

import { canonicalText, isObject } from "@service-nb/records";
import { type Contract, type TypeEntry } from "../compute/contract.js";
import {
  type Executor,
  type Invocation,
  type RunOptions,
  type RunResult,
  type RuntimeDescription,
  type Value,
} from "../compute/executor.js";
import { markFailedCall } from "../compute/faults.js";
import { hashComputation, hashInvocation, iterIdentity, iterValue, writeValue } from "../compute/identity.js";
import { ServiceError } from "../errors.js";
import { makeVisible } from "../query/text.js";
import { type DeploymentClient } from "./client.js";
import { buildMismatch } from "./faults.js";
import { type ComputeAnswer, type RuntimeAnswer } from "./messages.js";
import { readHeld, UnreadableError } from "./values.js";

const MOST_BYTES = 1024 ** 3; // of an answer: a matrix may be large
const DESCRIBE_S = 30;
const SOONEST_S = 0.001;
const PATH = "/v1/libraries/execute";
const TYPES: Readonly<Record<string, string>> = { float64: "float64", int: "int64", string: "string", bool: "boolean" };

/** Runs calls at a deployment, which must have the same contract. */
export class DeploymentExecutor implements Executor {
  readonly mode = "deployment";
  readonly #client: DeploymentClient;
  readonly #readContract: () => Promise<Contract>;
  readonly #now: () => number;
  #description: Promise<RuntimeDescription> | undefined;

  constructor(client: DeploymentClient, readContract: () => Promise<Contract>, now: () => number) {
    [this.#client, this.#readContract, this.#now] = [client, readContract, now];
  }

  readonly run = async (calls: readonly Invocation[], { timeoutS }: RunOptions = {}): Promise<RunResult> => {
    const contract = await this.#readContract();
    const began = this.#now();
    const known = await this.#describe(contract, timeoutS); // a request for it counts towards the time of the calls
    const spentS = (this.#now() - began) / 1_000;
    const left = timeoutS === undefined ? undefined : Math.max(SOONEST_S, timeoutS - spentS);
    const answers: ComputeAnswer[] = [];
    for (const [at, call] of calls.entries()) {
      try {
        answers.push(await this.#send(call, left));
      } catch (error) {
        throw error instanceof ServiceError ? markFailedCall(error, at, calls.length) : error;
      }
    }
    const description = await this.#requireDescription(answers, known, contract);
    const values = calls.map((call, at) => checkAnswer(call, answers[at], description, contract));
    return { values, description, setupMs: 0 };
  };

  readonly close = (): void => {
    this.#description = undefined; // the connections are the deployment's
  };

  #send({ capabilityId, args, seed }: Invocation, timeoutS: number | undefined): Promise<ComputeAnswer> {
    const [module = "", ...rest] = capabilityId.split(".");
    const sent = args.map((value): unknown => JSON.parse(writeValue(value)));
    const body = { module, function: rest.join("."), args: sent, ...(seed !== undefined && { seed }) };
    return this.#client.post(PATH, body, "ComputeAnswer", { timeoutS, mostBytes: MOST_BYTES });
  }

  #describe(contract: Contract, timeoutS?: number): Promise<RuntimeDescription> {
    this.#description ??= this.#askDescription(contract, timeoutS).catch((error: unknown) => {
      this.#description = undefined;
      throw error;
    });
    return this.#description;
  }

  async #askDescription(contract: Contract, timeoutS = DESCRIBE_S): Promise<RuntimeDescription> {
    const limit = { timeoutS: Math.min(DESCRIBE_S, timeoutS) };
    const answer = await this.#client.get("/v1/deployment", "DeploymentAnswer", limit);
    if (answer.contract_hash !== contract.hash)
      throw buildMismatch(
        `The deployment is of release ${makeVisible(answer.version.slice(0, 40))} and has another contract of capabilities.`,
        "Use the same release on both sides; service-nb-client version prints this one's.",
        { met: makeVisible(answer.contract_hash.slice(0, 100)), expected: contract.hash },
      );
    if (answer.runtime !== undefined && answer.runtime !== null) return readDescription(answer.runtime);
    const message = "The deployment computes nothing: it has no runtime, or not for this key.";
    const hint = "Its operator installs one with service-nb runtime install; the key needs the scope compute.";
    throw new ServiceError("compute_runtime_unavailable", message, { hint });
  }

  /** The description of the runtime that computed the answers; it is asked for again if it has changed. */
  async #requireDescription(
    answers: readonly ComputeAnswer[],
    known: RuntimeDescription,
    contract: Contract,
  ): Promise<RuntimeDescription> {
    if (answers.every(({ determinism }) => isComputedBy(known, determinism))) return known;
    this.#description = undefined;
    const found = await this.#describe(contract);
    if (answers.every(({ determinism }) => isComputedBy(found, determinism))) return found;
    throw mismatch("was computed by something else than the deployment says it has");
  }
}

function readDescription(told: RuntimeAnswer): RuntimeDescription {
  return {
    bundleVersion: told.bundle_version,
    bundleSha256: told.bundle_sha256,
    platform: told.platform,
    architecture: told.architecture,
    kernelBuild: told.kernel_build,
    libraries: told.libraries,
    isPinned: told.is_pinned,
    profile: told.profile ?? undefined,
    modules: told.modules ?? [],
  };
}

function isComputedBy(description: RuntimeDescription, envelope: Readonly<Record<string, unknown>>): boolean {
  const due = {
    runtime_bundle_version: description.bundleVersion,
    runtime_bundle_sha256: description.bundleSha256,
    platform: description.platform,
    architecture: description.architecture,
    kernel_build: description.kernelBuild,
    libraries: description.libraries,
    profile: description.profile ?? null,
    runtime_modules: description.modules,
  };
  const told = Object.keys(due).map((key) => [key, envelope[key] ?? (key === "runtime_modules" ? [] : null)] as const);
  const pinning = envelope["pinning"] ?? null;
  const isSame = canonicalText(Object.fromEntries(told)) === canonicalText(due);
  return isSame && (pinning === null || pinning === (description.isPinned ? "pinned" : "unpinned"));
}

function checkAnswer(
  { capabilityId, args, seed }: Invocation,
  answer: ComputeAnswer | undefined,
  { platform }: RuntimeDescription,
  contract: Contract,
): Value {
  const capability = contract.find(capabilityId);
  if (capability === undefined || answer === undefined) throw mismatch(`has no value of ${capabilityId}`);
  const scope = { contractHash: contract.hash, executionScope: `${platform}:deployment` };
  const checked = { capability, args, kwargs: new Map<string, Value>(), bindings: [], seed };
  const invocation = hashInvocation(iterIdentity(checked, [], scope));
  if (answer.contract_hash !== contract.hash || answer.invocation_hash !== invocation)
    throw mismatch(`is of another call than ${capabilityId} as it was sent`, { met: answer.invocation_hash });
  const value = readValueOf(capabilityId, capability.entry.result, answer.value);
  const met = hashComputation(invocation, iterValue(value));
  if (met === answer.computation_hash) return value;
  throw mismatch("does not have the hash that it carries", { met, expected: answer.computation_hash });
}

function readValueOf(id: string, type: TypeEntry, value: unknown): Value {
  try {
    return readValue(type, value);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw mismatch(`has a value that is none of ${id}`);
  }
}

/** Reads a value in the types that the contract declares, as a runtime at hand would return it. */
function readValue({ type, fields = {} }: TypeEntry, value: unknown): Value {
  if (type === "record") {
    const names = Object.keys(fields);
    const isWhole = isObject(value) && Object.keys(value).length === names.length;
    if (!isWhole || !names.every((name) => Object.hasOwn(value, name))) throw new UnreadableError();
    return Object.fromEntries(
      Object.entries(fields).map(([name, each]) => [name, readValue(each, value[name])] as const),
    );
  }
  const scalar = TYPES[type.replaceAll("[]", "")];
  if (scalar === undefined) throw new UnreadableError();
  return readItems(value, scalar, type.split("[]").length - 1);
}

function readItems(value: unknown, scalar: string, depth: number): Value {
  if (depth > 0) {
    if (!Array.isArray(value)) throw new UnreadableError();
    return value.map((item: unknown) => readItems(item, scalar, depth - 1));
  }
  const held = readHeld(value, scalar);
  if (held === null) throw new UnreadableError();
  return held;
}

function mismatch(what: string, details: Readonly<Record<string, unknown>> = {}): ServiceError {
  const hint = "It is not used. Compute again; if that does not help, use the same release on both sides.";
  return buildMismatch(`The deployment's answer ${what}.`, hint, details);
}
