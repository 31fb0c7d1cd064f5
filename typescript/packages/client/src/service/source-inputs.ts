/** The inputs of `connect`: their names, the descriptors of SQLite, and what is registered of them. */

import { isObject } from "@service-nb/records";
import { hashSchema, identifySource } from "../digests.js";
import { ServiceError } from "../errors.js";
import { quote } from "../readers/names.js";
import { type ReadOptions } from "../readers/options.js";
import { type Dataset } from "../readers/read.js";
import { type SqliteRequest } from "./host.js";
import { type Origin, type Registered } from "./registry.js";

const MOST_NAME = 1_024;

/** A dataset with where it was read. */
export interface Read extends Dataset {
  readonly origin: Origin | null;
  readonly hasChanged: () => boolean;
}

export function chooseName(given: unknown, input: unknown): string {
  const name = given ?? suggestName(input);
  if (typeof name === "string" && name !== "" && name.length <= MOST_NAME && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name))
    return name;
  const message = "The source has no name, or one that is no printable text.";
  throw new ServiceError("invalid_intent", message, { hint: "Pass {name: …}.", details: { path: "name" } });
}

function suggestName(input: unknown): unknown {
  if (typeof input === "string") return input.replace(/^.*[/\\]/, "").replace(/(?<=.)\.[^.]*$/, "");
  return isObject(input) && input["provider"] === "sqlite" ? input["table"] : undefined;
}

export function readSqliteRequest(input: Readonly<Record<string, unknown>>): SqliteRequest {
  const { provider, path, table, query, ...rest } = input;
  const [unknown] = Object.keys(rest);
  const named = readOptionalText(table) ?? readOptionalText(query);
  const isOne = isMissing(table) !== isMissing(query) && named !== undefined;
  if (provider !== "sqlite" || unknown !== undefined || typeof path !== "string" || !isOne)
    throw new ServiceError("invalid_intent", "A SQLite source needs a path and either a table or a query.", {
      hint: "Pass {provider: 'sqlite', path, table}.",
      details: { path: unknown ?? "table", expected: "path and table" },
    });
  return { path, table: readOptionalText(table), query: readOptionalText(query) };
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function readOptionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function buildRegistered(
  name: string,
  { table, content, origin, hasChanged }: Read,
  { reading }: ReadOptions,
  aliases: Readonly<Record<string, string>> = {},
): Omit<Registered, "place"> {
  const columns = new Set(table.fields.map((field) => field.name));
  for (const [alias, target] of Object.entries(aliases))
    if (!columns.has(target) || columns.has(alias)) {
      const message = `The alias ${quote(alias)} is a column's own name, or stands for no column.`;
      throw new ServiceError("invalid_intent", message, { details: { path: "aliases", met: alias } });
    }
  return {
    name,
    sourceId: identifySource(name, table.fields, content.sha256, reading),
    table,
    schemaRevision: hashSchema(table.fields),
    content,
    reading,
    aliases: new Map(Object.entries(aliases)),
    origin,
    hasChanged,
  };
}
