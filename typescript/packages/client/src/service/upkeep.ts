/** Sources that are described anew, disconnected or forgotten, as the policy of a client allows. */

import { ServiceError } from "../errors.js";
import { type Policy } from "../query/policy.js";
import { describeValue } from "../query/text.js";
import { type Deployment, type LiveSource } from "./live.js";
import { buildLiveRegistered } from "./read-input.js";
import { type Registered, type Registry, type ServiceSource } from "./registry.js";

/** Where a source was that is forgotten. */
export type Place = "session" | "deployment";

/** What a client changes of its sources. */
export class Upkeep {
  readonly #registry: Registry;
  readonly #policy: Policy;
  readonly #live: Deployment | undefined;

  constructor(registry: Registry, policy: Policy, live: Deployment | undefined) {
    [this.#registry, this.#policy, this.#live] = [registry, policy, live];
  }

  /** Registers a live source as the deployment describes it now; plans for its old columns are refused then. */
  async refresh(name: string): Promise<ServiceSource> {
    this.#requireWhole(name);
    const registered = this.#registry.find(name);
    if (registered !== undefined && registered.live === undefined) {
      const message = `${describeValue(name)} is not a live source: its data never changes.`;
      const hint = "Disconnect it, and connect the new content.";
      throw new ServiceError("invalid_intent", message, { hint, details: { path: "name", met: name } });
    }
    const found = await describeAnew(this.#requireLive(name), name, registered);
    const columns = found.fields.map((field) => field.name);
    const kept = registered === undefined ? found.aliases : registered.aliases;
    const fitting = [...kept].filter(([alias, target]) => columns.includes(target) && !columns.includes(alias));
    const made = buildLiveRegistered(name, found, new Map(fitting), found.fields);
    return this.#registry.describe(this.#registry.replace(made));
  }

  /** Disconnects a source; the deployment keeps it, and its name can be used again. */
  disconnect(name: string): void {
    this.#requireWhole(name);
    if (!this.#registry.has(name))
      throw new ServiceError("source_not_found", `${describeValue(name)} is not connected.`, {
        details: { met: name },
      });
    this.#registry.remove(name);
  }

  /** Forgets a source wherever it is, the deployment first: if that fails, it stays where it was. */
  async forget(name: string): Promise<readonly Place[]> {
    this.#requireWhole(name);
    const registered = this.#registry.find(name);
    const places: Place[] = registered === undefined ? [] : ["session"];
    const isLive = registered === undefined || registered.live !== undefined;
    if (isLive && (await forgetThere(this.#requireLive(name), name, registered !== undefined)))
      places.push("deployment");
    this.#registry.remove(name);
    return places;
  }

  #requireLive(name: string): Deployment {
    if (this.#live !== undefined) return this.#live;
    throw new ServiceError("source_not_found", `No source is named ${describeValue(name)}.`, {
      details: { met: name },
    });
  }

  /** Throws unless this client may change a source: others may see more of it than this one. */
  #requireWhole(name: unknown): void {
    if (typeof name !== "string") {
      const message = `The source's name is ${describeValue(name)}; expected text.`;
      throw new ServiceError("invalid_intent", message, { details: { path: "name" } });
    }
    this.#policy.requireSource(name);
    if (!this.#policy.restrictsFields(name)) return;
    const message = `The policy hides fields of ${describeValue(name)}, so this client cannot change it.`;
    throw new ServiceError("policy_denied_source", message, { details: { denied: "source", met: name } });
  }
}

async function describeAnew(live: Deployment, name: string, known: Registered | undefined): Promise<LiveSource> {
  try {
    return await live.refresh(name);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "forbidden") throw error;
    const found = await live.open(name); // somebody who may has perhaps refreshed it
    if (known === undefined || found.mark === known.live?.mark) throw error;
    return found;
  }
}

/** Has the deployment forget a source, which it may have forgotten already; false then. */
async function forgetThere(live: Deployment, name: string, isKnown: boolean): Promise<boolean> {
  try {
    await live.forget(name);
    return true;
  } catch (error) {
    if (!isKnown || !(error instanceof ServiceError) || error.code !== "source_not_found") throw error;
    return false;
  }
}
