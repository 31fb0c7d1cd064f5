/** The parts of a verb of the command: its record, its options, the words it was called with, and its reply. */

import { parseArgs } from "node:util";

export const COMMAND = "service-nb-client";
export const [DONE, FAILED, USAGE] = [0, 1, 2];

/** An option: `--table NAME`; without a `metavar` it is a flag. */
export interface Option {
  readonly name: string;
  readonly metavar?: string;
  readonly words: string;
  readonly isMany?: boolean;
}

/** What stands without a name: `FILE`, or `QUESTION …` of which there may be several. */
export interface Operand {
  readonly metavar: string;
  readonly words: string;
  readonly isMany?: boolean;
  readonly isOptional?: boolean;
}

/** What a verb was called with. */
export interface Call {
  readonly operands: readonly string[];
  readonly has: (option: string) => boolean;
  readonly text: (option: string) => string | undefined;
  readonly texts: (option: string) => readonly string[];
}

/** One JSON document for programs, a text for people, and the exit code; undefined is not printed. */
export interface Reply {
  readonly document: unknown;
  readonly text: string | undefined;
  readonly code?: number;
}

/** A verb: how it is called, what its help says, and what it does. */
export interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly operands: readonly Operand[];
  readonly options: readonly Option[];
  /** Examples, formats and exit codes. */
  readonly help: string;
  readonly run: (call: Call) => Promise<Reply>;
}

/** The words are not those of a verb. */
export class UsageError extends Error {}

const SHARED: readonly Option[] = [
  { name: "json", words: "print one JSON document instead of text" },
  { name: "help", words: "show this help" },
];
const NEGATIVE = /^-[\d.]/; // a number, and no option
const MARK = "\0";

/**
 * Reads the words behind a verb.
 *
 * @throws {UsageError} An option that there is not, one without its value, or an operand that is missing.
 */
export function readCall(verb: Verb, words: readonly string[]): Call {
  const options = [...verb.options, ...SHARED];
  const { values, positionals } = parseWords(options, words);
  const operands = positionals.map((word) => (word.startsWith(MARK) ? word.slice(1) : word));
  const call: Call = {
    operands,
    has: (option) => values[option] !== undefined,
    text: (option) => (typeof values[option] === "string" ? values[option] : undefined),
    texts: (option) => (Array.isArray(values[option]) ? values[option].map(String) : []),
  };
  if (!call.has("help")) requireOperands(verb, operands);
  return call;
}

type Parsed = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

function parseWords(
  options: readonly Option[],
  words: readonly string[],
): { readonly values: Parsed; readonly positionals: readonly string[] } {
  const known = options.map(({ name, metavar, isMany }) => {
    const type: "string" | "boolean" = metavar === undefined ? "boolean" : "string";
    return [name, { type, multiple: isMany === true, ...(name === "help" && { short: "h" }) }] as const;
  });
  const args = words.map((word) => (NEGATIVE.test(word) ? MARK + word : word));
  try {
    return parseArgs({ args, options: Object.fromEntries(known), allowPositionals: true });
  } catch (error) {
    throw new UsageError(explainFault(error, options));
  }
}

function explainFault(error: unknown, options: readonly Option[]): string {
  const [message, code] = error instanceof Error ? [error.message, "code" in error ? error.code : ""] : ["", ""];
  const [, named = ""] = /'(-[^' ]*)/.exec(message) ?? [];
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") return `unrecognized arguments: ${named}`;
  const option = options.find(({ name }) => `--${name}` === named.split("=")[0]);
  if (option === undefined) return message;
  const expected = option.metavar === undefined ? "no argument" : "one argument";
  return `argument --${option.name}: expected ${expected}`;
}

function requireOperands({ operands }: Verb, words: readonly string[]): void {
  const missing = operands.slice(words.length).filter(({ isOptional }) => isOptional !== true);
  const names = missing.map(({ metavar }) => metavar).join(", ");
  if (names !== "") throw new UsageError(`the following arguments are required: ${names}`);
  if (operands.some(({ isMany }) => isMany === true)) return;
  const more = words.slice(operands.length).join(" ");
  if (more !== "") throw new UsageError(`unrecognized arguments: ${more}`);
}

/** How a verb is called, in a line. */
export function writeUsage({ name, operands }: Verb): string {
  const words = operands.map(({ metavar, isMany, isOptional }) => {
    const word = isMany === true ? `${metavar} …` : metavar;
    return isOptional === true ? `[${word}]` : word;
  });
  return ["usage:", COMMAND, name, "[options]", ...words].join(" ");
}

/** The help of a verb. */
export function writeHelp(verb: Verb): string {
  const operands = verb.operands.map(({ metavar, words }) => [metavar, words] as const);
  const options = [...verb.options, ...SHARED].map(({ name, metavar, words }) => {
    return [`--${name}${metavar === undefined ? "" : ` ${metavar}`}`, words] as const;
  });
  return [
    writeUsage(verb),
    "",
    verb.summary,
    ...(operands.length === 0 ? [] : ["", ...alignPairs(operands)]),
    "",
    "options:",
    ...alignPairs(options),
    ...(verb.help === "" ? [] : ["", verb.help]),
  ].join("\n");
}

/** Pairs as lines, the second text of each below that of the others. */
export function alignPairs(pairs: readonly (readonly [string, string])[], indent = "  "): readonly string[] {
  const margin = Math.max(0, ...pairs.map(([first]) => first.length));
  return pairs.map(([first, second]) => `${indent}${first.padEnd(margin)}  ${second}`);
}
