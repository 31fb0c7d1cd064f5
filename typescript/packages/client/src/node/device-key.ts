/** The key of the device, as `service-nb login` keeps it, or as the environment gives it. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { lstatSync, readFileSync, type Stats } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { env, getuid } from "node:process";
import { canonicalText, isObject, parseJson } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { type Signer } from "../service/host.js";
import { findConfigFolder } from "./own-files.js";

const INJECTED = "SERVICE_DEVICE_KEY";
const FILE = "device.pem";
const LICENCE = "licence.json";
const LICENCE_KEYS = "device issued public_key signature tier version";
const DOMAIN = "service:licence:v1";
const DEVICE_DIGITS = 16;
const MOST_BYTES = 4_096;
const SEED_BYTES = 32;
const OTHERS = 0o077; // permissions of anybody but the owner
const PREFIX = Buffer.from("302e020100300506032b657004220420", "hex"); // of a seed in PKCS8

interface Known {
  readonly stamp: string;
  readonly signer: Signer;
}

let known: Known | undefined; // the one that was verified last, by what its files were then

/**
 * Finds the key of the device; undefined before the login.
 *
 * @throws {ServiceError} `login_required` of a key, or a licence, that cannot be used.
 */
export function findSigner(): Signer | undefined {
  const injected = env[INJECTED];
  if (injected !== undefined && injected !== "") {
    if (known?.stamp !== injected) known = { stamp: injected, signer: buildSigner(readInjected(injected)) };
    return known.signer;
  }
  const folder = findConfigFolder();
  const key = stampFile(join(folder, FILE));
  if (key === undefined) return undefined;
  const stamp = `${folder}\n${key}\n${stampFile(join(folder, LICENCE)) ?? ""}`;
  if (known?.stamp !== stamp) known = { stamp, signer: loadSigner(folder) };
  return known.signer;
}

/**
 * The key of the device, without which nothing is computed on this machine.
 *
 * @throws {ServiceError} `login_required`
 */
export function requireSigner(): Signer {
  const found = findSigner();
  if (found !== undefined) return found;
  const message = "Computing on this machine needs a device key, and there is none yet.";
  throw new ServiceError("login_required", message, {
    hint: "Run `npx service-nb-client login`: once, free, offline.",
    details: { reason: "no_key" },
  });
}

/** What changes with the content of a file; undefined where there is none. */
function stampFile(path: string): string | undefined {
  try {
    const { dev, ino, mode, uid, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true });
    return [dev, ino, mode, uid, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return undefined;
  }
}

function loadSigner(folder: string): Signer {
  const key = parseKey(readOwn(join(folder, FILE), "key", { isSecret: true }));
  const signer = buildSigner(key);
  checkLicence(readOwn(join(folder, LICENCE), "licence", { isSecret: false }), key, signer.publicKey);
  return signer;
}

function readOwn(path: string, what: "key" | "licence", { isSecret }: { readonly isSecret: boolean }): string {
  const said = what === "key" ? "The device key" : "The licence of the device key";
  let stats: Stats;
  try {
    stats = lstatSync(path);
  } catch {
    throw refuseKey(`${said} is not there.`, `${what}_missing`);
  }
  if (!stats.isFile()) throw refuseKey(`${said} is not a regular file.`, `${what}_no_file`);
  if (getuid !== undefined && stats.uid !== getuid())
    throw refuseKey(`${said} belongs to another user.`, `${what}_foreign`);
  if (isSecret && platform() !== "win32" && (stats.mode & OTHERS) !== 0)
    throw refuseKey(`${said} may have been read by other users of this machine.`, `${what}_exposed`);
  if (stats.size > MOST_BYTES)
    throw refuseKey(`${said} has more than ${String(MOST_BYTES)} bytes.`, `${what}_too_large`);
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw refuseKey(`${said} cannot be read.`, `${what}_unreadable`);
  }
}

/** Checks that the key has signed the licence beside it. */
function checkLicence(text: string, key: KeyObject, publicKey: string): void {
  let licence: unknown;
  try {
    licence = parseJson(text.trimEnd());
  } catch {
    throw refuseKey("The licence of the device key is malformed.", "licence_malformed");
  }
  const names = isObject(licence) ? Object.keys(licence).sort().join(" ") : "";
  if (!isObject(licence) || names !== LICENCE_KEYS)
    throw refuseKey("The licence does not hold its fields.", "licence_malformed");
  const { signature, ...told } = licence;
  if (told["version"] !== 1 || told["tier"] !== "developer")
    throw refuseKey("The licence has another version or tier.", "licence_unknown");
  const der = createPublicKey(key).export({ format: "der", type: "spki" });
  const device = createHash("sha256").update(der).digest("hex").slice(0, DEVICE_DIGITS);
  if (told["public_key"] !== publicKey || told["device"] !== device)
    throw refuseKey("The licence belongs to another device key.", "licence_of_another_key");
  const signed = Buffer.from(`${DOMAIN}\0${canonicalText(told)}`);
  if (typeof signature !== "string" || !verify(null, signed, createPublicKey(key), Buffer.from(signature, "base64")))
    throw refuseKey("The signature of the licence is not valid for this key.", "licence_signature_invalid");
}

function readInjected(text: string): KeyObject {
  if (text.includes("-----BEGIN")) return parseKey(text);
  const seed = Buffer.from(text.trim(), "base64");
  if (seed.length !== SEED_BYTES)
    throw refuseKey(`${INJECTED} takes a PKCS8 PEM, or the base64 of a 32-byte seed.`, "injected_key_malformed");
  return createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: "der", type: "pkcs8" });
}

function parseKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw refuseKey("The device key is damaged.", "key_malformed");
  }
  if (key.asymmetricKeyType !== "ed25519") throw refuseKey("The device key is no Ed25519 key.", "key_of_another_kind");
  return key;
}

function refuseKey(message: string, reason: string): ServiceError {
  const hint = reason.startsWith("licence")
    ? "Run `npx service-nb-client login`: it writes a new one for the same key."
    : "Run `npx service-nb-client logout`, then `npx service-nb-client login` to make a new one.";
  return new ServiceError("login_required", message, { hint, details: { reason } });
}

function buildSigner(key: KeyObject): Signer {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x, "base64url").toString("base64"),
    sign: (data) => new Uint8Array(sign(null, data, key)),
  };
}
