// The query plane of the TypeScript client over standard streams: many questions in, what each ends in out.

import { canonicalText, parseJson } from "../../typescript/packages/records/dist/index.js";
import { formatAsk } from "../../typescript/packages/client/dist/query/ask-format.js";
import { parseAsk, readAsk } from "../../typescript/packages/client/dist/query/ask-line.js";
import { describeQuestion } from "../../typescript/packages/client/dist/query/plan.js";
import { buildCatalog, parsePolicy } from "../../typescript/packages/client/dist/query/policy.js";
import { describePlan, resolveQuestion, writeRefusal } from "../../typescript/packages/client/dist/query/question.js";

const catalogs = new Map();

function readCatalog({ sources, policy }) {
  const views = sources.map(({ name, fields, schema_revision, row_count, aliases }) => ({
    name,
    fields: new Map(fields.map((field) => [field.name, { ...field }])),
    schemaRevision: schema_revision,
    rowCount: row_count,
    aliases: new Map(Object.entries(aliases)),
    isRestricted: false,
  }));
  return buildCatalog(views, parsePolicy(policy));
}

function answer(world, asked) {
  if (asked.kind === "line") return { spec: canonicalText(parseAsk(asked.line)), line: formatAsk(readAsk(asked.line)) };
  const catalog = catalogs.get(asked.world);
  const resolved = resolveQuestion(asked.question, catalog, world.clock, asked.variables ?? undefined);
  const { plan } = resolved.resolution;
  if (plan === undefined) return { ...describePlan(resolved.resolution), refusal_hash: writeRefusal(resolved).hash };
  const rows = catalog.sources.get(plan.sourceName).rowCount;
  return { ...describePlan(resolved.resolution, rows), question: describeQuestion(plan) };
}

let text = "";
for await (const chunk of process.stdin) text += chunk;
const world = parseJson(text, { integers: "exact", maxBytes: 64 * 1024 ** 2 });
for (const [name, each] of Object.entries(world.catalogs)) catalogs.set(name, readCatalog(each));
const answers = world.asked.map((asked) => {
  try {
    return answer(world, asked);
  } catch (error) {
    if (typeof error.code !== "string") return { crashed: String(error.stack) };
    return { code: error.code, message: error.message, hint: error.hint ?? null, details: error.details };
  }
});
process.stdout.write(canonicalText(answers));
