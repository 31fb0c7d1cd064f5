/** The forms in which `connect` is called, read into one. */

import { isObject } from "@service-nb/records";
import { buildLocalInput, isLocalType, readConnector } from "../deployment/descriptors.js";
import { ServiceError } from "../errors.js";
import { quote } from "../readers/names.js";
import { type ReadingOptions } from "../readers/options.js";
import { type Descriptor } from "./live.js";
import { isPrintableName } from "./read-input.js";
import { type ConnectOptions } from "./sources.js";

const OF_LIVE = ["types", "aliases"]; // what may be said of a live source
const OPTIONS = ["connector", "name", "datasetName", "persist", ...OF_LIVE];

/** A call of `connect`: of data that are read here, of a live source by its connector, or of one by its name. */
export type ConnectCall = {
  readonly name: string | undefined;
  readonly options: Omit<ConnectOptions, "name" | "datasetName" | "connector" | "persist">;
} & (
  | { readonly kind: "data"; readonly input: unknown }
  | { readonly kind: "live"; readonly connector: Descriptor; readonly type: string | undefined }
  | { readonly kind: "named" }
);

/**
 * Reads a call of `connect`.
 *
 * @throws {ServiceError} `invalid_intent`, `unsupported_source` of a malformed connector.
 */
export function readConnectCall(input: unknown, given: ConnectOptions): ConnectCall {
  const isAlone = isObject(input) && isObject(input["connector"]) && Object.keys(given).length === 0;
  if (isAlone && Object.keys(input).every((key) => OPTIONS.includes(key))) return readConnectCall(null, input);
  const second: unknown = given;
  if (!isObject(second)) throw secondArgumentError(second);
  const { name: one, datasetName, connector: raw, persist, ...options } = given;
  const name = one ?? datasetName;
  if (persist === true)
    throw new ServiceError("invalid_intent", "This client keeps no list of sources.", {
      hint: "Leave `persist` out; a deployment keeps the live sources that it has.",
      details: { path: "persist" },
    });
  const isNothing = input === null || input === undefined;
  if (raw === undefined && isNothing && name === undefined)
    throw new ServiceError("invalid_intent", "No data to connect was given.", {
      hint: "Pass a path, bytes, rows, {records: […]} or {provider: 'sqlite', path, table}.",
    });
  if (raw === undefined) return isNothing ? { kind: "named", name, options } : { kind: "data", name, options, input };
  if (!isNothing)
    throw new ServiceError("invalid_intent", "connect takes data or a connector, not both.", {
      hint: "connect(null, { connector, name })",
      details: { path: "connector" },
    });
  const read = readConnector(raw);
  if (isLocalType(read.type)) return { kind: "data", name, options, input: buildLocalInput(read) };
  return { kind: "live", name, options, connector: read.descriptor, type: read.type };
}

/** The error of options that are no object; a name is what most pass there. */
function secondArgumentError(met: unknown): ServiceError {
  const found = typeof met === "string" ? `text, ${quote(met)}` : met === null ? "null" : `of type ${typeof met}`;
  const name = isPrintableName(met) ? JSON.stringify(met) : "…";
  const message = `connect takes the source first, then an object of options; its second argument is ${found}.`;
  return new ServiceError("invalid_intent", message, { hint: `Write: connect(source, { name: ${name} })` });
}

/** @throws {ServiceError} `invalid_intent` of an option that means nothing for a live source. */
export function refuseReadingOptions(options: ReadingOptions): void {
  const said = Object.entries(options).find(([key, value]) => value !== undefined && !OF_LIVE.includes(key));
  if (said === undefined) return;
  const details = { path: said[0], expected: OF_LIVE.join(", ") };
  throw new ServiceError("invalid_intent", `\`${said[0]}\` does not apply to a live source.`, { details });
}
