/** Calls: from a spec to one that fits its capability. No fault is repaired. */

import { isObject, own } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { invalidIntent, limitExceeded } from "../query/faults.js";
import { findNearest } from "../query/matching.js";
import { misfitError, readKeys, readMembers } from "../query/reading.js";
import { describeValue, writeCount } from "../query/text.js";
import { RealNumber } from "../query/values.js";
import { countChars } from "../values/order.js";
import { buildConverter, type Convert, Misfit } from "./arguments.js";
import { type Capability } from "./contract.js";
import { type Value } from "./executor.js";

const SPEC_KEYS = ["module", "function", "args", "kwargs", "bindings", "seed"] as const;
const BINDING_KEYS = ["parameter", "field", "parameters", "fields", "alignment", "source", "filter", "nullPolicy"] as const; // prettier-ignore
const NULL_POLICIES = ["refuse", "drop"] as const;
const ROWWISE = "rowwise";
const MOST_NAME = 1_024;
const MOST_BINDINGS = 100;
const MOST_FAULTS = 20; // that an error lists
const TOLD_FAULTS = 3; // that its message tells
const UNKNOWN = "not a parameter of it";

/** Columns of a source in place of literals: one parameter and one field, or as many of each, row by row. */
export interface Binding {
  readonly parameters: readonly string[];
  readonly fields: readonly string[];
  readonly source: string;
  /** A question's filter as its caller wrote it. */
  readonly filter: Readonly<Record<string, unknown>> | undefined;
  readonly nullPolicy: (typeof NULL_POLICIES)[number];
}

/** A well-formed call as its caller wrote it, not yet checked against the contract. */
export interface Call {
  readonly capabilityId: string;
  readonly args: readonly unknown[];
  readonly kwargs: ReadonlyMap<string, unknown>;
  readonly bindings: readonly Binding[];
  readonly seed: number | undefined;
}

/** A call that fits its capability: literals have their declared types, and every parameter is given once. */
export interface Checked {
  readonly capability: Capability;
  readonly args: readonly Value[];
  readonly kwargs: ReadonlyMap<string, Value>;
  readonly bindings: readonly Binding[];
  readonly seed: number | undefined;
}

// --- the shape of a call ---------------------------------------------------------------------------------------------

/**
 * Checks the shape of a ComputationSpec and returns it typed.
 *
 * @throws {ServiceError} `invalid_intent` of an unknown key or a wrong type; `limit_exceeded` of too many bindings.
 */
export function parseCall(raw: unknown): Call {
  const spec = readMembers(raw, "spec", SPEC_KEYS);
  const args: unknown = spec.args ?? [];
  if (!Array.isArray(args)) throw misfitError("args", args, "a list of values");
  const kwargs: unknown = spec.kwargs ?? {};
  if (!isObject(kwargs)) throw misfitError("kwargs", kwargs, "an object of values by parameter");
  const bindings: unknown = spec.bindings ?? [];
  if (!Array.isArray(bindings)) throw misfitError("bindings", bindings, "a list of bindings");
  if (bindings.length > MOST_BINDINGS) throw tooManyBindings(bindings.length);
  const names = Object.keys(kwargs).map((name) => readName(name, "kwargs"));
  return {
    capabilityId: `${readName(spec.module, "module")}.${readName(spec.function, "function")}`,
    args: Array.from(args, (each: unknown) => each),
    kwargs: new Map(names.map((name) => [name, own(kwargs, name)])),
    bindings: Array.from(bindings, (each: unknown, at) => readBinding(each, `bindings[${String(at)}]`)),
    seed: readSeed(spec.seed),
  };
}

function tooManyBindings(count: number): ServiceError {
  const message = `bindings has ${writeCount(count)} entries; at most ${String(MOST_BINDINGS)} are taken.`;
  return limitExceeded(message, { path: "bindings", limit: MOST_BINDINGS, value: count });
}

/** The spec of a call from a capability's name: `finance.npv` is its module and its function. */
export function buildNamedSpec(name: string): Readonly<Record<string, unknown>> {
  const dot = name.indexOf(".");
  if (name.length > 2 * MOST_NAME) throw misfitError("name", name, "module.function");
  if (dot < 1 || dot === name.length - 1) throw misfitError("name", name, "module.function, such as finance.npv");
  return { module: name.slice(0, dot), function: name.slice(dot + 1) };
}

function readBinding(raw: unknown, path: string): Binding {
  const parts = readMembers(readKeys(raw, path), path, BINDING_KEYS);
  const isSeveral = parts.parameters !== undefined || parts.fields !== undefined;
  const isSingle = parts.parameter !== undefined || parts.field !== undefined;
  if (isSeveral === isSingle)
    throw misfitError(path, isSingle ? "both" : "neither", "parameter and field, or parameters and fields");
  const { alignment } = parts;
  if (alignment !== ROWWISE && (isSeveral || alignment !== undefined))
    throw misfitError(`${path}.alignment`, alignment, `'${ROWWISE}'`);
  const nullPolicy = NULL_POLICIES.find((each) => each === (parts.nullPolicy ?? "refuse"));
  if (nullPolicy === undefined) throw misfitError(`${path}.nullPolicy`, parts.nullPolicy, NULL_POLICIES.join(" or "));
  const { filter } = parts;
  if (filter !== undefined && !isObject(filter))
    throw misfitError(`${path}.filter`, filter, "a filter as in a question");
  const named = isSeveral
    ? readColumns(parts.parameters, parts.fields, path)
    : {
        parameters: [readName(parts.parameter, `${path}.parameter`)],
        fields: [readName(parts.field, `${path}.field`)],
      };
  return { ...named, source: readName(parts.source, `${path}.source`), filter, nullPolicy };
}

function readColumns(first: unknown, second: unknown, path: string): Pick<Binding, "parameters" | "fields"> {
  const parameters = readNames(first, `${path}.parameters`);
  const fields = readNames(second, `${path}.fields`);
  if (parameters.length === fields.length) return { parameters, fields };
  throw misfitError(`${path}.fields`, fields.length, `${String(parameters.length)} fields, one for each parameter`);
}

function readName(raw: unknown, path: string): string {
  if (typeof raw !== "string" || raw === "" || countChars(raw) > MOST_NAME)
    throw misfitError(path, raw, `a name of at most ${writeCount(MOST_NAME)} characters`);
  if (!raw.isWellFormed()) throw misfitError(path, "a lone surrogate", "text that can be encoded");
  return raw;
}

function readNames(raw: unknown, path: string): readonly string[] {
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > MOST_BINDINGS)
    throw misfitError(path, raw, `a list of 1 to ${String(MOST_BINDINGS)} names`);
  return Array.from(raw, (name: unknown, at) => readName(name, `${path}[${String(at)}]`));
}

function readSeed(raw: unknown): number | undefined {
  if (raw === undefined) return undefined;
  const seed = raw instanceof RealNumber ? raw.value : typeof raw === "bigint" ? Number(raw) : raw;
  if (typeof seed === "number" && Number.isSafeInteger(seed) && seed >= 0) return seed + 0;
  throw misfitError("seed", raw, "a whole number from 0 to 2**53 - 1");
}

// --- a call against its capability -----------------------------------------------------------------------------------

/** Checks the calls of one capability: made once, used often. */
export class Signature {
  readonly capability: Capability;
  readonly #converters: ReadonlyMap<string, Convert>;
  readonly #types: ReadonlyMap<string, string>;

  constructor(capability: Capability) {
    this.capability = capability;
    this.#converters = new Map(capability.parameters.map((each) => [each.name, buildConverter(each)]));
    this.#types = new Map(capability.parameters.map(({ name, type }) => [name, type]));
  }

  /**
   * Returns the call with its literals in their declared types.
   *
   * @throws {ServiceError} `invalid_intent`, `duplicate_argument_binding`, `seed_required`
   */
  check(given: Call): Checked {
    const { capability } = this;
    const faults = new Faults(capability);
    const call = this.#fillDefaults(given);
    this.#checkPlaces(call, faults);
    const args = call.args.slice(0, capability.names.length).map((value, at) => {
      return this.#convert(capability.names[at] ?? "", value, faults);
    });
    const kwargs = new Map<string, Value>();
    for (const [name, value] of call.kwargs)
      if (this.#converters.has(name)) kwargs.set(name, this.#convert(name, value, faults));
    faults.refuseIfAny();
    this.#checkSeed(call);
    return { capability, args, kwargs, bindings: call.bindings, seed: call.seed };
  }

  #convert(name: string, value: unknown, faults: Faults): Value {
    const converted = this.#converters.get(name)?.(value) ?? new Misfit("unknown", "a parameter");
    if (!(converted instanceof Misfit)) return converted;
    faults.note({ parameter: name, met: converted.met, expected: converted.expected, index: converted.index });
    return 0;
  }

  /** The call with the default of each parameter that it leaves out: what is hashed is the whole call. */
  #fillDefaults(call: Call): Call {
    const defaults = this.capability.parameters.filter((each) => each.default !== undefined);
    if (defaults.length === 0) return call;
    const given = new Set([
      ...this.capability.names.slice(0, call.args.length),
      ...call.kwargs.keys(),
      ...call.bindings.flatMap(({ parameters }) => parameters),
    ]);
    const filled = defaults.filter(({ name }) => !given.has(name));
    return { ...call, kwargs: new Map([...call.kwargs, ...filled.map((each) => [each.name, each.default] as const)]) };
  }

  #checkPlaces({ args, kwargs, bindings }: Call, faults: Faults): void {
    const { names } = this.capability;
    const given = [...names.slice(0, args.length), ...kwargs.keys(), ...bindings.flatMap((each) => each.parameters)];
    if (args.length > names.length)
      faults.note({ parameter: "args", met: `${writeCount(args.length)} values`, expected: `at most ${String(names.length)}` }); // prettier-ignore
    const seen = new Set<string>();
    for (const name of given) {
      if (!this.#types.has(name))
        faults.note({ parameter: name, met: UNKNOWN, expected: this.#formatParameters(), near: findNearest(name, names) }); // prettier-ignore
      else if (seen.has(name)) faults.noteDuplicate(name);
      seen.add(name);
    }
    for (const name of names)
      if (!seen.has(name)) faults.note({ parameter: name, met: "missing", expected: this.#types.get(name) ?? "" });
  }

  #formatParameters(): string {
    return [...this.#types].map(([name, type]) => `${name}: ${type}`).join(", ") || "no parameters";
  }

  #checkSeed({ seed }: Call): void {
    const { id, tier } = this.capability;
    if (tier === "seeded" && seed === undefined)
      throw new ServiceError("seed_required", `${id} is a simulation and was given no seed.`, {
        hint: "Pass seed: any whole number; the same seed gives the same value.",
        details: { parameter: "seed", met: "missing", expected: "a whole number from 0 to 2**53 - 1" },
      });
    if (tier !== "seeded" && seed !== undefined)
      throw invalidIntent(
        `${id} takes no seed: nothing in it is random.`,
        { parameter: "seed", met: describeValue(seed), expected: "no seed" },
        "Leave the seed out.",
      );
  }
}

interface Fault {
  readonly parameter: string;
  readonly met: string;
  readonly expected: string;
  readonly index?: number | undefined;
  readonly near?: readonly string[];
}

/** The faults of one call, gathered while it is checked. */
class Faults {
  readonly #capability: Capability;
  readonly #faults: Fault[] = [];
  #hasDuplicate = false;

  constructor(capability: Capability) {
    this.#capability = capability;
  }

  note(fault: Fault): void {
    this.#faults.push(fault);
  }

  /** Notes a parameter that is given more than once: the fault that the code of the error names. */
  noteDuplicate(parameter: string): void {
    this.#hasDuplicate = true;
    this.#faults.unshift({ parameter, met: "given more than once", expected: "each parameter once" });
  }

  /** @throws {ServiceError} `invalid_intent`, `duplicate_argument_binding` */
  refuseIfAny(): void {
    const [leading] = this.#faults;
    if (leading === undefined) return;
    const meant = this.#faults.flatMap(({ near }) => near?.[0] ?? []);
    // A parameter that was misspelt is not also told to be missing.
    const counted = this.#faults.filter(({ met, parameter }) => !(met === "missing" && meant.includes(parameter)));
    const told = counted.slice(0, TOLD_FAULTS).map(formatFault);
    const more = counted.length - told.length;
    const code = this.#hasDuplicate ? "duplicate_argument_binding" : "invalid_intent";
    const shown = meant.slice(0, TOLD_FAULTS).map((name) => `\`${name}\``);
    const hint = shown.length > 0 ? `Did you mean ${shown.join(" and ")}?` : undefined;
    const details = { ...describeFault(leading), faults: this.#faults.slice(0, MOST_FAULTS).map(describeFault) };
    const said = `${told.join("; ")}${more > 0 ? `; and ${String(more)} more` : ""}`;
    throw new ServiceError(code, `${this.#capability.id}: ${said}.`, { hint, details });
  }
}

function describeFault({ parameter, met, expected, index, near = [] }: Fault): Readonly<Record<string, unknown>> {
  return {
    parameter,
    met,
    expected,
    ...(index !== undefined && { index }),
    ...(near.length > 0 && { did_you_mean: near }),
  };
}

function formatFault({ parameter, met, expected, index }: Fault): string {
  const name = parameter.length <= 60 ? parameter : `${parameter.slice(0, 57)}...`;
  if (met === UNKNOWN) return `unknown parameter \`${name}\``;
  return `${name}${index === undefined ? "" : `[${String(index)}]`} is ${met}, expected ${expected}`;
}
