/** The access policy: allow-lists of sources, fields and functions. Set in code, frozen, and only ever narrowed. */

import { isObject } from "@service-nb/records";
import { hashSchema } from "../digests.js";
import { ServiceError } from "../errors.js";
import { type Catalog, type SourceView } from "../source.js";
import { compareTexts } from "../values/order.js";
import { invalidIntent } from "./faults.js";
import { misfitError, readKeys, readMembers } from "./reading.js";
import { type TextReason } from "./text-columns.js";
import { describeValue } from "./text.js";

/** Allow-lists as a caller writes them; one that is left out allows everything of its kind. */
export interface PolicyOptions {
  readonly allowedSources?: readonly string[];
  readonly allowedFields?: Readonly<Record<string, readonly string[]>>;
  readonly allowedFunctions?: "all-readonly" | readonly string[];
}

type Names = ReadonlySet<string> | undefined;
type FieldNames = ReadonlyMap<string, ReadonlySet<string>> | undefined;

const KEYS = ["allowedSources", "allowedFields", "allowedFunctions"] as const;
const ALL_READONLY = "all-readonly";

/** What may be asked and computed. A source that the lists of fields do not name is not restricted by them. */
export class Policy {
  readonly #sources: Names;
  readonly #fields: FieldNames;
  readonly #functions: Names;

  constructor(sources?: Names, fields?: FieldNames, functions?: Names) {
    this.#sources = sources;
    this.#fields = fields;
    this.#functions = functions;
    Object.freeze(this);
  }

  get restrictsSources(): boolean {
    return this.#sources !== undefined;
  }

  /** Whether the source may be connected, listed and asked. */
  allowsSource(name: string): boolean {
    return this.#sources?.has(name) ?? true;
  }

  /** Whether an allow-list of fields is in force for the source. */
  restrictsFields(source: string): boolean {
    return this.#fields?.has(source) ?? false;
  }

  /** The sources for which an allow-list of fields is in force. */
  get restrictedSources(): readonly string[] {
    return [...(this.#fields?.keys() ?? [])];
  }

  /** Whether the same fields are allowed under both names. */
  listsSameFields(one: string, other: string): boolean {
    const [mine, theirs] = [this.#fields?.get(one), this.#fields?.get(other)];
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return mine.size === theirs.size && [...mine].every((name) => theirs.has(name));
  }

  /** Whether the field may be named, read, filtered by or suggested. */
  allowsField(source: string, field: string): boolean {
    return this.#fields?.get(source)?.has(field) ?? true;
  }

  /** Whether the capability may be called, listed and suggested; `finance.*` allows a whole module. */
  allowsFunction(name: string): boolean {
    return this.#functions === undefined || this.#functions.has(name) || this.#functions.has(modulePattern(name));
  }

  /** Throws `policy_denied_source` unless the source is allowed. Whether it exists makes no difference. */
  requireSource(name: string): void {
    if (!this.allowsSource(name)) throw deniedError("source", `The policy does not allow the source ${describeValue(name)}.`, name); // prettier-ignore
  }

  /** Throws `policy_denied_function` unless the capability is allowed. Whether it exists makes no difference. */
  requireFunction(name: string): void {
    if (!this.allowsFunction(name)) throw deniedError("function", `The policy does not allow the function ${describeValue(name)}.`, name); // prettier-ignore
  }

  /** The policy that allows only what both allow. */
  narrow(other: Policy): Policy {
    return new Policy(
      narrowNames(this.#sources, other.#sources),
      narrowFields(this.#fields, other.#fields),
      narrowFunctions(this.#functions, other.#functions),
    );
  }

  /** As a caller would write it, sorted. */
  toJSON(): PolicyOptions {
    const fields = this.#fields && [...this.#fields].sort(([one], [two]) => compareTexts(one, two));
    return {
      ...(this.#sources !== undefined && { allowedSources: sortNames(this.#sources) }),
      ...(fields !== undefined && {
        allowedFields: Object.fromEntries(fields.map(([name, each]) => [name, sortNames(each)])),
      }),
      allowedFunctions: this.#functions === undefined ? ALL_READONLY : sortNames(this.#functions),
    };
  }
}

function deniedError(denied: "source" | "function", message: string, met: string): ServiceError {
  const hint = "Policies are set in code: createService({ policy: … }).";
  return new ServiceError(`policy_denied_${denied}`, message, { hint, details: { met } });
}

/** The sentence in which a field is denied: the same of one that exists and of one that does not. */
export function describeDeniedField(source: string, field: string): string {
  return `The policy does not allow the field ${describeValue(field)} of ${source}.`;
}

function sortNames(names: ReadonlySet<string>): string[] {
  return [...names].sort(compareTexts);
}

function modulePattern(name: string): string {
  return `${name.split(".")[0] ?? ""}.*`;
}

function narrowNames(one: Names, other: Names): Names {
  if (one === undefined || other === undefined) return one ?? other;
  return new Set([...one].filter((name) => other.has(name)));
}

function narrowFields(one: FieldNames, other: FieldNames): FieldNames {
  if (one === undefined || other === undefined) return one ?? other;
  const merged = new Map<string, ReadonlySet<string>>();
  for (const source of [...one.keys(), ...other.keys()]) {
    const names = narrowNames(one.get(source), other.get(source));
    if (names !== undefined) merged.set(source, names);
  }
  return merged;
}

/** A module on one list and functions of it on the other: the functions are what both allow. */
function narrowFunctions(one: Names, other: Names): Names {
  if (one === undefined || other === undefined) return one ?? other;
  const keep = (mine: ReadonlySet<string>, theirs: ReadonlySet<string>): string[] =>
    [...mine].filter((name) => theirs.has(name) || (!name.endsWith(".*") && theirs.has(modulePattern(name))));
  return new Set([...keep(one, other), ...keep(other, one)]);
}

/**
 * The policy that a caller's object describes.
 *
 * @throws {ServiceError} `invalid_intent`: a policy with a typing error must not become a wider one.
 */
export function parsePolicy(raw: unknown): Policy {
  if (raw === undefined || raw === null) return new Policy();
  if (raw instanceof Policy) return raw;
  const { allowedSources, allowedFields, allowedFunctions } = readMembers(readKeys(raw, "policy"), "policy", KEYS);
  return new Policy(
    readNames(allowedSources, "policy.allowedSources"),
    readFields(allowedFields),
    allowedFunctions === ALL_READONLY ? undefined : readNames(allowedFunctions, "policy.allowedFunctions"),
  );
}

function readFields(raw: unknown): FieldNames {
  const path = "policy.allowedFields";
  if (raw === undefined) return undefined;
  if (!isObject(raw)) throw invalidIntent(`\`${path}\` must map each source to a list of fields.`, { path });
  const restricted = new Map<string, ReadonlySet<string>>();
  for (const [source, listed] of Object.entries(raw)) {
    const names = readNames(listed, `${path}[${describeValue(source)}]`);
    if (names === undefined) throw misfitError(`${path}[${describeValue(source)}]`, listed, "a list of field names");
    restricted.set(source, names);
  }
  return restricted;
}

function readNames(raw: unknown, path: string): Names {
  if (raw === undefined || raw === null) return undefined;
  const listed: unknown = raw instanceof Set ? [...(raw as ReadonlySet<unknown>)] : raw;
  if (!Array.isArray(listed)) throw misfitError(path, raw, "a list of names");
  const names = Array.from(listed, (name: unknown) => name);
  if (!names.every((name) => typeof name === "string"))
    throw invalidIntent(`${path} holds something that is not a name.`, { path });
  return new Set(names);
}

// --- what resolution may know -------------------------------------------------------------------------------------------

/** The allowed sources with their allowed fields: a denied one does not exist, and no hash is made of it. */
export function buildCatalog(sources: Iterable<SourceView>, policy: Policy): Catalog {
  const allowed = Array.from(sources).filter(({ name }) => policy.allowsSource(name));
  const views = allowed.map((source) => [source.name, narrowSource(source, policy)] as const);
  return { sources: new Map(views), isRestricted: policy.restrictsSources };
}

/** A source without the fields that the policy denies. */
export function narrowSource(source: SourceView, policy: Policy): SourceView {
  if (!policy.restrictsFields(source.name)) return source;
  const fields = new Map([...source.fields].filter(([name]) => policy.allowsField(source.name, name)));
  const aliases = new Map([...source.aliases].filter(([, target]) => fields.has(target)));
  // What is proposed for a column was tried on others too, so no option is told.
  const findTextReason = (column: string): TextReason | undefined => {
    const reason = source.findTextReason?.(column);
    return reason === undefined ? undefined : { ...reason, options: {} };
  };
  const schemaRevision = hashSchema([...fields.values()]);
  return { ...source, fields, aliases, schemaRevision, isRestricted: true, findTextReason };
}
