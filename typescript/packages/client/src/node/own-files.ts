/** This user's own small files: regular ones that belong to the user, no links, and secrets that nobody else may read. */

import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, writeFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import { env, getuid } from "node:process";

const OTHERS = 0o077; // permissions of anybody but the owner
const WRITERS = 0o022;
const OWN_FILE = 0o600;
export const OWN_FOLDER = 0o700;
const NO_FILE: readonly unknown[] = ["ELOOP", "EISDIR", "ENXIO", "EOPNOTSUPP"];

/** Why a file cannot be trusted; the text follows the file's name. */
export class OwnFileError extends Error {
  readonly reason: "missing" | "no_file" | "foreign" | "exposed" | "too_large" | "unreadable" | "unsafe";

  constructor(reason: OwnFileError["reason"], text: string) {
    super(text);
    this.reason = reason;
  }
}

/** The folder of the user's own settings, where Python's client keeps them. */
export function findConfigFolder(): string {
  const home = env["SERVICE_HOME"];
  if (home !== undefined && home !== "") return join(home, "config");
  if (platform() === "darwin") return join(homedir(), "Library", "Application Support", "service-nb");
  if (platform() === "win32") return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "service-nb");
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "service-nb");
}

/** Writes a file that nobody else may read beside its place, and returns its path. */
export function writeBeside(target: string, content: string): string {
  const path = join(dirname(target), `.${basename(target)}.${randomBytes(8).toString("hex")}`);
  writeFileSync(path, content, { mode: OWN_FILE, flag: "wx" });
  return path;
}

/** @throws {OwnFileError} Another user could write to the folder. */
export function requireOwnFolder(folder: string): void {
  const met = lstatSync(folder);
  if (met.isDirectory() && isOwn(met) && (!hasModes() || (met.mode & WRITERS) === 0)) return;
  throw new OwnFileError("unsafe", "is a link, belongs to another user, or others can write to it");
}

/** The content of a file that holds a secret; undefined where there is none. */
export function readOwnSecret(path: string, mostBytes: number): Uint8Array | undefined {
  let file: number | undefined;
  try {
    // Should a pipe stand there: without O_NONBLOCK, opening it would wait for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const met = fstatSync(file);
    if (!met.isFile()) throw new OwnFileError("no_file", "is not a regular file");
    if (!isOwn(met)) throw new OwnFileError("foreign", "belongs to another user: was it made with sudo?");
    if (hasModes() && (met.mode & OTHERS) !== 0)
      throw new OwnFileError("exposed", "may have been read by other users of this machine");
    const content = new Uint8Array(mostBytes + 1);
    const size = readSync(file, content);
    if (size > mostBytes) throw new OwnFileError("too_large", `has more than ${String(mostBytes)} bytes`);
    return content.subarray(0, size);
  } catch (error) {
    if (error instanceof OwnFileError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return undefined;
    if (NO_FILE.includes(code)) throw new OwnFileError("no_file", "is a link or not a file; links are not followed");
    throw new OwnFileError("unreadable", `cannot be read: ${String(code)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function isOwn(met: Stats): boolean {
  return getuid === undefined || met.uid === getuid();
}

function hasModes(): boolean {
  return platform() !== "win32";
}
