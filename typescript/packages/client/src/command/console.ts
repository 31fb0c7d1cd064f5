/** The output of the command: results to stdout, errors to stderr; cards as text whose lines run in a shell. */

import { env, stderr, stdout } from "node:process";
import {
  type Block,
  type Command,
  compose,
  type Fact,
  QUESTION_LABEL,
  visible,
  writeText,
} from "@service-nb/cards/text";
import { type Card } from "@service-nb/records";
import { type ServiceError } from "../errors.js";
import { COMMAND } from "./verb.js";

const LIVE = /["$`\\!]/; // signs that a shell reads between double quotes
const SAFE = /^[\w@%+=:,./-]+$/;
const USUAL_COLUMNS = 100;

export function printJson(value: unknown): void {
  stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

export function printError(error: ServiceError, isJson: boolean): void {
  stderr.write(`error[${error.code}]: ${visible(error.message)}\n`);
  if (error.hint !== undefined) stderr.write(`  ${visible(error.hint)}\n`);
  if (isJson) printJson({ status: "error", error });
}

/** The width of the terminal in cells, as COLUMNS or the terminal says; 100 where none does. */
export function measureTerminal(): number {
  const said = Number(env["COLUMNS"]);
  if (Number.isSafeInteger(said) && said > 0) return said;
  return stdout.isTTY ? stdout.columns : USUAL_COLUMNS;
}

/** A text as one word of a shell, in double quotes where these are legible and safe. */
export function quoteWord(text: string): string {
  if (text.includes(" ") && !LIVE.test(text)) return `"${text}"`;
  return SAFE.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** A card as text whose lines run in a shell; `asked` stands in front of a question. */
export function writeCard(card: Card, asked = `${COMMAND} ask FILE`): string {
  const verbs = new Map([
    ["%service_ask", asked],
    ["%service_compute", `${COMMAND} compute`],
  ]);
  return writeText(
    compose(card).map((block) => convertBlock(block, verbs)),
    measureTerminal(),
  );
}

type Verbs = ReadonlyMap<string, string>;

function convertBlock(block: Block, verbs: Verbs): Block {
  if (block.block === "facts") return { ...block, facts: block.facts.map((fact) => convertFact(fact, verbs)) };
  if (block.block !== "commands") return block;
  return { ...block, commands: block.commands.map((command) => convertCommand(command, verbs)) };
}

function convertFact(fact: Fact, verbs: Verbs): Fact {
  const line = fact.lines[0]?.[0]?.text;
  if (fact.label !== QUESTION_LABEL || line === undefined) return fact;
  return { ...fact, lines: [[{ text: convertCommand({ line, note: "" }, verbs).line, kind: "code" }]] };
}

function convertCommand(command: Command, verbs: Verbs): Command {
  const [magic = ""] = command.line.split(" ", 1);
  const verb = verbs.get(magic);
  return verb === undefined
    ? command
    : { ...command, line: `${verb} ${quoteWord(command.line.slice(magic.length + 1))}` };
}
