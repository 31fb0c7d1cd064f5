import { runPython } from "./python-client.js";
import { type Call, COMMAND, type Reply, UsageError, type Verb } from "./verb.js";

const ACTIONS = ["status", "install", "start", "verify", "stop"];

/** Has Python's command do it: the runtime is one for both clients, and Python installs it. */
async function run(call: Call): Promise<Reply> {
  const [action = ""] = call.operands;
  if (!ACTIONS.includes(action))
    throw new UsageError(`argument ACTION: invalid choice: '${action}' (choose from ${ACTIONS.join(", ")})`);
  const modules = call.text("modules");
  const more = modules === undefined ? [] : ["--modules", modules];
  const code = await runPython(["runtime", action, ...more, ...(call.has("json") ? ["--json"] : [])]);
  return { document: undefined, text: undefined, code };
}

export const RUNTIME: Verb = {
  name: "runtime",
  summary: "Install, start, inspect, verify or stop the managed runtime, which runs computations of both clients.",
  operands: [{ metavar: "ACTION", words: ACTIONS.join(", ") }],
  options: [
    { name: "modules", metavar: "NAME,…", words: "only these fields; default: SERVICE_RUNTIME_MODULES, else all" },
  ],
  help: `\
Python's client does it: \`service-nb\` on the PATH, or the Python that SERVICE_PYTHON names.

examples:
  ${COMMAND} runtime install --modules finance,stats
  ${COMMAND} runtime status --json`,
  run,
};
