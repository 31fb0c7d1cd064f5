import type { JsonObject, JsonValue } from "@service-nb/records";

/** The version of these messages. A kernel that speaks another one says so, and nothing is asked of it. */
export const LINK_VERSION = 1;

/** The comm target that `%load_ext service_nb` registers. */
export const LINK_TARGET = "service_nb";

/** What is asked. Nothing here runs a question or changes a source: that is done by cells, which a reader can see. */
export interface Asked {
  hello: Record<string, never>;
  sources: Record<string, never>;
  values: { source: string; field: string };
  look: { source: string };
  search: { query: string; limit: number };
  capability: { name: string };
  check_ask: { spec: JsonObject };
  /** Arguments as a person types them; `seed` among them. One that is blank counts as not given. */
  check_call: { name: string; arguments: Readonly<Record<string, string>> };
  /** A result by its id in the ledger; with a card, that card where the ledger does not have it. */
  replay: { id: string; card?: JsonObject };
  /** A part of a result from a character on: of its hashed text, or of its rows as Parquet in base64. */
  read_result: { id: string; form: "text" | "parquet"; at: number };
}

export type Method = keyof Asked;

/** What is answered to each. */
export interface Answered {
  hello: Hello;
  sources: { sources: readonly Source[]; fault?: string | undefined }; // why it is not known what a deployment has
  values: { values: readonly string[] };
  look: { columns: readonly ColumnLook[] }; // none of a live source
  search: { hits: readonly Hit[]; count: number }; // how many fit, counted up to 1,000; of no words all there are
  capability: Capability;
  check_ask: AskCheck;
  check_call: CallCheck;
  replay: Replayed;
  read_result: ResultPart;
}

/** A part of a result; characters are those of Unicode, and not of UTF-16. */
export interface ResultPart {
  readonly part: string;
  readonly size: number; // characters of the whole
}

export interface Hello {
  readonly version: number;
  readonly made_by: string; // "service_nb 0.1.0"
  readonly contract_hash: string | null;
  readonly capabilities: number; // that the policy allows
  readonly project: string; // the last part of its path
}

export interface Field {
  readonly name: string;
  readonly type: string; // number, string, boolean, date, datetime, …
  readonly physical: string;
  readonly nullable: boolean; // false where it is known that no value is missing
  readonly aliases: readonly string[];
}

export interface Source {
  readonly name: string;
  readonly source_id: string;
  readonly schema_revision: string;
  readonly row_count: number;
  readonly provider: string; // what was read: file, files, live, or values that the session had in memory
  readonly connected?: boolean | undefined; // false of what a name alone would connect; `provider` is who keeps it then
  readonly fields: readonly Field[];
}

/** What is known of a column; null where nobody counted it. Values are exact texts, cut where they are long. */
export interface ColumnLook {
  readonly name: string;
  readonly nulls: number;
  readonly distinct: number | null;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly counts: readonly ValueCount[] | null;
}

/** How many rows hold a value, or, where `below` is given, one from it to below that. */
export interface ValueCount {
  readonly value: string;
  readonly below: string | null;
  readonly rows: number;
}

export interface Hit {
  readonly name: string; // finance.npv
  readonly summary: string;
  readonly signature: string;
  readonly tier: string;
  readonly grade: string;
}

export interface Parameter {
  readonly name: string;
  readonly type: string; // float64, int, float64[], float64[][], string, bool, …
  readonly unit: string;
  readonly domain: string | null;
  readonly about: string;
  readonly symbol: string | null;
  readonly shape: readonly string[];
  readonly choices: readonly string[];
  readonly default?: string | undefined; // as it is written in a compute line; taken where none is given
  readonly example: string | null; // as it is written in a compute line, from a case of the contract
}

export interface Capability extends Hit {
  readonly source: string; // the citation
  readonly params: readonly Parameter[];
  readonly result: { readonly type: string; readonly unit: string; readonly about: string };
  readonly formula: string | null;
  readonly latex: string | null;
  readonly needs_seed: boolean;
}

/** What a question resolves to, without a run. `line` is the magic that asks it. */
export interface AskCheck {
  readonly status: "ok" | "needs_clarification" | "rejected";
  readonly line: string;
  readonly plan: readonly string[];
  readonly reason: string | null;
  readonly candidates: readonly { readonly slot: string; readonly name: string; readonly ask: string }[];
}

/** Whether a call fits its capability. `line` is the magic that computes it; `parameter` is null for the call. */
export interface CallCheck {
  readonly status: "ok" | "invalid";
  readonly line: string;
  readonly faults: readonly { readonly parameter: string | null; readonly message: string }[];
}

export interface Replayed {
  readonly status: "identical" | "differs" | "refused";
  readonly message: string;
  readonly cause: string | null;
}

/** What went wrong in the kernel, in its own words. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

export interface Request<M extends Method = Method> {
  readonly service_nb: typeof LINK_VERSION;
  readonly id: number;
  readonly method: M;
  readonly params: Asked[M];
}

export type Response = { readonly service_nb: number; readonly id: number } & (
  { readonly result: JsonValue } | { readonly error: Failure }
);
