/** What a client connects, as its policy allows: data that are read here, and live sources of its deployment. */

import {
  buildDeploymentError,
  buildLocalInput,
  isLocalType,
  omitSelected,
  pickSelected,
  readConnector,
} from "../deployment/descriptors.js";
import { ServiceError } from "../errors.js";
import { type Policy } from "../query/policy.js";
import { findSimilarNames } from "../query/similar.js";
import { writeCount } from "../query/text.js";
import { refuseAddress } from "../readers/misplaced-descriptors.js";
import { quote } from "../readers/names.js";
import { checkOptions, type Limits, type ReadingOptions } from "../readers/options.js";
import { type Format } from "../readers/read.js";
import { readConnectCall, refuseReadingOptions } from "./connect-forms.js";
import { findDataPlace, requireOneList } from "./data-places.js";
import { type Host } from "./host.js";
import { type ConnectorTest, type Deployment, type LiveSource, type StoredConnector } from "./live.js";
import {
  buildLiveRegistered,
  buildRegistered,
  chooseName,
  isAddress,
  isPrintableName,
  readInput,
  refuseUnread,
} from "./read-input.js";
import { Registry, type ServiceSource } from "./registry.js";
import { Upkeep } from "./upkeep.js";

/** Options of a source, beside how it is read. */
export interface ConnectOptions extends ReadingOptions {
  readonly name?: string | undefined;
  /** The same as `name`, of live sources. */
  readonly datasetName?: string | undefined;
  /** A live source's descriptor: `{type, host, database, user, password, table}`, or `{id, table}` of a kept one. */
  readonly connector?: Readonly<Record<string, unknown>> | undefined;
  /** Sources are not kept by this client: false, or left out. */
  readonly persist?: boolean | undefined;
  /** Columns by other names that questions may use. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** The format of bytes; that of a file follows from its ending. */
  readonly format?: Format | undefined;
}

/** The sources of a client: registered ones, and the way to others. */
export class Sources {
  readonly registry: Registry;
  readonly live: Deployment | undefined;
  readonly upkeep: Upkeep;
  readonly #host: Host;
  readonly #policy: Policy;
  readonly #limits: Limits;

  constructor(host: Host, policy: Policy, limits: Limits, live: Deployment | undefined) {
    [this.#host, this.#policy, this.#limits] = [host, policy, limits];
    this.registry = new Registry(policy);
    this.live = live;
    this.upkeep = new Upkeep(this.registry, policy, live);
  }

  /** The names of the deployment's sources that the policy allows, sorted; none without a deployment. */
  async listLiveNames(): Promise<readonly string[]> {
    const names = (await this.live?.listNames()) ?? [];
    return names.filter((name) => this.#policy.allowsSource(name));
  }

  /**
   * Connects a source: a path, bytes, an object, rows, `{records}`, or `{provider: "sqlite", path, table}`; of a
   * deployment `connect(null, { connector, name })`, or `connect(null, { name })` for a source that it has.
   *
   * @throws {ServiceError} The input cannot be read, or the name is bound to other data.
   */
  async connect(input: unknown, options: ConnectOptions = {}): Promise<ServiceSource> {
    const call = readConnectCall(input, options);
    if (call.kind === "data") return this.#connectData(call.input, call.name, call.options);
    const { types = {}, aliases = {}, ...others } = call.options;
    if (call.kind === "live") {
      const { connector, type } = call;
      const label = this.#requireLabel(chooseName(call.name ?? connector["table"], undefined), call.options);
      if (this.live === undefined) throw buildDeploymentError(type);
      refuseReadingOptions(others);
      const live = this.live;
      return this.#addLive(label, () => live.connect(label, connector, { types, aliases }), aliases);
    }
    const label = this.#requireLabel(chooseName(call.name, undefined), { aliases });
    if (this.live === undefined) throw noDataError();
    refuseReadingOptions(others);
    if (Object.keys(types).length > 0) throw declaredTypesError(label);
    const live = this.live;
    const names = await this.listLiveNames();
    if (!names.includes(label)) throw unknownSource(label, names);
    return this.#addLive(label, () => live.open(label), aliases);
  }

  async #connectData(source: unknown, name: string | undefined, options: DataOptions): Promise<ServiceSource> {
    const { aliases, format, ...given } = options;
    const input = isAddress(source) ? (this.#host.findAddressedPath?.(source.href) ?? source) : source;
    if (typeof input === "string") refuseAddress(input); // before its end is taken for a name
    refuseUnread(input);
    const label = this.#requireLabel(chooseName(name, input), options);
    const checked = checkOptions(given, this.#limits);
    const place = findDataPlace(input, this.#host);
    requireOneList(this.#policy, label, place, this.registry.listAll());
    try {
      const read = await readInput(input, { format, given, checked }, { host: this.#host, limits: this.#limits });
      const registered = buildRegistered(label, read, checked, aliases);
      requireOneList(this.#policy, label, place, this.registry.listAll()); // others may have been connected meanwhile
      return this.registry.describe(this.registry.add({ ...registered, place }));
    } catch (error) {
      throw this.hideNames(label, error, "registered");
    }
  }

  /** Registers a live source, under aliases of this side or those that the deployment has. */
  async #addLive(
    label: string,
    reach: () => Promise<LiveSource>,
    given: Readonly<Record<string, string>> = {},
  ): Promise<ServiceSource> {
    try {
      const found = await reach();
      const aliases = Object.keys(given).length > 0 ? new Map(Object.entries(given)) : found.aliases;
      const visible = found.fields.filter((field) => this.#policy.allowsField(label, field.name));
      return this.registry.describe(this.registry.add(buildLiveRegistered(label, found, aliases, visible)));
    } catch (error) {
      throw this.hideNames(label, error, "registered");
    }
  }

  /** Checks the name and the declared columns of a source against the policy, and returns the name. */
  #requireLabel(label: string, { types, aliases }: Pick<ConnectOptions, "types" | "aliases">): string {
    this.#policy.requireSource(label);
    for (const column of [...Object.keys(types ?? {}), ...Object.values(aliases ?? {})])
      this.#requireField(label, column);
    return label;
  }

  async testConnector(descriptor: unknown): Promise<ConnectorTest> {
    try {
      const read = readConnector(descriptor);
      if (isLocalType(read.type)) return await this.#tryInput(buildLocalInput(read));
      if (this.live === undefined) throw buildDeploymentError(read.type);
      return hideTestMessage(this.#policy, await this.live.testConnector(read.descriptor));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { success: false, message: `${error.code}: ${error.message}`, code: error.code };
    }
  }

  async #tryInput(input: unknown): Promise<ConnectorTest> {
    const label = this.#requireLabel(chooseName(undefined, input), {});
    requireOneList(this.#policy, label, findDataPlace(input, this.#host), this.registry.listAll());
    try {
      const request = { format: undefined, given: {}, checked: checkOptions({}, this.#limits) };
      const { table } = await readInput(input, request, { host: this.#host, limits: this.#limits });
      return { success: true, message: `${writeCount(table.rowCount)} rows can be read.` };
    } catch (error) {
      throw this.hideNames(label, error, "read");
    }
  }

  async createConnector(descriptor: unknown, options: { readonly name?: string } = {}): Promise<StoredConnector> {
    const { descriptor: read, type } = readConnector(descriptor);
    if (this.live === undefined) throw buildDeploymentError(type);
    const stored = await this.live.createConnector(omitSelected(read), options.name);
    return { ...stored, ...pickSelected(read) };
  }

  async forgetConnector(id: string): Promise<void> {
    if (this.live === undefined) throw buildDeploymentError(undefined);
    await this.live.forgetConnector(id);
  }

  /** Connects a source that a question names, if the deployment has one of exactly that name. */
  async connectNamed(name: string | undefined): Promise<void> {
    const { live } = this;
    if (live === undefined || !isPrintableName(name) || this.registry.has(name) || !this.#policy.allowsSource(name))
      return;
    try {
      await this.#addLive(name, () => live.openNamed(name));
    } catch (error) {
      // The question names nothing: to say so is for who resolves it.
      if (!(error instanceof ServiceError) || error.code !== "source_not_found") throw error;
    }
  }

  #requireField(source: string, field: string): void {
    if (this.#policy.allowsField(source, field)) return;
    const message = `The policy does not allow the field ${quote(field)} of ${source}.`;
    throw new ServiceError("policy_denied_field", message, { details: { met: field } });
  }

  /** An error without names of columns and values, where the policy hides fields of the source. */
  hideNames(label: string, error: unknown, action: "registered" | "read"): unknown {
    if (!(error instanceof ServiceError) || !this.#policy.restrictsFields(label)) return error;
    const { line, row, changed, reason } = error.details;
    const message = `The source ${quote(label)} cannot be ${action} (${error.code}).`;
    const hint = "The policy restricts its fields, so columns and values are not named.";
    const { source, retryable } = error;
    return new ServiceError(error.code, message, { hint, source, retryable, details: { line, row, changed, reason } });
  }
}

type DataOptions = Omit<ConnectOptions, "name" | "datasetName" | "connector" | "persist">;

function declaredTypesError(name: string): ServiceError {
  const message = `${quote(name)} is already a source of the deployment, which declares its types.`;
  const hint = "Declare types when you connect a connector.";
  return new ServiceError("invalid_intent", message, { hint, details: { path: "types" } });
}

function noDataError(): ServiceError {
  const hint = "Pass a path, bytes, rows, {records: […]} or {provider: 'sqlite', path, table}.";
  return new ServiceError("invalid_intent", "No data to connect was given.", { hint });
}

function unknownSource(name: string, names: readonly string[]): ServiceError {
  const near = findSimilarNames(name, names);
  const [first] = near;
  const hint = first === undefined ? "Pass the data, or a connector, to connect." : `Did you mean ${quote(first)}?`;
  const details = { met: name, did_you_mean: first === undefined ? undefined : near };
  return new ServiceError("source_not_found", `The deployment has no source named ${quote(name)}.`, { hint, details });
}

/** A connector's test result, without the message of the other side if it may name what the policy hides. */
function hideTestMessage(policy: Policy, tested: ConnectorTest): ConnectorTest {
  if (!policy.restrictsSources && policy.restrictedSources.length === 0) return tested;
  const failed = `${tested.code ?? "service_error"}: the policy hides the message of the other side.`;
  return { ...tested, message: tested.success ? "It answers." : failed };
}
