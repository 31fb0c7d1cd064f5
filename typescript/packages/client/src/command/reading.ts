/** The options that say how a file is read. */

import { ServiceError } from "../errors.js";
import { readLiteral } from "../query/ask-line.js";
import { describeValue } from "../query/text.js";
import { type Variables } from "../query/variables.js";
import { type ServiceSource } from "../service/registry.js";
import { type ConnectOptions } from "../service/sources.js";
import { type Service } from "../service/service.js";
import { quoteWord } from "./console.js";
import { type Call, type Option, UsageError } from "./verb.js";

const SIGNS: Readonly<Record<string, string>> = { space: " ", apostrophe: "'", comma: ",", point: ".", dot: "." };

export const READING: readonly Option[] = [
  { name: "table", metavar: "NAME", words: "the table of an SQLite database" },
  { name: "delimiter", metavar: "CHAR", words: "the delimiter of a text file" },
  { name: "encoding", metavar: "NAME", words: "the encoding of a text file; default UTF-8" },
  { name: "nulls", metavar: "TEXT,…", words: "texts that are read as null, beside the empty cell, such as NA" },
  { name: "thousands", metavar: "SIGN", words: "the sign between thousands: . , space apostrophe" },
  { name: "decimal", metavar: "SIGN", words: "the sign before decimal places: , or ." },
  { name: "date-format", metavar: "FORMAT", words: "how dates are written, such as %d.%m.%Y" },
  { name: "percent", words: "read percents as exact hundredths: 10% as 0.10" },
  { name: "trim", words: "remove blanks around values" },
  { name: "currency", metavar: "SIGN", words: "the sign that stands with numbers, such as € or CHF" },
  {
    name: "types",
    metavar: "COLUMN=TYPE,…",
    words: "types that replace inference, such as zip=string,amount=decimal(12,2)",
  },
];

/** Connects a file under its name without the ending. */
export function connectFile(service: Service, path: string, call: Call): Promise<ServiceSource> {
  const table = call.text("table");
  return service.connect(table === undefined ? path : { provider: "sqlite", path, table }, readOptions(call));
}

function readOptions(call: Call): ConnectOptions {
  const types = call.text("types");
  return {
    delimiter: call.text("delimiter"),
    encoding: call.text("encoding"),
    nulls: call.text("nulls")?.split(","),
    thousands: readSign(call.text("thousands")),
    decimal: readSign(call.text("decimal")),
    dateFormat: call.text("date-format"),
    percent: call.has("percent") ? true : undefined,
    trim: call.has("trim") ? true : undefined,
    currency: call.text("currency"),
    types: types === undefined ? undefined : readTypes(types),
  };
}

function readSign(word: string | undefined): string | undefined {
  return word === undefined ? undefined : (SIGNS[word.toLowerCase()] ?? word);
}

function readTypes(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/,(?![^(]*\))/).map((pair): [string, string] => {
    const at = pair.indexOf("=");
    const [name, type] = at < 0 ? ["", ""] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (name === "" || type === "") throw new UsageError(`argument --types: ${text} is not a list of COLUMN=TYPE`);
    return [name, type];
  });
  return Object.fromEntries(pairs);
}

/** The options that were given, as words of a command line. */
export function writeOptions(call: Call): readonly string[] {
  return READING.flatMap(({ name, metavar }) => {
    if (!call.has(name)) return [];
    return metavar === undefined ? [`--${name}`] : [`--${name}`, quoteWord(call.text(name) ?? "")];
  });
}

/**
 * Reads variables as a command line has them: `year=2024`, `region=North`, `years=(2023, 2024)`.
 *
 * @throws {ServiceError} `invalid_intent` of a pair that is not name=value, or of a name that is given twice.
 */
export function readVariables(pairs: readonly string[]): Variables {
  const found = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, name, text] = /^([\p{L}_][\p{L}\p{N}_]*)=(.*)$/su.exec(pair) ?? [];
    if (name === undefined || text === undefined || found.has(name)) {
      const message = `--var ${describeValue(pair)} is not NAME=VALUE, or its name is given twice.`;
      const details = { met: pair, expected: "NAME=VALUE" };
      throw new ServiceError("invalid_intent", message, { hint: "For example: --var year=2024", details });
    }
    found.set(name, readLiteral(text));
  }
  return Object.fromEntries(found);
}
