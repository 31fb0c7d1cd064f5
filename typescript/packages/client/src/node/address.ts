/** The deployment that the environment names, and the key to it: both are checked before anything is sent. */

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { BlockList, isIP } from "node:net";
import { canonicalText, isObject, parseJson } from "@service-nb/records";
import { Secret } from "../deployment/secret.js";
import { digestTexts } from "../digests.js";
import { ServiceError } from "../errors.js";
import { describeValue } from "../query/text.js";
import {
  findConfigFolder,
  OWN_FOLDER,
  OwnFileError,
  readOwnSecret,
  requireOwnFolder,
  writeBeside,
} from "./own-files.js";

const URL_NAME = "SERVICE_DEPLOYMENT_URL";
export const KEY_NAME = "SERVICE_API_KEY";
const CA_NAME = "SERVICE_DEPLOYMENT_CA";
const PLAIN_NAME = "SERVICE_DEPLOYMENT_ALLOW_HTTP"; // 1: a key may cross a network that anybody on the way reads
const FOLDER = "deployments";
const DOMAIN = "service:deployment-address:v1";
const MOST_KEY_CHARS = 4_096;
const MOST_FILE_BYTES = 16_384;
const ADDRESS = /^(https?):\/\/([^/?#\\]+)([^?#]*)$/i;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Where a deployment is, with the key to it. */
export interface Address {
  /** Without a slash at its end. */
  readonly base: string;
  readonly key: Secret | undefined;
  /** A file of trusted certificates. */
  readonly ca: string | undefined;
}

/**
 * Finds the deployment that the environment names; undefined if it names none.
 *
 * Without a key in the environment it is the one that `service-nb login --deployment` has stored.
 *
 * @throws {ServiceError} `invalid_intent`, `secret_unavailable`
 */
export function findAddress(environment: (name: string) => string | undefined): Address | undefined {
  const url = environment(URL_NAME);
  if (url === undefined || url === "") return undefined;
  const base = checkUrl(url, environment(PLAIN_NAME) === "1");
  const told = environment(KEY_NAME)?.trim() ?? "";
  const key = told === "" ? readStoredKey(base) : new Secret(told);
  if (key !== undefined) checkKey(key);
  return { base, key, ca: findCertificates(environment) };
}

function findCertificates(environment: (name: string) => string | undefined): string | undefined {
  const ca = environment(CA_NAME);
  return ca === "" ? undefined : ca;
}

/**
 * The address of a deployment that a key is to be fetched from.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function readAddress(url: string, environment: (name: string) => string | undefined): Address {
  const base = checkUrl(url, environment(PLAIN_NAME) === "1");
  return { base, key: undefined, ca: findCertificates(environment) };
}

/** Stores the key of the deployment at an address, over one that is there, where Python's client reads it too. */
export function storeKey(base: string, key: Secret): void {
  const path = findKeyFile(base);
  try {
    for (const folder of [findConfigFolder(), dirname(path)]) {
      mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
      requireOwnFolder(folder);
    }
    renameSync(writeBeside(path, `${canonicalText({ deployment: base, key: key.reveal() })}\n`), path);
  } catch (error) {
    if (error instanceof OwnFileError) throw keyError(error.reason, `The folder of the key ${error.message}.`);
    throw keyError("not_kept", `The key cannot be saved: ${describeCode(error)}.`);
  }
}

/** Deletes the key that is stored for the deployment at an address, to which nothing is sent; false if there was none. */
export function deleteStoredKey(url: string): { readonly base: string; readonly removed: boolean } {
  const base = checkUrl(url, true);
  try {
    rmSync(findKeyFile(base));
    return { base, removed: true };
  } catch (error) {
    if (describeCode(error) === "ENOENT") return { base, removed: false };
    throw keyError("not_removable", `The key cannot be removed: ${describeCode(error)}.`);
  }
}

function describeCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}

/** Checks an address, and returns it without a slash at its end. */
function checkUrl(given: string, allowsPlain: boolean): string {
  const text = given.trim();
  const found = ADDRESS.exec(text);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (text.includes("@") && parsed !== undefined && (parsed.username !== "" || parsed.password !== ""))
    throw urlError("holds a user or a password", `an address without them; set the key in ${KEY_NAME}`);
  if (parsed !== undefined && (parsed.search !== "" || parsed.hash !== ""))
    throw urlError("holds a query or a fragment", "an address without them");
  const isPrintable = !/[\p{C}\p{Z}]/u.test(text);
  if (found === null || parsed === undefined || parsed.port === "0" || parsed.hostname === "" || !isPrintable)
    throw urlError("is not an HTTP address", "https://service.example");
  const [, scheme = "", host = "", path = ""] = found;
  if (scheme.toLowerCase() === "http" && !allowsPlain && !isLoopback(host)) {
    const message = `${URL_NAME} is ${describeValue(`http://${host}`)}: anyone on the network path could read the key and the data.`;
    const hint = `Use https. In a private network, set ${PLAIN_NAME}=1 to allow it.`;
    throw new ServiceError("invalid_intent", message, { hint, details: { path: URL_NAME, expected: "https" } });
  }
  return `${scheme.toLowerCase()}://${host}${path.replace(/\/+$/, "")}`;
}

function isLoopback(netloc: string): boolean {
  const host = netloc.replace(/:[0-9]*$/, "").replace(/^\[(.*)\]$/, "$1");
  if (host.toLowerCase() === "localhost") return true;
  const version = isIP(host);
  return version !== 0 && LOOPBACK.check(host, version === 4 ? "ipv4" : "ipv6");
}

function checkKey(key: Secret): void {
  const text = key.reveal();
  if (text.length <= MOST_KEY_CHARS && /^[\x21-\x7e]*$/.test(text)) return;
  const message = `${KEY_NAME} is not a key: it is too long, or holds a blank or another character that keys do not have.`;
  throw new ServiceError("invalid_intent", message, {
    hint: "Set it to the key as printed, without quotes.",
    details: { path: KEY_NAME, expected: "printable ASCII without blanks" },
  });
}

/** Reads the key that is stored for the deployment at an address; undefined if there is none. */
function readStoredKey(base: string): Secret | undefined {
  const path = findKeyFile(base);
  let told: unknown;
  try {
    const content = readOwnSecret(path, MOST_FILE_BYTES);
    if (content === undefined) return undefined;
    requireOwnFolder(dirname(path));
    told = parseJson(content, { maxBytes: MOST_FILE_BYTES });
  } catch (error) {
    if (error instanceof OwnFileError)
      throw keyError(error.reason, `The stored key of this deployment ${error.message}.`);
  }
  if (isObject(told) && told["deployment"] === base && typeof told["key"] === "string") return new Secret(told["key"]);
  throw keyError("malformed", "The stored key of this deployment is malformed.");
}

/** The file that holds the key of the deployment at an address. */
export function findKeyFile(base: string): string {
  return join(findConfigFolder(), FOLDER, `${digestTexts(DOMAIN, base).slice(0, 32)}.json`);
}

function keyError(reason: string, message: string): ServiceError {
  const hint = "`service-nb login --deployment URL` fetches a new one, or set SERVICE_API_KEY.";
  return new ServiceError("secret_unavailable", message, { hint, details: { reason } });
}

function urlError(what: string, expected: string): ServiceError {
  const details = { path: URL_NAME, expected };
  return new ServiceError("invalid_intent", `${URL_NAME} ${what}.`, { hint: `Set it to ${expected}.`, details });
}
