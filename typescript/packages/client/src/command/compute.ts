import { type ComputationInput, type NullPolicy } from "../inputs.js";
import { createService } from "../index.js";
import { type Service } from "../service/service.js";
import { readComputeLine } from "./compute-line.js";
import { writeCard } from "./console.js";
import { connectFile, READING } from "./reading.js";
import { type Call, COMMAND, type Reply, UsageError, type Verb } from "./verb.js";

/** Connects the files, computes, replies with the card. */
async function run(call: Call): Promise<Reply> {
  const spec = readComputeLine(call.operands.join(" "), readNullPolicy(call));
  const service = createService();
  try {
    return await compute(service, spec, call);
  } finally {
    service.close();
  }
}

async function compute(service: Service, spec: ComputationInput, call: Call): Promise<Reply> {
  for (const file of call.texts("file")) await connectFile(service, file, call);
  const seconds = call.text("timeout");
  const computed = await service.compute(spec, seconds === undefined ? {} : { timeout: Number(seconds) });
  return { document: computed, text: writeCard(computed.card) };
}

function readNullPolicy(call: Call): NullPolicy | undefined {
  const given = call.text("null-policy");
  if (given === undefined || given === "refuse" || given === "drop") return given;
  throw new UsageError(`argument --null-policy: invalid choice: '${given}' (choose from refuse, drop)`);
}

export const COMPUTE: Verb = {
  name: "compute",
  summary: "Run a capability, and print its value with its evidence.",
  operands: [{ metavar: "COMPUTATION", words: "a compute line, quoted or not", isMany: true }],
  options: [
    { name: "file", metavar: "FILE", words: "a file whose columns are bound; may be repeated", isMany: true },
    { name: "null-policy", metavar: "refuse|drop", words: "what to do with nulls in a bound column" },
    { name: "timeout", metavar: "SECONDS", words: "stop the computation after this time" },
    ...READING,
  ],
  help: `\
the computation:
  MODULE.FUNCTION PARAMETER=VALUE … [seed=N]
  A value is a number, 'text', a list such as [-1000, 300], or a column: file.field, the file without its ending.

examples:
  ${COMMAND} compute "finance.npv rate=0.1 cashflows=[-1000, 300, 420, 560, 680]"
  ${COMMAND} compute "stats.median values=sales.revenue" --file sales.csv --null-policy drop

It runs in the managed runtime, which needs a login once, and a Python 3.11 or later with service-nb to install and start it.`,
  run,
};
