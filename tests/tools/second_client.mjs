// What the TypeScript client makes of the same inputs: a JSON list of tasks on standard input, one answer each.
import { readFileSync } from "node:fs";
import { hashSchema, hashValues } from "../../typescript/packages/client/dist/digests.js";
import { checkOptions, DEFAULT_LIMITS } from "../../typescript/packages/client/dist/readers/options.js";
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
};

const answers = JSON.parse(readFileSync(0, "utf8")).map(({ verb, ...task }) => {
  try {
    return VERBS[verb](task);
  } catch (error) {
    return { code: error.code ?? `crash: ${error.stack}` };
  }
});
process.stdout.write(JSON.stringify(answers));
