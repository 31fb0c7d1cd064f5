/** The key of the device, as `service-nb login` keeps it, or as the environment gives it. */

import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { join } from "node:path";
import { env, getuid } from "node:process";
import { ServiceError } from "../errors.js";
import { type Signer } from "../service/host.js";

const INJECTED = "SERVICE_DEVICE_KEY";
const FILE = "device.pem";
const MOST_BYTES = 4_096;
const SEED_BYTES = 32;
const OTHERS = 0o077; // permissions of anybody but the owner
const PREFIX = Buffer.from("302e020100300506032b657004220420", "hex"); // of a seed in PKCS8

/**
 * Finds the key of the device; undefined before the login.
 *
 * @throws {ServiceError} `login_required` of a key that cannot be used.
 */
export function findSigner(): Signer | undefined {
  const injected = env[INJECTED];
  if (injected !== undefined && injected !== "") return buildSigner(readInjected(injected));
  const path = join(findFolder(), FILE);
  let content: string;
  try {
    const stats = lstatSync(path);
    const isOwn = getuid === undefined || (stats.uid === getuid() && (stats.mode & OTHERS) === 0);
    if (!stats.isFile() || stats.size > MOST_BYTES || !isOwn) throw refuseKey("The device key is not this user's own.");
    content = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return undefined;
  }
  return buildSigner(parseKey(content));
}

/** The folder of the user's own settings, where Python's client keeps them. */
function findFolder(): string {
  const home = env["SERVICE_HOME"];
  if (home !== undefined && home !== "") return join(home, "config");
  if (platform() === "darwin") return join(homedir(), "Library", "Application Support", "service-nb");
  if (platform() === "win32") return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "service-nb");
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "service-nb");
}

function readInjected(text: string): KeyObject {
  if (text.includes("-----BEGIN")) return parseKey(text);
  const seed = Buffer.from(text.trim(), "base64");
  if (seed.length !== SEED_BYTES) throw refuseKey(`${INJECTED} takes a PKCS8 PEM, or the base64 of a 32-byte seed.`);
  return createPrivateKey({ key: Buffer.concat([PREFIX, seed]), format: "der", type: "pkcs8" });
}

function parseKey(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw refuseKey("The device key is damaged.");
  }
  if (key.asymmetricKeyType !== "ed25519") throw refuseKey("The device key is no Ed25519 key.");
  return key;
}

function refuseKey(message: string): ServiceError {
  const hint = "Run `service-nb logout`, then `service-nb login` to make a new one.";
  return new ServiceError("login_required", message, { hint });
}

function buildSigner(key: KeyObject): Signer {
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x, "base64url").toString("base64"),
    sign: (data) => new Uint8Array(sign(null, data, key)),
  };
}
