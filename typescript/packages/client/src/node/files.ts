/** Files: regular ones only, one descriptor, their bytes within a limit, and whether they have changed since. */

import { realpathSync, type Stats, statSync } from "node:fs";
import { constants, open } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { beyondLimit, ServiceError } from "../errors.js";
import { quote } from "../readers/names.js";
import { type FileRead } from "../service/host.js";

/** A path with `~` in place. */
export function findPath(path: string): string {
  return resolve(path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path);
}

/** The path that the address of a file names; undefined of other addresses, and of a file on another machine. */
export function findAddressedPath(address: string): string | undefined {
  try {
    return address.startsWith("file:") ? fileURLToPath(address) : undefined;
  } catch {
    return undefined;
  }
}

/** The path of a file with no link in it; of one that is not there the path alone. */
export function findRealPath(path: string): string {
  try {
    return realpathSync(findPath(path));
  } catch {
    return findPath(path);
  }
}

/**
 * Reads a file of at most so many bytes.
 *
 * @throws {ServiceError} `source_not_found`, `source_unreadable`, `limit_exceeded`
 */
export async function readFile(path: string, most: number): Promise<FileRead> {
  const where = findPath(path);
  const name = basename(where);
  requireRegular(where);
  try {
    // Should a pipe stand there by now: without O_NONBLOCK, opening it would wait for a writer.
    const file = await open(where, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stamp = await file.stat();
      if (stamp.size > most) throw tooLong(name, stamp.size, most);
      const bytes = await file.readFile();
      if (bytes.length > most) throw tooLong(name, bytes.length, most);
      return { bytes, name, hasChanged: () => hasChanged(where, stamp) };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw explainFault(name, error);
  }
}

function tooLong(name: string, size: number, most: number): ServiceError {
  const message = `${quote(name)} has ${String(size)} bytes; at most ${String(most)} are read.`;
  return beyondLimit(message, { limit: most, value: size }, "The Python client reads larger files.");
}

/** Tells whether a file has changed: gone, replaced, resized or written to. */
export function hasChanged(path: string, before: Stats): boolean {
  try {
    const now = statSync(path);
    return now.size !== before.size || now.mtimeMs !== before.mtimeMs || now.ino !== before.ino;
  } catch {
    return true;
  }
}

/**
 * Returns the state of a regular file, without opening it: to open a device is to act on it.
 *
 * @throws {ServiceError} `source_not_found`, `source_unreadable`
 */
export function requireRegular(path: string): Stats {
  const name = quote(basename(path));
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    throw explainFault(basename(path), error);
  }
  if (stats.isFile()) return stats;
  const kind = stats.isDirectory()
    ? "a folder"
    : stats.isFIFO()
      ? "a pipe"
      : stats.isSocket()
        ? "a socket"
        : "a device";
  const message = `${name} is ${kind}; expected a regular file.`;
  throw new ServiceError("source_unreadable", message, { details: { met: kind, expected: "a file" } });
}

function explainFault(name: string, error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  if (code === "ENOENT")
    return new ServiceError("source_not_found", `There is no file ${quote(name)}.`, { hint: "Check the path." });
  return new ServiceError("source_unreadable", `${quote(name)} cannot be read: ${code}.`, { details: { met: code } });
}
