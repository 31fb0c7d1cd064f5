/** The login: a device key and its licence, as Python's client makes and reads them. No network. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { env } from "node:process";
import { canonicalText } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { requireSigner } from "./device-key.js";
import { findConfigFolder, OWN_FOLDER, OwnFileError, requireOwnFolder, writeBeside } from "./own-files.js";
import { identifyKey } from "./trusted-keys.js";

const [KEY, LICENCE] = ["device.pem", "licence.json"];
const DOMAIN = "service:licence:v1";

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

/**
 * Removes the device key and its licence, whatever state they are in; returns the names of what was there. What the key
 * has signed stays valid.
 *
 * @throws {ServiceError} `login_required` where something there cannot be removed.
 */
export function logout(): readonly string[] {
  const folder = findConfigFolder();
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  try {
    requireOwnFolder(folder);
    const there = readdirSync(folder);
    const isPart = (name: string, each: string): boolean => each === name || each.startsWith(`.${name}.`);
    const removed = [KEY, LICENCE].flatMap((name) =>
      there
        .filter((each) => isPart(name, each))
        .sort()
        .reverse(),
    );
    for (const name of removed) rmSync(join(folder, name));
    return removed;
  } catch (error) {
    const own = error instanceof OwnFileError;
    const message = own ? `The folder of the device key ${error.message}.` : "The device key cannot be removed.";
    const details = { reason: own ? "folder_unsafe" : "not_removable" };
    throw new ServiceError("login_required", message, { details });
  }
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
    const temporary = writeBeside(path, buildLicence(folder));
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
  const temporary = writeBeside(join(folder, name), content);
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
