/** Descriptors of connectors, `{type: "postgres", host: ...}`: read from a caller, with camelCase keys too. */

import { isObject } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { findNearest } from "../query/matching.js";
import { describeValue } from "../query/text.js";
import { type Descriptor } from "../service/live.js";
import { LIVE_TYPES, LOCAL_KEYS, LOCAL_TYPES, REFERENCE, SECRETS, TYPE_ALIASES } from "./codes.js";
import { Secret } from "./secret.js";

const SELECTED = ["table", "query"]; // what a source reads of its connector
const SECRET_KEY = new RegExp(SECRETS, "i");
const IS_REFERENCE = new RegExp(`^(?:${REFERENCE})`);
const ALIASES: Readonly<Record<string, string>> = TYPE_ALIASES;
const TYPES: readonly string[] = [...LOCAL_TYPES, ...LIVE_TYPES];

/** A caller's descriptor with one spelling of its keys, and its type under one name. */
export interface ReadConnector {
  readonly descriptor: Descriptor;
  /** Undefined of a connector that the deployment keeps: `{id, table}`. */
  readonly type: string | undefined;
}

/**
 * Reads a caller's descriptor.
 *
 * @throws {ServiceError} `invalid_intent`, `unsupported_source`
 */
export function readConnector(raw: unknown): ReadConnector {
  if (!isObject(raw)) {
    const details = { path: "connector", expected: "an object with a type" }; // a text may hold a password
    throw new ServiceError("invalid_intent", "`connector` must be an object with a type.", { details });
  }
  const descriptor: Record<string, Descriptor[string]> = {};
  for (const [key, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    if (value !== null && !["string", "number", "boolean"].includes(typeof value))
      throw invalidConnector(`connector.${key}`, value, "text, a number, true or false");
    const name = writeSnakeCase(key);
    if (Object.hasOwn(descriptor, name))
      throw new ServiceError("invalid_intent", `The connector has ${describeValue(name)} twice.`, {
        details: { path: "connector", met: name },
      });
    descriptor[name] = value as Descriptor[string];
  }
  if (Object.hasOwn(descriptor, "id")) return { descriptor, type: undefined };
  return { descriptor, type: findType(descriptor["type"]) };
}

/** Whether a type is read here, and needs no deployment. */
export function isLocalType(type: string | undefined): boolean {
  return LOCAL_TYPES.some((each) => each === type);
}

function findType(given: unknown): string {
  if (typeof given !== "string") throw invalidConnector("connector.type", given, "text");
  const type = Object.hasOwn(ALIASES, given) ? (ALIASES[given] ?? given) : given;
  if (TYPES.includes(type)) return type;
  const close = findNearest(given, [...TYPES, ...Object.keys(ALIASES)]);
  const [near] = close;
  const hint = near === undefined ? `There are ${TYPES.join(", ")}.` : `Did you mean ${describeValue(near)}?`;
  throw new ServiceError("unsupported_source", `There is no connector of type ${describeValue(given)}.`, {
    hint,
    details: { met: describeValue(given), did_you_mean: near === undefined ? undefined : close },
  });
}

/**
 * The input that a descriptor of a file or of SQLite describes.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function buildLocalInput({ descriptor, type }: ReadConnector): unknown {
  const unknown = Object.keys(descriptor).find((key) => !LOCAL_KEYS.some((known) => known === key));
  if (unknown !== undefined)
    throw new ServiceError("invalid_intent", `A connector has no key ${describeValue(unknown)}.`, {
      details: { path: "connector", met: describeValue(unknown) },
    });
  const path = descriptor["path"] ?? descriptor["database"];
  if (typeof path !== "string") throw invalidConnector("connector.path", path, "text");
  if (type === "file") return path;
  return { provider: "sqlite", path, ...pickSelected(descriptor) };
}

/** The table or the query that a descriptor names; both leave the descriptor of a connector that is kept. */
export function pickSelected(descriptor: Descriptor): Descriptor {
  return Object.fromEntries(SELECTED.flatMap((key) => {
    const value = descriptor[key];
    return value === undefined || value === null ? [] : [[key, value] as const];
  })); // prettier-ignore
}

/** A descriptor without the table or the query. */
export function omitSelected(descriptor: Descriptor): Descriptor {
  return Object.fromEntries(Object.entries(descriptor).filter(([key]) => !SELECTED.includes(key)));
}

/** The origin of a source: a whole descriptor, or a stored connector with a table or a query. */
export function describeOrigin(connector: Descriptor): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(connector, "id")) return { descriptor: connector };
  const { id } = connector;
  const given = Object.fromEntries(Object.entries(connector).filter(([key]) => key !== "id" && key !== "type"));
  const isOne = Object.keys(given).length === 1 && Object.keys(pickSelected(given)).length === 1;
  if (typeof id === "string" && isOne) return { connector_id: id, ...given };
  throw new ServiceError("invalid_intent", "A stored connector takes its id and either a table or a query.", {
    details: { path: "connector", expected: "{id, table}" },
  });
}

/** The literal secrets of a descriptor, which errors hide. */
export function listSecrets(connector: Descriptor): readonly Secret[] {
  return Object.entries(connector).flatMap(([key, value]) =>
    typeof value === "string" && SECRET_KEY.test(key) && !IS_REFERENCE.test(value) ? [new Secret(value)] : [],
  );
}

/** The error of a live source where there is no deployment. */
export function buildDeploymentError(type: string | undefined): ServiceError {
  const what = type === undefined ? "The source" : `A source of type ${type}`;
  const message = `${what} is a live source: it needs a deployment, and none is configured.`;
  const hint = "Set SERVICE_DEPLOYMENT_URL, or export the data to a file and connect that.";
  return new ServiceError("deployment_required", message, { hint, details: { type } });
}

function writeSnakeCase(key: string): string {
  return key.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function invalidConnector(path: string, met: unknown, expected: string): ServiceError {
  const message = `\`${path}\` must be ${expected}, not ${describeValue(met)}.`;
  return new ServiceError("invalid_intent", message, { details: { path, expected } });
}
