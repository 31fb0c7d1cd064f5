/** Genuine cards as the format has them, written down by hand: one of each kind, and a few that differ in form. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalText } from "@service-nb/records";
import { type Draft, type Members, without } from "./making.js";

const SCHEMA = "8585b342747ad0fcb7ae459b0bca7269f11d49ec654cc3feda4ad1b661c0d9e8";
const HASH = "98c4377535c213a567508fd84fca70cd63dd472089faa671e3b5c1a2ecf2f2fd";

const FLIGHTS = {
  name: "flights",
  source_id: "69fd828862ca33dd71fc1932",
  schema_revision: SCHEMA,
  row_count: 336776,
  content: { algorithm: "sha256-arrow", sha256: HASH, rows: 336776 },
  origin: { file: "flights.csv" },
  reading: { nulls: ["NA"] },
};

function column(name: string, type: string, physical: string, role: string): Members {
  return { name, type, physical, role };
}

const COUNT = column("count", "number", "int64", "count");

interface Query {
  readonly plan: Members;
  readonly columns: readonly Members[];
  readonly result: readonly Members[];
  readonly rows: readonly unknown[];
  readonly view: Members;
  readonly source?: Members;
}

function query({ plan, columns, result, rows, view, source = FLIGHTS }: Query): Draft {
  const told = {
    columns,
    decision_path: "exact_spec",
    engine: "direct",
    method: "exact rational sum, rounded once",
    notes: { clock: "2026-11-22", zone: "UTC" },
    row_count: result.length,
    shown_rows: rows.length,
    sources: [source],
  };
  const shownSource = without(source, "origin");
  const { decision_path, method, engine } = told;
  return {
    kind: "query",
    texts: { plan: { ...plan, schema_revision: SCHEMA }, result, provenance: told },
    view: {
      ...{ status: "ok", columns, rows, row_count: result.length, source: shownSource, decision_path, method, engine },
      ...{ query_id: "query_db654eb9a6944515", latency_ms: 55.739, notes: ["clock: 2026-11-22", "zone: UTC"] },
      ...view,
    },
  };
}

export const GROUPED = query({
  plan: {
    aggregation: "sum",
    metric: "delay",
    group_by: ["carrier", "by"],
    order: "asc",
    limit: 1000,
    filter: {
      conditions: [
        { column: "distance", op: "gte", value: 1e-7 },
        { column: "day", op: "between", values: ["2013-01-01", "2013-01-31"] },
        { column: "tail num", op: "not_in", values: ["O'Neill", 7, true] },
        { column: "name", op: "starts_with", value: "2013-01-01" },
        { column: "origin", op: "is_not_null" },
      ],
    },
  },
  columns: [
    column("carrier", "string", "string", "key"),
    column("by", "number", "int64", "key"),
    column("delay", "number", "decimal(20,2)", "metric"),
    COUNT,
  ],
  result: [
    { by: 1, carrier: "\uffff", count: 2, delay: "-3.50" },
    { by: 1, carrier: "\u{10000}", count: 2, delay: "-3.50" },
    { by: 2, carrier: null, count: 1, delay: "-3.50" },
    { by: 2, carrier: "AA", count: 1, delay: "99999999999999999.01" },
    { by: 3, carrier: "AA", count: 1, delay: "100000000000000000.00" },
    { by: 4, carrier: "AA", count: 1, delay: null },
  ],
  rows: [
    ["\uffff", "1", "-3.50", "2"],
    ["\u{10000}", "1", "-3.50", "2"],
    [null, "2", "-3.50", "1"],
  ],
  view: {
    question:
      "Sum of delay by carrier, by in flights where distance ≥ 1e-7 and day is between 2013-01-01 and 2013-01-31" +
      " and tail num is none of 'O''Neill', 7, true and name starts with 2013-01-01 and origin is not null, first 1,000",
    ask:
      "sum delay by carrier, `by` from flights where distance >= 1e-7 and day between 2013-01-01 and 2013-01-31" +
      " and `tail num` not in ('O''Neill', 7, true) and name starts with '2013-01-01' and origin is not null" +
      " order asc limit 1000",
    plan: [
      "Read flights (336,776 rows, schema 8585b342747a)",
      "Keep the rows where distance ≥ 1e-7 and day is between 2013-01-01 and 2013-01-31" +
        " and tail num is none of 'O''Neill', 7, true and name starts with 2013-01-01 and origin is not null",
      "Group by carrier, by",
      "Add the values of delay of each group exactly and round once; nulls are left out",
      "Order by delay ascending, nulls last, ties by carrier, by ascending",
      "Keep the first 1,000 rows",
    ],
  },
});

export const COUNTED = query({
  plan: { aggregation: "count", order: "desc" },
  columns: [COUNT],
  result: [{ count: 336776 }],
  rows: [["336776"]],
  source: { ...FLIGHTS, content: { algorithm: "live" }, origin: null, reading: {} },
  view: {
    question: "Count of rows in flights",
    ask: "count from flights",
    plan: ["Read flights (schema 8585b342747a)", "Count the rows"],
  },
});

/** The root of a tree of two leaves, the second of which is a capability, and the way to it. */
function definition(capability: Members): { readonly text: Members; readonly contract: string } {
  const leaf = (text: string): Uint8Array => sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(text)));
  const head = leaf('{"contract_version":1,"runtime":{}}');
  const root = sha256(concatBytes(Uint8Array.of(1), head, leaf(canonicalText(capability))));
  return {
    text: { capability, index: 1, proof: [bytesToHex(head)], size: 2 },
    contract: `sha256:${bytesToHex(root)}`,
  };
}

const NPV = {
  id: "finance.npv",
  module: "finance",
  function: "npv",
  version: 1,
  tier: "certified",
  summary: "Net present value of cash flows at equal intervals, the first of them now.",
  source: "R. A. Brealey, S. C. Myers, F. Allen, Principles of Corporate Finance, 13th ed.",
  params: [
    { name: "rate", type: "float64", unit: "1", domain: "(-1, inf)", about: "discount rate", symbol: "r" },
    { name: "cashflows", type: "float64[]", shape: ["n"], unit: "money", about: "cash flows", min_size: 1 },
    { name: "labels", type: "string", unit: "1" },
  ],
  result: { type: "float64", unit: "money", about: "net present value", name: "npv" },
  formula: "sum(c / (1 + rate)**t for t, c in enumerate(cashflows))",
  latex: "\\mathrm{npv} = \\sum_t \\frac{c_t}{(1 + r)^t}",
};

const LONG = `${"ä".repeat(40)}😀${"z".repeat(40)}`;

function computation(entry: Members, parts: Readonly<Record<"identity" | "told" | "texts" | "view", Members>>): Draft {
  const { text, contract } = definition(entry);
  const args = parts.texts["arguments"];
  const input_hash = bytesToHex(sha256(utf8ToBytes(canonicalText(args))));
  const determinism = {
    ...{ platform: "linux-x64", input_hash, tier: entry["tier"], capability_version: entry["version"] },
    ...{ libraries: { numpy: "2.4.6" }, pinning: "unpinned" },
  };
  const identity = {
    ...{ module: entry["module"], function: entry["function"], contract_hash: contract },
    ...{ execution_scope: "linux-x64:local", args: [], kwargs: {}, resolved_bindings: [], seed: null },
    ...parts.identity,
  };
  const told = { bindings: [], sources: [], determinism, ...parts.told };
  return {
    kind: "computation",
    texts: { identity, definition: text, provenance: told, ...parts.texts },
    view: {
      ...{ status: "ok", call: entry["id"], summary: entry["summary"], citation: entry["source"] },
      ...{ formula: entry["formula"] ?? null, latex: entry["latex"] ?? null, tier: entry["tier"] },
      ...{ version: entry["version"], bindings: told.bindings, determinism, scope: "linux-x64:local" },
      ...{ request_id: "service_aee9c25b5ece4084", latency_ms: 1.5 },
      ...parts.view,
    },
  };
}

export const COMPUTED = computation(NPV, {
  identity: {
    args: [0.1],
    kwargs: { labels: LONG },
    resolved_bindings: [{ input_hash: HASH }],
  },
  told: {
    bindings: [
      {
        ...{ source_name: "flights", fields: ["arr delay"], parameters: ["cashflows"], schema_revision: SCHEMA },
        ...{ row_count: 3, dropped: 1, input_hash: HASH, filter: { conditions: [] } },
      },
    ],
    sources: [FLIGHTS],
  },
  texts: { arguments: [0.1, [1.5, -2.25, 0.1], LONG], value: -0.4628099173553719 },
  view: {
    question:
      `finance.npv(rate=0.1, cashflows=flights.\`arr delay\` (filtered), ` +
      `labels="${"ä".repeat(19)}…${"z".repeat(19)}")`,
    columns: ["value", "unit", "about"],
    rows: [["-0.4628099173553719", "money", "net present value"]],
    row_count: 1,
    value_type: "float64",
    promise:
      "The value is proven to be the correctly rounded result of the formula for exactly these arguments: " +
      "the same on every machine.",
  },
});

const SIMULATED = {
  id: "random.walk",
  module: "random",
  function: "walk",
  version: 3,
  tier: "seeded",
  summary: "A walk, and how far it went.",
  source: "by hand",
  params: [
    { name: "steps", type: "int[]", shape: ["n"], unit: "1" },
    { name: "is_long", type: "bool", unit: "1" },
  ],
  result: {
    type: "record",
    about: "",
    fields: {
      way: { type: "float64[][]", shape: ["n", "m"], unit: "m" },
      far: { type: "int", unit: "s" },
    },
  },
};

export const SEEDED = computation(SIMULATED, {
  identity: { args: [[1, 2, 3, 4, 5, 6, 7, 8, "12345678901234567890"], true], seed: 42 },
  told: {},
  texts: {
    arguments: [[1, 2, 3, 4, 5, 6, 7, 8, "12345678901234567890"], true],
    value: { far: "12345678901234567890", way: [[1, "NaN"], Array.from({ length: 21 }, (_, at) => at)] },
  },
  view: {
    question: "random.walk(steps=[1, 2, 3, … 9 items], is_long=true, seed=42)",
    columns: ["name", "value", "unit"],
    rows: [
      ["far", "12345678901234567890", "s"],
      ["way", `[[1, NaN], [${Array.from({ length: 20 }, (_, at) => String(at)).join(", ")}, …]]`, "m"],
    ],
    row_count: 2,
    value_type: "{far: int, way: float64[n,m]}",
    promise:
      "The value has the same bits wherever the pinned runtime runs with this seed. " +
      "This run was not inside the pinned runtime: the last digits may depend on libraries and processor.",
  },
});

const RESOLUTION = {
  candidates: [{ slot: "metric", name: "delay", type: "number", ask: "sum delay by carrier from flights" }],
  did_you_mean: ["delay"],
  missing: ["metric"],
  reason: "'dela' is no column, but similar names are in flights.",
  rejection_reason: null,
  rule: null,
};

export const UNCLEAR: Draft = {
  kind: "clarification",
  texts: {
    spec: {
      metric: "dela",
      group_by: ["carrier"],
      source_name: "flights",
      filter: { time_filter: { column: "day", period: "last_month" } },
    },
    resolution: RESOLUTION,
  },
  view: {
    status: "needs_clarification",
    question: "<aggregation> dela by carrier from flights where day during last_month",
    ask: "<aggregation> dela by carrier from flights where day during last_month",
    ...RESOLUTION,
  },
};

export const REJECTED: Draft = {
  kind: "rejection",
  texts: {
    spec: { aggregation: "sum", metric: "password", source_name: "flights" },
    resolution: { ...RESOLUTION, rejection_reason: "unknown_field", rule: "columns are named exactly" },
  },
  view: {
    status: "rejected",
    question: "sum password from flights",
    ask: "sum password from flights",
    ...RESOLUTION,
    rejection_reason: "unknown_field",
    rule: "columns are named exactly",
  },
};

export const FAULTY: Draft = {
  kind: "error",
  texts: {
    error: { code: "invalid_intent", message: "This is no SQL.", hint: null, retryable: false, source: "engine" },
  },
  view: { status: "error", code: "invalid_intent", message: "This is no SQL.", hint: null },
};

const REPLAY = {
  status: "differs",
  subject: "cell 3, output 1",
  result_id: "query_91ca86383b4bde5b",
  question: "Count of rows in flights",
  cause: "content_changed",
  message: "The source is another one now.",
  digest: "result_hash",
  expected: HASH,
  met: SCHEMA,
  sources: [{ name: "flights", found: "given", sha256: HASH, schema_revision: SCHEMA }],
  changes: [{ cause: "content_changed", what: "content of flights", expected: HASH, met: SCHEMA }],
};

export const REPLAYED: Draft = {
  kind: "replay",
  texts: {
    report: {
      ...REPLAY,
      ...{ kind: "query", time: "2026-11-22T09:00:00Z", verified: "verified", signer: null },
      comparison: {
        ...{ values: 3, differing: 1, largest_ulps: 2 },
        differences: [{ path: [0, "delay"], where: "row 1, delay", expected: "1.5", met: "1.6", ulps: 2, by: null }],
      },
    },
  },
  view: { ...REPLAY, rows: [["row 1, delay", "1.5", "1.6", 2]], row_count: 1 },
};

export const DRAFTS: readonly (readonly [string, Draft])[] = [
  ["an answer in groups", GROUPED],
  ["a count of a live source", COUNTED],
  ["a computation over a column", COMPUTED],
  ["a simulation with a record", SEEDED],
  ["a clarification", UNCLEAR],
  ["a rejection", REJECTED],
  ["an error", FAULTY],
  ["a replay", REPLAYED],
];
