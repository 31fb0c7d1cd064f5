// Reads lines as questions: on stdin the names that are known and the lines; writes what each is read as.

import { readFileSync } from "node:fs";
import { readQuestion } from "../../typescript/packages/client/dist/advice/question.js";
import { NotUnderstoodError } from "../../typescript/packages/client/dist/advice/scan.js";
import { formatAsk } from "../../typescript/packages/client/dist/query/ask-format.js";

const { columns, sources, lines } = JSON.parse(readFileSync(0, "utf8"));
const known = { columns: new Map(Object.entries(columns)), sources };

function read(line) {
  try {
    const { specs, asks } = readQuestion(line, known);
    return [asks, ...specs.map((spec) => (spec.aggregation || spec.measures ? formatAsk(spec) : Object.keys(spec).sort().join(" ")))];
  } catch (error) {
    if (error instanceof NotUnderstoodError) return ["?", error.message];
    throw error;
  }
}

process.stdout.write(JSON.stringify(lines.map(read)));
