// What the TypeScript client computes: a JSON list of tasks on standard input, one answer each, over one client.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createService } from "../../typescript/packages/client/dist/index.js";

const runFolder = join(process.env.SERVICE_HOME, "run");
let service = createService();

const VERBS = {
  async connect({ data, name, policy, beside }) {
    if (!beside) service = createService({ policy });
    return (await service.connect(new Uint8Array(Buffer.from(data, "base64")), { name })).source_id;
  },

  async compute({ spec, options }) {
    return service.compute(spec, options);
  },

  async many({ specs }) {
    return service.computeMany(specs);
  },

  async search({ query, limit }) {
    return (await service.searchCapabilities(query, limit)).map(({ entry, ...hit }) => ({ ...hit, id: entry.id }));
  },

  async filtered({ modules, spec, address }) {
    if (address !== undefined) process.env.SERVICE_BUILD_SERVICE_URL = address;
    const filtered = createService({ runtimeModules: modules });
    try {
      return await filtered.compute(spec);
    } finally {
      filtered.close();
    }
  },

  // A signal to the runtime, before a call or while it runs.
  async struck({ signal, folder, spec, options, during }) {
    const pid = Number(readFileSync(join(runFolder, folder, "alive"), "ascii"));
    const running = during ? answer(() => service.compute(spec, options)) : undefined;
    if (during) await sleep(300);
    process.kill(pid, signal);
    if (!during) await sleep(300); // until it has come to all threads
    return running ?? answer(() => service.compute(spec, options));
  },
};

async function answer(action) {
  try {
    return await action();
  } catch (error) {
    const { code, message, hint, source, details } = error;
    return code ? { code, message, hint, source, details } : { crash: error.stack };
  }
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const answers = [];
for (const { verb, ...task } of JSON.parse(Buffer.concat(chunks).toString()))
  answers.push(await answer(() => VERBS[verb](task)));
service.close();
process.stdout.write(JSON.stringify(answers));
