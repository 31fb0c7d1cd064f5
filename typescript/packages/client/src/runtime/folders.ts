/** The folders of one user, where Python's client keeps what is installed and what runs. */

import { lstatSync, statSync } from "node:fs";
import { homedir, platform } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { env, getuid } from "node:process";

const APPLICATION = "service-nb";
const OTHERS = 0o077; // permissions of anybody but the owner

/** The folder of sockets, tokens and locks of what runs now. */
export function findRunFolder(): string {
  const home = readVariable("SERVICE_HOME");
  if (home !== undefined) return join(isAbsolute(home) ? home : resolve(home), "run");
  const sockets = readVariable("XDG_RUNTIME_DIR");
  if (platform() === "linux" && sockets !== undefined && isFolder(sockets)) return join(sockets, APPLICATION);
  return join(findDataFolder(), "run");
}

function findDataFolder(): string {
  if (platform() === "darwin") return join(homedir(), "Library", "Application Support", APPLICATION);
  return join(readVariable("XDG_DATA_HOME") ?? join(homedir(), ".local", "share"), APPLICATION);
}

function readVariable(name: string): string | undefined {
  const text = env[name];
  return text === "" ? undefined : text;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether a file or a folder is this user's own, no link, and closed to everybody else. */
export function isOwn(path: string, kind: "file" | "folder"): boolean {
  try {
    const stats = lstatSync(path);
    const isKind = kind === "file" ? stats.isFile() : stats.isDirectory();
    return isKind && (getuid === undefined || (stats.uid === getuid() && (stats.mode & OTHERS) === 0));
  } catch {
    return false;
  }
}
