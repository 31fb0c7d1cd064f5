// Connects databases of SQLite with the TypeScript client: a JSON list of requests on standard input, one answer each.
import { createService } from "../../typescript/packages/client/dist/index.js";

async function connect({ limits, ...request }) {
  try {
    const source = await createService({ limits }).connect({ provider: "sqlite", ...request }, { name: "data" });
    return { id: source.source_id, schema: source.schema_revision, rows: source.row_count };
  } catch (error) {
    return { code: error.code ?? `crash: ${error.stack}` };
  }
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const answers = [];
for (const request of JSON.parse(Buffer.concat(chunks).toString())) answers.push(await connect(request));
process.stdout.write(JSON.stringify(answers));
