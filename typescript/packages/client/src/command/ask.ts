import { createService } from "../index.js";
import { quoteWord, writeCard } from "./console.js";
import { connectFile, READING, readVariables, writeOptions } from "./reading.js";
import { COMMAND, DONE, FAILED, type Call, type Reply, type Verb } from "./verb.js";

/** Connects, asks, replies with the card; a refusal is printed likewise and fails. */
async function run(call: Call): Promise<Reply> {
  const [file = "", ...words] = call.operands;
  const service = createService();
  await connectFile(service, file, call);
  const outcome = await service.ask(words.join(" "), { variables: readVariables(call.texts("var")) });
  const again = [COMMAND, "ask", quoteWord(file), ...writeOptions(call)].join(" ");
  return {
    document: outcome,
    text: writeCard(outcome.card, again),
    code: outcome.status === "ok" ? DONE : FAILED,
  };
}

export const ASK: Verb = {
  name: "ask",
  summary: "Answer a question about a file, or say why it cannot be answered.",
  operands: [
    { metavar: "FILE", words: "CSV, TSV, JSON, JSON lines, or an SQLite database" },
    { metavar: "QUESTION", words: "an ask line, quoted or not", isMany: true },
  ],
  options: [
    { name: "var", metavar: "NAME=VALUE", words: "what $NAME stands for in the question; once for each", isMany: true },
    ...READING,
  ],
  help: `\
the question:
  AGGREGATION [COLUMN] [by COLUMN, …] [where CONDITION and|or …] [order asc|desc] [limit N]
  The file is a source named like it, without the ending.

examples:
  ${COMMAND} ask sales.csv "sum revenue by region"
  ${COMMAND} ask sales.csv "avg price where year between 2020 and 2024" --json
  ${COMMAND} ask sales.csv 'sum revenue where year in $years' --var 'years=(2023, 2024)'
  ${COMMAND} ask shop.sqlite "max total by city" --table orders

exit codes: 0 answered, 1 refused or failed, 2 the command or the question is malformed`,
  run,
};
