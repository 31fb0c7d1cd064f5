#!/usr/bin/env node
/** The command `service-nb-client`: finds the verb, parses, runs it, prints its reply, ends with its exit code. */

import process from "node:process";
import { visible } from "@service-nb/cards/text";
import { ServiceError } from "../errors.js";
import { VERSION } from "../version.js";
import { printError, printJson } from "./console.js";
import { VERBS } from "./verbs.js";
import {
  alignPairs,
  COMMAND,
  DONE,
  FAILED,
  readCall,
  USAGE,
  UsageError,
  type Verb,
  writeHelp,
  writeUsage,
} from "./verb.js";

const SUMMARY = "Ask exact questions and run exact computations, with verifiable evidence.";
const EPILOG = `\
examples:
  ${COMMAND} ask sales.csv "sum revenue by region where year = 2024"
  ${COMMAND} verify report.ipynb
  ${COMMAND} doctor --parity

exit codes: 0 done, 1 refused or failed, 2 the command or the question is malformed`;

async function main(words: readonly string[]): Promise<number> {
  const [first = "", ...rest] = words;
  if (first === "--version") return say(`${COMMAND} ${VERSION}`);
  if (first === "--help" || first === "-h") return say(writeOwnHelp());
  const verb = VERBS.find(({ name }) => name === first);
  if (verb === undefined) return refuse(first);
  try {
    return await runVerb(verb, rest);
  } catch (error) {
    if (error instanceof UsageError) return complain(`${writeUsage(verb)}\n${COMMAND} ${verb.name}: error: `, error);
    if (!(error instanceof ServiceError)) throw error;
    printError(error, rest.includes("--json"));
    return error.code === "invalid_intent" ? USAGE : FAILED;
  }
}

async function runVerb(verb: Verb, words: readonly string[]): Promise<number> {
  const call = readCall(verb, words);
  if (call.has("help")) return say(writeHelp(verb));
  const { document, text, code = DONE } = await verb.run(call);
  if (!call.has("json")) say(text);
  else if (document !== undefined) printJson(document);
  return code;
}

function say(text: string | undefined): number {
  if (text !== undefined) process.stdout.write(`${text}\n`);
  return DONE;
}

function writeOwnHelp(): string {
  const verbs = alignPairs(VERBS.map(({ name, summary }) => [name, summary]));
  return [`usage: ${COMMAND} VERB …`, "", SUMMARY, "", "verbs:", ...verbs, "", EPILOG].join("\n");
}

function refuse(met: string): number {
  const names = VERBS.map(({ name }) => name).join(", ");
  const why =
    met === ""
      ? "the following arguments are required: VERB"
      : `argument VERB: invalid choice: '${met}' (choose from ${names})`;
  return complain(`usage: ${COMMAND} VERB …\n${COMMAND}: error: `, new UsageError(why));
}

function complain(lead: string, error: UsageError): number {
  process.stderr.write(`${lead}${visible(error.message)}\n`);
  return USAGE;
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(FAILED); // the reader, such as `head`, has seen enough
  throw error;
});
process.exitCode = await main(process.argv.slice(2));
