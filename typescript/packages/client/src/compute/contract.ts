/** The contract: which capabilities there are, and what each takes, returns and promises; a line of JSON for each. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { canonicalText, decodeUtf8, encodeUtf8, isObject } from "@service-nb/records";
import { ServiceError } from "../errors.js";

const VERSION = 1;
const LEAF_DIGITS = 64;
const UNDEFINED = new Set(["keywords", "cases", "digest", "leaf"]); // of an entry: what no card shows

export type Tier = "certified" | "pinned" | "seeded";
export type Grade = "published" | "independent" | "derived";
export type Scalar = "float64" | "int" | "bool" | "string";

/** One parameter of a capability as its entry has it, or a result, or a field of one. */
export interface TypeEntry {
  /** float64, int[], record … */
  readonly type: string;
  readonly shape?: readonly string[];
  readonly unit?: string;
  readonly about?: string;
  readonly fields?: Readonly<Record<string, TypeEntry>>;
}

export interface ParameterEntry extends TypeEntry {
  readonly name: string;
  /** Taken where a call leaves it out. */
  readonly default?: unknown;
  /** As the cited formula writes it, in LaTeX. */
  readonly symbol?: string;
  /** Items that an array has at least. */
  readonly min_size?: number;
}

/** The whole entry of a capability. */
export interface CapabilityEntry {
  readonly id: string;
  readonly module: string;
  readonly function: string;
  readonly version: number;
  readonly tier: Tier;
  /** Where the values come from that it is held to; contracts of before have none. */
  readonly grade?: Grade;
  readonly summary: string;
  readonly source: string;
  readonly keywords?: readonly string[];
  readonly params: readonly ParameterEntry[];
  readonly result: TypeEntry;
  readonly formula?: string;
  readonly latex?: string;
  /** Parameters that are set against each other. */
  readonly compares?: readonly string[];
}

/** A parameter as calls are checked against it; `shape` are the symbolic sizes of an array. */
export interface Parameter {
  readonly name: string;
  /** As people write it: float64, float64[n]. */
  readonly type: string;
  readonly scalar: Scalar;
  readonly shape: readonly string[];
  readonly default: unknown;
}

export interface Capability {
  readonly id: string;
  readonly module: string;
  readonly function: string;
  readonly tier: Tier;
  readonly parameters: readonly Parameter[];
  /** Of the parameters, in positional order. */
  readonly names: readonly string[];
  /** Parameters that are set against each other. */
  readonly compares: readonly string[];
  readonly entry: CapabilityEntry;
}

interface Line {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Capabilities by name (`finance.npv`); each line is read when it is asked for. */
export class Contract {
  readonly hash: string;
  readonly #text: string;
  readonly #runtime: unknown;
  readonly #lines: ReadonlyMap<string, Line>;
  readonly #known = new Map<string, Capability>();
  readonly #definitions = new Map<string, string>();
  #nodes: readonly (readonly Uint8Array[])[] | undefined;

  /** @throws {ServiceError} `compute_runtime_unavailable`: the bytes are no contract of this version. */
  constructor(content: Uint8Array) {
    this.#text = decodeUtf8(content) ?? "";
    const { head, lines } = readLayout(this.#text);
    this.hash = head.hash;
    this.#runtime = head.runtime;
    this.#lines = lines;
  }

  /** The names of all capabilities, sorted. */
  get names(): readonly string[] {
    return [...this.#lines.keys()];
  }

  get size(): number {
    return this.#lines.size;
  }

  find(name: string): Capability | undefined {
    const known = this.#known.get(name);
    if (known !== undefined || !this.#lines.has(name)) return known;
    const capability = readCapability(this.readEntry(name));
    this.#known.set(name, capability);
    return capability;
  }

  /** Reads the whole entry of a capability that there is; a new object each time. */
  readEntry(name: string): CapabilityEntry {
    const line = this.#lines.get(name);
    if (line === undefined) throw unreadable();
    return JSON.parse(this.#text.slice(line.start, line.end)) as CapabilityEntry;
  }

  /** The definition of a capability as canonical JSON, with the proof that leads from it to the hash of the contract. */
  buildDefinition(name: string): string {
    const known = this.#definitions.get(name);
    if (known !== undefined) return known;
    const index = this.#lines.get(name)?.index ?? 0;
    const told = Object.entries(this.readEntry(name)).filter(([key]) => !UNDEFINED.has(key));
    const size = this.size + 1;
    const proof = this.#prove(index).map((node) => bytesToHex(node));
    const definition = canonicalText({ capability: Object.fromEntries(told), index, proof, size });
    this.#definitions.set(name, definition);
    return definition;
  }

  /** The hashes beside the way from a leaf to the root (RFC 6962). */
  #prove(index: number): readonly Uint8Array[] {
    this.#nodes ??= this.#buildNodes();
    return this.#nodes.flatMap((level, height) => {
      const at = Math.floor(index / 2 ** height);
      return level[at % 2 === 1 ? at - 1 : at + 1] ?? [];
    });
  }

  /** All nodes by level; a last one without a partner goes up as it is. */
  #buildNodes(): readonly (readonly Uint8Array[])[] {
    const head = encodeUtf8(canonicalText({ contract_version: VERSION, runtime: this.#runtime }));
    const leaves = [...this.#lines.values()].map(({ end }) =>
      hexToBytes(this.#text.slice(end - '"}'.length - LEAF_DIGITS, end - '"}'.length)),
    );
    let level: Uint8Array[] = [sha256(concatBytes(Uint8Array.of(0), head)), ...leaves];
    const levels = [level];
    while (level.length > 1) {
      const next: Uint8Array[] = [];
      for (let at = 0; at < level.length; at += 2) {
        const [left, right] = [level[at], level[at + 1]];
        if (left === undefined) continue;
        next.push(right === undefined ? left : sha256(concatBytes(Uint8Array.of(1), left, right)));
      }
      level = next;
      levels.push(level);
    }
    return levels;
  }
}

interface Layout {
  readonly head: { readonly hash: string; readonly runtime: unknown };
  readonly lines: ReadonlyMap<string, Line>;
}

/** Reads the head, and where each entry stands. A line is `"finance.npv":{…},`; only the last one has no comma. */
function readLayout(text: string): Layout {
  const first = text.indexOf("\n");
  const lines = new Map<string, Line>();
  let head: unknown;
  try {
    head = JSON.parse(`${text.slice(0, Math.max(first, 0))}}}`);
  } catch {
    throw unreadable();
  }
  for (let start = first + 1; text.charAt(start) === '"';) {
    const end = text.indexOf("\n", start);
    const colon = text.indexOf(":", start);
    if (end < 0 || colon < 0 || colon > end) throw unreadable();
    const last = text.charAt(end - 1) === "," ? end - 1 : end;
    lines.set(text.slice(start + 1, colon - 1), { index: lines.size + 1, start: colon + 1, end: last });
    start = end + 1;
  }
  const hash = isObject(head) ? head["contract_hash"] : undefined;
  if (!isObject(head) || head["contract_version"] !== VERSION || typeof hash !== "string") throw unreadable();
  return { head: { hash, runtime: head["runtime"] }, lines };
}

function unreadable(): ServiceError {
  return new ServiceError("compute_runtime_unavailable", "The contract of capabilities cannot be read.", {
    hint: "Reinstall @service-nb/client: its contract and its code belong together.",
    details: { expected: `a contract of version ${String(VERSION)}` },
  });
}

function readCapability(entry: CapabilityEntry): Capability {
  const parameters = entry.params.map((each) => ({
    name: each.name,
    type: formatType(each),
    scalar: each.type.replaceAll("[]", "") as Scalar,
    shape: each.shape ?? [],
    default: each.default,
  }));
  const { id, module, function: name, tier } = entry;
  const names = parameters.map((each) => each.name);
  return { id, module, function: name, tier, parameters, names, compares: entry.compares ?? [], entry };
}

/** The type of a parameter or a result for people: `float64[n]`, or the fields of a record by name. */
export function formatType(type: TypeEntry): string {
  if (type.type === "record") {
    const fields = Object.entries(type.fields ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${fields.map(([name, field]) => `${name}: ${formatType(field)}`).join(", ")}}`;
  }
  const shape = type.shape ?? [];
  return shape.length > 0 ? `${type.type.replaceAll("[]", "")}[${shape.join(",")}]` : type.type;
}

/** The signature of a capability: `stats.quantile(values: float64[n], definition: int = 7) -> float64`. */
export function formatSignature({ id, parameters, entry }: Capability): string {
  const taken = parameters.map(
    (each) => `${each.name}: ${each.type}${each.default === undefined ? "" : ` = ${canonicalText(each.default)}`}`,
  );
  return `${id}(${taken.join(", ")}) -> ${formatType(entry.result)}`;
}

/** The unit of each parameter, and of the value as `result` (of a record: `result.<field>`). */
export function listUnits({ entry }: Capability): Readonly<Record<string, string>> {
  const { params, result } = entry;
  const named: [string, string][] = params.map(({ name, unit }) => [name, unit ?? "1"]);
  const fields = Object.entries(result.fields ?? {});
  const results: [string, string][] =
    result.type === "record"
      ? fields.map(([name, { unit }]) => [`result.${name}`, unit ?? "1"])
      : [["result", result.unit ?? "1"]];
  return Object.fromEntries([...named, ...results]);
}
