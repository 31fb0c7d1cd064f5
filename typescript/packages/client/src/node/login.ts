/** The login: a device key and its licence, as Python's client makes and reads them. No network. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { env } from "node:process";
import { canonicalText } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { requireSigner } from "./device-key.js";
import { findConfigFolder, OwnFileError, requireOwnFolder } from "./own-files.js";
import { identifyKey } from "./trusted-keys.js";

const [KEY, LICENCE] = ["device.pem", "licence.json"];
const DOMAIN = "service:licence:v1";
const [OWN_FOLDER, OWN_FILE] = [0o700, 0o600];

/** A device key, and whether this login made it. */
export interface Kept {
  readonly device: string;
  readonly public_key: string;
  readonly origin: "made" | "licensed" | "kept" | "environment";
  readonly files: readonly string[];
}

/**
 * Makes the device key and its licence, unless they are there. A broken key is never replaced.
 *
 * @throws {ServiceError} `login_required` where what is there cannot be used, or nothing could be kept.
 */
export function login(): Kept {
  const injected = env["SERVICE_DEVICE_KEY"];
  if (injected !== undefined && injected !== "") return describe("environment", []);
  const folder = findConfigFolder();
  const [isMade, isLicensed] = keep(folder);
  const files = [KEY, LICENCE].map((name) => describePlace(join(folder, name)));
  return describe(isMade ? "made" : isLicensed ? "licensed" : "kept", files);
}

/** A path that names no user. */
function describePlace(path: string): string {
  const home = env["SERVICE_HOME"];
  const [root, word] = home !== undefined && home !== "" ? [home, "$SERVICE_HOME"] : [homedir(), "~"];
  return path.startsWith(root) ? word + path.slice(root.length) : basename(path);
}

function describe(origin: Kept["origin"], files: readonly string[]): Kept {
  const { publicKey } = requireSigner();
  return { device: identifyKey(publicKey), public_key: publicKey, origin, files };
}

function keep(folder: string): readonly [boolean, boolean] {
  try {
    mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
    requireOwnFolder(folder);
    const isMade = writeNew(folder, KEY, generateKey());
    return [isMade, renewLicence(folder)];
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const own = error instanceof OwnFileError;
    const message = own ? `The folder of the device key ${error.message}.` : "The device key cannot be saved.";
    const hint = "Set SERVICE_HOME to a folder of yours that can be written to.";
    const details = { reason: own ? "folder_unsafe" : "not_kept" };
    throw new ServiceError("login_required", message, { hint, details });
  }
}

function generateKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

/** Writes the licence of the key where there is none, or one that does not hold. */
function renewLicence(folder: string): boolean {
  const path = join(folder, LICENCE);
  const isMissing = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  if (isMissing) return writeNew(folder, LICENCE, buildLicence(folder));
  try {
    requireSigner();
    return false;
  } catch (error) {
    const reason = error instanceof ServiceError ? String(error.details["reason"]) : "";
    if (!reason.startsWith("licence")) throw error;
    const temporary = writeBeside(folder, LICENCE, buildLicence(folder));
    renameSync(temporary, path);
    return true;
  }
}

function buildLicence(folder: string): string {
  const key = createPrivateKey(readFileSync(join(folder, KEY)));
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  const publicKey = Buffer.from(x, "base64url").toString("base64");
  const told = {
    version: 1,
    tier: "developer",
    device: identifyKey(publicKey),
    public_key: publicKey,
    issued: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
  const signature = sign(null, Buffer.from(`${DOMAIN}\0${canonicalText(told)}`), key).toString("base64");
  return `${canonicalText({ ...told, signature })}\n`;
}

/** Writes a file that nobody else may read, whole or not at all; one that is there stays, and false is returned. */
function writeNew(folder: string, name: string, content: string): boolean {
  if (lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined) return false;
  const temporary = writeBeside(folder, name, content);
  try {
    linkSync(temporary, join(folder, name)); // fails where another login was faster
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeBeside(folder: string, name: string, content: string): string {
  const path = join(folder, `.${name}.${randomBytes(8).toString("hex")}`);
  writeFileSync(path, content, { mode: OWN_FILE, flag: "wx" });
  return path;
}
