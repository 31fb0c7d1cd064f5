// The adapter of the TypeScript client: requests as lines of JSON on standard input, an answer for each on standard output.
//
// node conformance/typescript_client.mjs        after `npm run build`; python -m conformance compiles it itself

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { canonicalText } from "../typescript/packages/records/dist/index.js";
import { NODE } from "../typescript/packages/client/dist/node/host.js";
import { createServiceOn } from "../typescript/packages/client/dist/service/create.js";
import { createService, formatAsk, parseAsk, ServiceError } from "../typescript/packages/client/dist/index.js";
import { verifyCard } from "../typescript/packages/verify/dist/index.js";

const DESCRIBED = ["source_id", "schema_revision", "row_count", "content", "reading", "aliases"];
const ANSWERED = [
  "result",
  "plan",
  "row_count",
  "decision_path",
  "confidence",
  "plan_hash",
  "schema_revision",
  "result_hash",
];
const CAMEL_CASE = {
  allowed_sources: "allowedSources",
  allowed_fields: "allowedFields",
  allowed_functions: "allowedFunctions",
  date_format: "dateFormat",
};

const folder = mkdtempSync(join(tmpdir(), "conformance-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let service = createService();
let files = 0;

function describeComputation({ request_id, latency_ms, group, card, ...told }) {
  return told;
}

const VERBS = {
  hello() {
    const formats = ["csv", "tsv", "json", "ndjson", "sqlite", "rows"];
    const verbs = Object.keys(VERBS).sort();
    return { protocol: 1, client: "@service-nb/client", verbs, formats, options: ["clock", "policy"] };
  },

  open({ policy, clock }) {
    const config = { policy: translate(policy) };
    service = clock === undefined ? createService(config) : createServiceOn(stopClock(clock), config);
    return {};
  },

  async connect({ name, options = {}, ...request }) {
    const source = await service.connect(buildInput(request), { name, ...translate(options) });
    const fields = source.typed_fields.map(({ name, type, physical }) => [name, type, physical]);
    return { fields, ...pick(source, DESCRIBED) };
  },

  parse({ line }) {
    const spec = parseAsk(line);
    return { spec, line: formatAsk(spec) };
  },

  async ask({ question, variables }) {
    const { status, card, data, refusal_hash, resolution } = await service.ask(question, { variables });
    if (status !== "ok") return { status, card, refusal_hash, resolution };
    return { status, card, ...describeAnswer(data) };
  },

  async resolve({ question, variables }) {
    return service.resolve(question, { variables });
  },

  async query({ plan }) {
    return describeAnswer(await service.queryWithMetadata(plan));
  },

  async verify({ plan }) {
    return service.verify(plan);
  },

  async search({ query, limit }) {
    return { capabilities: (await service.searchCapabilities(query, limit)).map(({ name }) => name) };
  },

  async compute({ call, over }) {
    if (over === undefined) {
      const computed = await service.compute(call);
      return { ...describeComputation(computed), card: computed.card };
    }
    return { groups: (await service.compute(call, { over })).map(describeComputation) };
  },

  async check({ card }) {
    const { status, checks } = await verifyCard(card);
    return { status, checks: checks.map(({ check, status, cause }) => [check, status, cause ?? null]) };
  },
};

/** A host in whose clock it is always the same moment. */
function stopClock(moment) {
  return { ...NODE, clock: () => ({ today: moment.slice(0, 10), moment, zone: "UTC" }) };
}

/** The options of Python's names, of which some are written in another way here. */
function translate(options) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return options;
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [CAMEL_CASE[key] ?? key, value]));
}

function buildInput({ format, rows, text, data, table, query }) {
  if (format === "rows") return rows;
  const bytes = text === undefined ? Buffer.from(data, "base64") : Buffer.from(text);
  files += 1;
  const path = join(folder, `${files}.${format === "sqlite" ? "db" : format}`);
  writeFileSync(path, bytes);
  return format === "sqlite" ? { provider: "sqlite", path, table, query } : path;
}

function describeAnswer(data) {
  return { ...pick(data, ANSWERED), ...pick(data.provenance, ["method", "used_rows", "dropped"]) };
}

function pick(source, keys) {
  return Object.fromEntries(keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]]));
}

const PROTOTYPES = [Object, Array, Map, String, Number].map(({ prototype }) => [
  prototype,
  Reflect.ownKeys(prototype).map(String).join(),
]);

/** Whatever was asked, prototypes are what they were. */
function requirePrototypes() {
  for (const [prototype, keys] of PROTOTYPES)
    if (Reflect.ownKeys(prototype).map(String).join() !== keys) throw new TypeError("A prototype has changed.");
}

async function answer({ verb, ...request }) {
  try {
    const answered = await VERBS[verb](request);
    requirePrototypes();
    return answered;
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.toJSON() };
    return { crash: String(error.stack) };
  }
}

/** Whole numbers beyond those that doubles hold are `bigint`; all others are what JSON.parse makes of them. */
function readRequest(line) {
  return JSON.parse(line, (_, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(source) ? BigInt(source) : value,
  );
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity }))
  process.stdout.write(`${canonicalText(await answer(readRequest(line)))}\n`);
