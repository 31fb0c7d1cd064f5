/** Where capabilities run: in the managed runtime, in WebAssembly, at a deployment. Each runs calls and describes itself. */

/** A number is a double; a whole number of the contract is a bigint; a `Float64Array` is a list of doubles. */
export type Value = number | bigint | boolean | string | Float64Array | readonly Value[] | ValueRecord;

/** The values of a result by the names of its fields. */
export interface ValueRecord {
  readonly [name: string]: Value;
}

/** A checked call: an argument of the declared type for each parameter, in their order. */
export interface Invocation {
  readonly capabilityId: string;
  readonly args: readonly Value[];
  /** Of simulations, and only of them. */
  readonly seed: number | undefined;
}

/** What runs computations, as the determinism envelope tells it. */
export interface RuntimeDescription {
  readonly bundleVersion: string;
  readonly bundleSha256: string;
  /** linux-x64, darwin-arm64, wasm32 … */
  readonly platform: string;
  readonly architecture: string;
  readonly kernelBuild: string;
  readonly libraries: Readonly<Record<string, string>>;
  /** Whether pinned and seeded capabilities have their promised bits here. */
  readonly isPinned: boolean;
  /** The pins that took effect: x86_64-v3, portable; undefined: there are none. */
  readonly profile: string | undefined;
  /** The modules that a filtered runtime has; empty: all. */
  readonly modules: readonly string[];
}

/** The values of calls, and the description of what computed them. */
export interface RunResult {
  readonly values: readonly Value[];
  readonly description: RuntimeDescription;
  /** Milliseconds that it took to have a runtime at all: to install it, to start it, to load it. */
  readonly setupMs: number;
}

export interface RunOptions {
  /** Seconds for each call; undefined: no limit. */
  readonly timeoutS?: number | undefined;
}

/** Runs capabilities of the contract. Nothing is hashed here: the client hashes what it sent and what came back. */
export interface Executor {
  /** What the execution scope of its computations says behind the platform. */
  readonly mode: "local" | "deployment";
  /**
   * Runs calls in order.
   *
   * @throws {ServiceError} The error of the first call that fails; of several calls `details.call` is its index.
   */
  readonly run: (calls: readonly Invocation[], options?: RunOptions) => Promise<RunResult>;
  /** Lets go of what this client holds; the next call takes it up again. */
  readonly close: () => void;
}
