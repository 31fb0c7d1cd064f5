// What the TypeScript client makes of the same inputs: a JSON list of tasks on standard input, one answer each.
import { hashSchema, hashValues } from "../../typescript/packages/client/dist/digests.js";
import { checkOptions, DEFAULT_LIMITS } from "../../typescript/packages/client/dist/readers/options.js";
import { createService } from "../../typescript/packages/client/dist/index.js";
import { readBytes } from "../../typescript/packages/client/dist/readers/read.js";

const VERBS = {
  read({ format, data, options }) {
    const bytes = new Uint8Array(Buffer.from(data, "base64"));
    const { table, content } = readBytes(bytes, format, options, checkOptions(options, DEFAULT_LIMITS));
    return {
      fields: table.fields.map(({ name, physical }) => [name, physical]),
      rows: table.rowCount,
      schema: hashSchema(table.fields),
      values: hashValues(table).sha256,
      content: content.sha256,
    };
  },

  async ask({ data, questions }) {
    const service = createService();
    const source = await service.connect(new Uint8Array(Buffer.from(data, "base64")), { name: "table" });
    const answers = [];
    for (const question of questions) answers.push(await answer(() => askOne(service, question)));
    return { source: source.source_id, schema: source.schema_revision, answers };
  },
};

async function askOne(service, question) {
  const { status, data, refusal_hash, card } = await service.ask(question);
  if (status !== "ok") return { status, refusal: refusal_hash, card };
  const { plan_hash, result_hash, plan, provenance } = data;
  return { status, plan: plan_hash, result: result_hash, steps: plan, used: provenance.used_rows, card };
}

async function answer(action) {
  try {
    return await action();
  } catch (error) {
    return { code: error.code ?? `crash: ${error.stack}` };
  }
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const answers = [];
for (const { verb, ...task } of JSON.parse(Buffer.concat(chunks).toString()))
  answers.push(await answer(() => VERBS[verb](task)));
process.stdout.write(JSON.stringify(answers));
