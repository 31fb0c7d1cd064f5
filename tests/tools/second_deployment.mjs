// What the TypeScript client makes of a deployment: on standard input a JSON list of clients, each with its environment,
// its options and its steps, `[method, ...arguments]`; one list of answers each.
import { createService, ServiceError } from "../../typescript/packages/client/dist/index.js";

async function answer(action) {
  try {
    return { ok: await action() };
  } catch (error) {
    if (!(error instanceof ServiceError)) return { crash: String(error?.stack) };
    return error.toJSON();
  }
}

async function run({ environment, config, steps }) {
  for (const [name, value] of Object.entries(environment))
    if (value === null) delete process.env[name];
    else process.env[name] = value;
  let service;
  const made = await answer(() => void (service = createService(config)));
  if (service === undefined) return [made];
  const answers = [];
  for (const [method, ...args] of steps)
    answers.push(await answer(() => (method === "sources" ? service.sources : service[method](...args))));
  service.close();
  return answers;
}

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const tasks = [...JSON.parse(Buffer.concat(chunks).toString()).entries()];
const answers = [];
// Several at once: an environment is read when its client is created, which waits for nothing.
async function work() {
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) answers[task[0]] = await run(task[1]);
}
await Promise.all(Array.from({ length: 8 }, work));
process.stdout.write(JSON.stringify(answers));
