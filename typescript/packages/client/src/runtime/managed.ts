/** The managed runtime: one resident process for all clients of a user, whatever their language. */

import { type Executor, type Invocation, type RunOptions, type RunResult, type RuntimeDescription, type Value } from "../compute/executor.js"; // prettier-ignore
import { buildFault, buildTimeout, markFailedCall } from "../compute/faults.js";
import { ServiceError } from "../errors.js";
import { Channel, StatusError } from "./channel.js";
import { type Endpoint, killRuntime, listEndpoints, provisionError, startRuntime } from "./process.js";
import { type Described, readDescription, readReply, type Reply, writeRequest } from "./wire.js";

const ENGINE = "managed";
const HEARD_MS = 10_000; // within which a runtime that is not stopped answers
const GRACE_S = 2; // the runtime notices a deadline itself, and says so better than a cut connection
const DEVELOPMENT = "+dev";
const NOTHING = new Uint8Array();

/** What a managed runtime is asked for. */
export interface ManagedOptions {
  /** Modules that it shall have; empty: all. */
  readonly modules: readonly string[];
  /** Reads the hash of the contract that this client embeds: a runtime of another one is not its own. */
  readonly readContractHash: () => Promise<string>;
  /** Throws what keeps this user from computing here; asked before anything is installed, started or called. */
  readonly admit: () => void;
}

interface Link {
  readonly channel: Channel;
  readonly endpoint: Endpoint;
  readonly description: RuntimeDescription;
}

/** Runs calls in the managed runtime, which is found, or installed and started, at the first call. */
export class ManagedRuntime implements Executor {
  readonly mode = "local";
  readonly #options: ManagedOptions;
  #link: Promise<Link> | undefined;
  #open: Link | undefined;

  constructor(options: ManagedOptions) {
    this.#options = options;
  }

  readonly run = async (calls: readonly Invocation[], { timeoutS }: RunOptions = {}): Promise<RunResult> => {
    this.#options.admit();
    const began = performance.now();
    const isKnown = this.#open?.channel.isOpen === true;
    const link = await this.#connect();
    const setupMs = isKnown ? 0 : performance.now() - began;
    const reply = await this.#exchange(link, calls, timeoutS);
    const values = requireValues(reply, calls);
    return { values, description: link.description, setupMs };
  };

  readonly close = (): void => {
    this.#drop(this.#open);
  };

  async #exchange(link: Link, calls: readonly Invocation[], timeoutS: number | undefined): Promise<Reply> {
    const limitMs = timeoutS === undefined ? undefined : (timeoutS * calls.length + GRACE_S) * 1_000;
    const request = writeRequest(calls, timeoutS ?? 0);
    let content: Uint8Array;
    try {
      content = await link.channel.call(request, limitMs);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (!(await isStillUsable(link, error))) this.#drop(link);
      throw explain(calls[0]?.capabilityId ?? "", error);
    }
    try {
      return readReply(content);
    } catch {
      throw new ServiceError("engine_failed", "The runtime's answer cannot be read.", { details: { engine: ENGINE } });
    }
  }

  #connect(): Promise<Link> {
    if (this.#open !== undefined && !this.#open.channel.isOpen) this.#drop(this.#open);
    this.#link ??= this.#openLink().catch((error: unknown) => {
      this.#link = undefined;
      throw error;
    });
    return this.#link;
  }

  #drop(link: Link | undefined): void {
    link?.channel.close();
    if (this.#open !== link) return; // another call has taken up another one meanwhile
    this.#open = undefined;
    this.#link = undefined;
  }

  async #openLink(): Promise<Link> {
    const contractHash = await this.#options.readContractHash();
    this.#open = (await this.#findRunning(contractHash)) ?? (await this.#start(contractHash));
    return this.#open;
  }

  /** A runtime of a release that runs already; those of a checkout change with each edit, which Python alone follows. */
  async #findRunning(contractHash: string): Promise<Link | undefined> {
    const modules = this.#options.modules.join(",");
    for (const endpoint of listEndpoints()) {
      const met = await tryEndpoint(endpoint);
      if (met === undefined) continue;
      const { contractHash: theirs, bundleVersion, modules: has } = met.described;
      if (theirs === contractHash && has.join(",") === modules && !bundleVersion.includes(DEVELOPMENT)) return met.link;
      met.link.channel.close();
    }
    return undefined;
  }

  async #start(contractHash: string): Promise<Link> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const met = await tryEndpoint(await startRuntime(this.#options.modules));
      if (met === undefined) continue; // it was about to end, or did not listen
      if (met.described.contractHash === contractHash) return met.link;
      met.link.channel.close();
      throw provisionError(
        "The installed runtime has another contract of capabilities than this client.",
        "contract_mismatch",
        "Install the same version of service-nb and of @service-nb/client.",
        { met: met.described.contractHash, expected: contractHash },
      );
    }
    throw goneError();
  }
}

interface Met {
  readonly link: Link;
  readonly described: Described;
}

/** Connects to a runtime and asks what it is; undefined where none answers. One that listens and hangs is ended. */
async function tryEndpoint(endpoint: Endpoint): Promise<Met | undefined> {
  let channel: Channel | undefined;
  try {
    channel = new Channel(endpoint.address, endpoint.token);
    const described = readDescription(await channel.ask("Describe", NOTHING, HEARD_MS));
    return { link: { channel, endpoint, description: describe(described) }, described };
  } catch (error) {
    channel?.close();
    if (error instanceof StatusError && error.status === "DEADLINE_EXCEEDED") killRuntime(endpoint.folder);
    return undefined;
  }
}

function describe(described: Described): RuntimeDescription {
  const { bundleVersion, bundleSha256, platform, architecture, kernelBuild, libraries, profile, modules } = described;
  const isPinned = profile !== "portable";
  return { bundleVersion, bundleSha256, platform, architecture, kernelBuild, libraries, isPinned, profile, modules };
}

function requireValues({ values, fault }: Reply, calls: readonly Invocation[]): readonly Value[] {
  const isWhole = fault === undefined ? values.length === calls.length : values.length < calls.length;
  if (!isWhole)
    throw new ServiceError("engine_failed", "The runtime's answer cannot be read.", { details: { engine: ENGINE } });
  if (fault === undefined) return values;
  const failed = calls[values.length]?.capabilityId ?? "";
  throw markFailedCall(buildFault(failed, fault, ENGINE), values.length, calls.length);
}

/** Whether a connection is still usable; a runtime that lives and does not answer is ended. */
async function isStillUsable({ endpoint }: Link, { status }: StatusError): Promise<boolean> {
  if (status !== "DEADLINE_EXCEEDED") return status === "RESOURCE_EXHAUSTED";
  const met = await tryEndpoint(endpoint);
  met?.link.channel.close();
  return met !== undefined; // it is busy, or the call was
}

function explain(capabilityId: string, { status, message }: StatusError): ServiceError {
  if (status === "DEADLINE_EXCEEDED") return buildTimeout(capabilityId);
  if (status === "RESOURCE_EXHAUSTED")
    return new ServiceError("limit_exceeded", `${capabilityId}: ${message}.`, {
      hint: "Compute on less data at a time.",
    });
  if (status === "INTERNAL")
    return new ServiceError("engine_failed", "The runtime failed.", { details: { engine: ENGINE } });
  return goneError();
}

function goneError(): ServiceError {
  const hint = "Call again: the next call starts another one.";
  return new ServiceError("compute_runtime_unavailable", "The runtime ended during the call.", { hint });
}
