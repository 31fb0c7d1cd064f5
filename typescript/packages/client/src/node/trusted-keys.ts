/** The public keys that a user trusts: the user's own, and those that `service-nb key trust` has kept. */

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { ServiceError } from "../errors.js";
import { quote } from "../readers/names.js";
import { findSigner } from "./device-key.js";
import { findPath } from "./files.js";
import { findConfigFolder } from "./own-files.js";

const FILE = "trusted-keys";
const YOU = "you";
const KEY_BYTES = 32;
const MOST_BYTES = 64 * 1_024;
const ID_DIGITS = 16;
const PREFIX = Buffer.from("302a300506032b6570032100", "hex"); // DER of an Ed25519 key, up to its 32 bytes
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A public key, base64 of 32 bytes, with the name that the user gave its owner. */
export interface TrustedKey {
  readonly key: string;
  readonly name: string;
}

/** The id of a public key: the first 16 hex digits of the SHA-256 of its DER. */
export function identifyKey(key: string): string {
  const der = Buffer.concat([PREFIX, Buffer.from(key, "base64")]);
  return createHash("sha256").update(der).digest("hex").slice(0, ID_DIGITS);
}

/** The keys that are trusted where none is given. */
export function findTrustedKeys(): readonly TrustedKey[] {
  const own = findOwnKey();
  const kept = readKept().filter(({ key }) => key !== own);
  return own === undefined ? kept : [{ key: own, name: YOU }, ...kept];
}

function findOwnKey(): string | undefined {
  try {
    return findSigner()?.publicKey;
  } catch {
    return undefined; // a broken key of this machine says nothing about the documents of others
  }
}

function readKept(): readonly TrustedKey[] {
  const path = join(findConfigFolder(), FILE);
  return isFile(path) ? readLines(path) : [];
}

/**
 * Reads keys: the base64 of one, or a file of keys, one a line.
 *
 * @throws {ServiceError} `invalid_intent`
 */
export function readKeys(given: string): readonly TrustedKey[] {
  if (isKey(given)) return [{ key: given, name: "" }];
  const path = findPath(given);
  if (!isFile(path)) {
    const message = `${quote(given)} is neither a public key nor a readable file.`;
    const hint = "Give the base64 of 32 bytes, or a file that holds it; `service-nb login --json` prints your own.";
    throw new ServiceError("invalid_intent", message, { hint, details: { path: "--key" } });
  }
  const keys = readLines(path);
  if (keys.length === 0) throw refuseKeys(`${basename(path)} holds no public key.`);
  return keys;
}

function readLines(path: string): readonly TrustedKey[] {
  const content = readFileSync(path);
  if (content.length > MOST_BYTES)
    throw refuseKeys(`${basename(path)} has more than ${MOST_BYTES.toLocaleString("en")} bytes.`);
  return content
    .toString("utf8")
    .split(/\r\n|\n|\r/)
    .flatMap((line, at) => {
      const [key = "", ...said] = line.split("#");
      if (key.trim() === "") return [];
      if (!isKey(key.trim())) throw refuseKeys(`${basename(path)}, line ${String(at + 1)}: this is not a public key.`);
      return [{ key: key.trim(), name: said.join("#").replace(UNPRINTABLE, "").trim() }];
    });
}

function isKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === KEY_BYTES && bytes.toString("base64") === text;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function refuseKeys(message: string): ServiceError {
  const hint = "A key is the base64 of 32 bytes; behind it, after #, may stand the name of its owner.";
  return new ServiceError("invalid_intent", message, { hint, details: { path: FILE } });
}
