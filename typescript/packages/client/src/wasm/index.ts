/** Computations in WebAssembly, where there is no Python: Pyodide runs the kernels of a folder, in a thread. */

import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { type Executor, type Invocation, type RunOptions, type RunResult, type RuntimeDescription, type Value } from "../compute/executor.js"; // prettier-ignore
import { buildFault, buildTimeout, markFailedCall } from "../compute/faults.js";
import { ServiceError } from "../errors.js";
import { findContractHash, readContract } from "../node/contract.js";
import { provisionError } from "../runtime/process.js";
import { type Request, type Said, type Start } from "./messages.js";
import { readReply, writeCall } from "./texts.js";

/** The wheel of python-flint that Pyodide 314 loads, and the SHA-256 that its registry tells. */
export const FLINT_WHEEL = "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl";
export const FLINT_SHA256 = "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3";

const PROGRAM = new URL("../../dist/wasm/worker.js", import.meta.url); // also of tests in src
const ENGINE = "wasm32";
const UNMANAGED = "unmanaged";
const VERSION = "0.1.0";
const GRACE_S = 2; // a kernel notices a deadline itself, and says so better than a thread that is ended
const HINT = "See the README of @service-nb/client: Computing in WebAssembly.";

/** What runs computations in WebAssembly. */
export interface WasmOptions {
  /** A folder with `service_nb_kernels`, and with python-flint's wheel for Pyodide. Nothing is fetched. */
  readonly folder: string;
}

/**
 * Creates what computes certified capabilities without Python, for `createService({ executor })`.
 *
 * Others are refused with `unsupported_platform`: their bits are promised on pinned builds.
 *
 * @throws {ServiceError} `runtime_provision_failed` of a folder without kernels or without the wheel.
 */
export function createWasmExecutor({ folder }: WasmOptions): Executor {
  const where = resolve(folder);
  const kernels = ["", "kernels"].map((each) => join(where, each)).find((each) => existsSync(join(each, "service_nb_kernels"))); // prettier-ignore
  if (kernels === undefined) throw provisionError("The folder has no service_nb_kernels.", "no_kernels", HINT);
  const wheel = [where, kernels].find((each) => readdirSync(each).includes(FLINT_WHEEL));
  if (wheel === undefined) throw provisionError(`The folder has no ${FLINT_WHEEL}.`, "no_wheel", HINT);
  return new WasmRuntime({ kernels, wheel: join(wheel, FLINT_WHEEL), wheelSha256: FLINT_SHA256 });
}

interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: ServiceError) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly description: RuntimeDescription;
  readonly waiting: Map<number, Waiting>;
}

class WasmRuntime implements Executor {
  readonly mode = "local";
  readonly #start: Start;
  #thread: Promise<Thread> | undefined;
  #open: Thread | undefined;
  #calls = 0;

  constructor(start: Start) {
    this.#start = start;
  }

  readonly run = async (calls: readonly Invocation[], { timeoutS }: RunOptions = {}): Promise<RunResult> => {
    const began = performance.now();
    const isKnown = this.#open !== undefined;
    this.#thread ??= this.#startThread().catch((error: unknown) => {
      this.#thread = undefined;
      throw error;
    });
    const thread = await this.#thread;
    const setupMs = isKnown ? 0 : performance.now() - began;
    const values: Value[] = [];
    for (const call of calls) values.push(await this.#runCall(thread, call, timeoutS, [values.length, calls.length]));
    return { values, description: thread.description, setupMs };
  };

  readonly close = (): void => {
    const open = this.#open;
    if (open !== undefined) this.#end(open);
  };

  async #runCall(
    thread: Thread,
    call: Invocation,
    timeoutS: number | undefined,
    [index, count]: readonly [number, number],
  ): Promise<Value> {
    const id = (this.#calls += 1);
    thread.worker.ref();
    const limitMs = timeoutS === undefined ? undefined : (timeoutS + GRACE_S) * 1_000;
    const timer = limitMs === undefined ? undefined : setTimeout(() => { this.#end(thread, id, call); }, limitMs); // prettier-ignore
    try {
      const reply = readReply(
        await new Promise<string>((resolve, reject) => {
          thread.waiting.set(id, { resolve, reject });
          thread.worker.postMessage({ id, text: writeCall(call, timeoutS) } satisfies Request);
        }),
      );
      if ("fault" in reply) throw markFailedCall(buildFault(call.capabilityId, reply.fault, ENGINE), index, count);
      return reply.value;
    } finally {
      clearTimeout(timer);
      thread.waiting.delete(id);
      if (thread.waiting.size === 0) thread.worker.unref();
    }
  }

  /** Ends a thread: the call of that number has run out of time, the others can be made again. */
  #end(thread: Thread, late?: number, call?: Invocation): void {
    if (this.#open === thread) [this.#open, this.#thread] = [undefined, undefined];
    for (const [id, { reject }] of thread.waiting)
      reject(id === late && call !== undefined ? buildTimeout(call.capabilityId) : goneError());
    void thread.worker.terminate();
  }

  async #startThread(): Promise<Thread> {
    requirePyodide();
    const worker = new Worker(PROGRAM, { workerData: this.#start, env: {}, stdout: true, stderr: true });
    const waiting = new Map<number, Waiting>();
    const said = await new Promise<Said>((resolve) => {
      worker.once("message", resolve);
      worker.once("error", (error) => { resolve({ kind: "failed", message: String(error) }); }); // prettier-ignore
    });
    if (said.kind !== "ready") {
      void worker.terminate();
      const message = said.kind === "failed" ? said.message : said.kind;
      throw provisionError(`Pyodide cannot load the kernels: ${message}.`, "not_loaded", HINT);
    }
    const expected = findContractHash(await readContract());
    if (said.contractHash !== expected) {
      void worker.terminate();
      const message = "The kernels of the folder have another contract of capabilities than this client.";
      const details = { met: said.contractHash, expected };
      throw provisionError(message, "contract_mismatch", "Take the kernels of the same release.", details);
    }
    const thread = { worker, waiting, description: describe(said.libraries) };
    worker.on("message", (reply: Said) => {
      if (reply.kind === "reply") waiting.get(reply.id)?.resolve(reply.text);
    });
    worker.on("error", () => { this.#end(thread); }); // prettier-ignore
    worker.unref();
    this.#open = thread;
    return thread;
  }
}

function requirePyodide(): void {
  try {
    createRequire(import.meta.url).resolve("pyodide/pyodide.mjs");
  } catch {
    const hint = "Run `npm install pyodide@314.0.7`.";
    throw new ServiceError("compute_runtime_unavailable", "Pyodide is not installed.", { hint });
  }
}

function describe(libraries: Readonly<Record<string, string>>): RuntimeDescription {
  return {
    bundleVersion: UNMANAGED,
    bundleSha256: UNMANAGED,
    platform: "wasm32",
    architecture: "wasm32",
    kernelBuild: `service_nb_kernels ${VERSION}`,
    libraries,
    isPinned: false,
    profile: undefined,
    modules: [],
  };
}

function goneError(): ServiceError {
  const hint = "Call again: the runtime is loaded anew.";
  return new ServiceError("compute_runtime_unavailable", "The runtime was closed before its answer.", { hint });
}
