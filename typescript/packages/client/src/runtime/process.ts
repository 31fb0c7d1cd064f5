/** The runtime's process: found where it lives, started by Python's `service-nb` where none does, ended if it hangs. */

import { execFile } from "node:child_process";
import { closeSync, openSync, readFileSync, readSync, readdirSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { env, kill, platform } from "node:process";
import { isObject } from "@service-nb/records";
import { type Details, type ErrorCode, ServiceError } from "../errors.js";
import { findRunFolder, isOwn } from "./folders.js";

const LONGEST = 1_000; // bytes of an address or a token
const SECRET = /^[\w-]{43}$/;
const LOOPBACK = /^127\.0\.0\.1:[1-9][0-9]{0,4}$/;
const MOST_OUTPUT = 2 ** 20;
const PYTHONS = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"];
const [TOO_OLD, NOT_THERE] = [41, 42]; // exit codes of a Python that cannot start the runtime
// The working folder is no place for modules: what lies there is not ours.
const START = `
import sys
if sys.version_info < (3, 11): sys.exit(${String(TOO_OLD)})
sys.path[:] = [place for place in sys.path if place]
import importlib.util
if importlib.util.find_spec("service_nb") is None: sys.exit(${String(NOT_THERE)})
from service_nb.cli.main import main
sys.exit(main(sys.argv[1:]))
`;

/** Where a runtime listens, and what it wants to hear first. */
export interface Endpoint {
  readonly folder: string;
  readonly address: string; // of gRPC; behind it stands that of the plain sockets that Python's client uses
  readonly token: string;
}

/** Lists what may live below the folder of runtimes; whether it does is told by asking. */
export function listEndpoints(): readonly Endpoint[] {
  const run = findRunFolder();
  try {
    if (!isOwn(run, "folder")) return [];
    return readdirSync(run).flatMap((name) => findEndpoint(join(run, name)) ?? []);
  } catch {
    return [];
  }
}

/** Finds where the runtime of a bundle listens: by the name of its folder. */
export function findEndpoint(folder: string): Endpoint | undefined {
  if (!isOwn(folder, "folder")) return undefined;
  const [address = "", token] = [readSmall(join(folder, "address")).split(" ")[0], readSmall(join(folder, "token"))];
  if (!SECRET.test(token) || !(LOOPBACK.test(address) || isSocketOf(folder, address))) return undefined;
  return { folder, address, token };
}

/** An address is a URI, in which a path may not stand as it is. */
function isSocketOf(folder: string, address: string): boolean {
  try {
    return address.startsWith("unix:") && decodeURIComponent(address.slice("unix:".length)) === join(folder, "socket");
  } catch {
    return false;
  }
}

function readSmall(path: string): string {
  if (!isOwn(path, "file")) return "";
  const file = openSync(path, "r");
  try {
    const content = Buffer.alloc(LONGEST);
    return content.toString("ascii", 0, readSync(file, content));
  } catch {
    return "";
  } finally {
    closeSync(file);
  }
}

// --- starting --------------------------------------------------------------------------------------------------------

/**
 * Has the runtime of these modules installed and started, by a Python in which service-nb is installed.
 *
 * @throws {ServiceError} `runtime_provision_failed`, `unsupported_platform`, `invalid_intent`, `login_required` …
 */
export async function startRuntime(modules: readonly string[]): Promise<Endpoint> {
  const words = ["runtime", "start", "--json", ...(modules.length > 0 ? ["--modules", modules.join(",")] : [])];
  const document = await runPython(words);
  const runtime = isObject(document) ? document["runtime"] : undefined;
  const folder = isObject(runtime) ? runtime["folder"] : undefined;
  const found = typeof folder === "string" ? findEndpoint(join(findRunFolder(), basename(folder))) : undefined;
  if (found !== undefined) return found;
  throw provisionError("The runtime was started, and is not there.", "start_failed", "Try again.");
}

async function runPython(words: readonly string[]): Promise<unknown> {
  const chosen = env["SERVICE_PYTHON"];
  const programs = chosen !== undefined && chosen !== "" ? [chosen] : listPythons();
  for (const program of programs) {
    const { code, output } = await run(program, ["-c", START, ...words]);
    if (code === 0) return readJson(output);
    const told = readJson(output);
    if (isObject(told) && isObject(told["error"])) throw readError(told["error"]);
    if (isObject(told) && typeof told["code"] === "string") throw readError(told);
    if (code !== TOO_OLD && code !== NOT_THERE && code !== undefined && chosen !== undefined)
      throw provisionError(
        "Python ended before the runtime was started.",
        "start_failed",
        "Run: service-nb runtime start",
      );
  }
  const where = chosen !== undefined && chosen !== "" ? "SERVICE_PYTHON is" : "On PATH there is";
  throw provisionError(
    `${where} no Python 3.11 or later in which service-nb is installed; it installs and starts the runtime.`,
    "no_python",
    "Run: pip install service-nb, or name its Python in SERVICE_PYTHON.",
  );
}

function listPythons(): readonly string[] {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((each) => each !== "");
  const found = folders.flatMap((folder) => PYTHONS.map((name) => join(folder, name)).filter(isFile));
  return [...new Set(found)];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

interface Ended {
  /** Undefined: it could not be run. */
  readonly code: number | undefined;
  readonly output: string;
}

function run(program: string, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, [...words], { maxBuffer: MOST_OUTPUT, windowsHide: true }, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
      resolve({ code, output: stdout });
    });
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The error that Python told, with its code, words and facts. */
function readError(told: Readonly<Record<string, unknown>>): ServiceError {
  const { code, message, hint, details } = told;
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return new ServiceError(text(code) as ErrorCode, text(message), {
    hint: typeof hint === "string" ? hint : undefined,
    details: isObject(details) ? details : {},
  });
}

/** The error of a runtime that cannot be had, with the stable name of its cause. */
export function provisionError(message: string, reason: string, hint: string, details: Details = {}): ServiceError {
  return new ServiceError("runtime_provision_failed", message, { hint, details: { reason, ...details } });
}

// --- ending what hangs -----------------------------------------------------------------------------------------------

/** Kills the process that holds a runtime's folder; the next call starts another. */
export function killRuntime(folder: string): void {
  const pid = findHolder(join(folder, "alive"));
  try {
    if (pid !== undefined) kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** The process that has locked the file and written its number there; where the system says who holds what, that decides. */
function findHolder(alive: string): number | undefined {
  const written = Number.parseInt(readSmall(alive), 10);
  const isPid = Number.isSafeInteger(written) && written > 1;
  if (platform !== "linux") return isPid ? written : undefined;
  try {
    const inode = String(statSync(alive).ino);
    const locks = readFileSync("/proc/locks", "ascii").split("\n");
    const held = locks.flatMap((line) => {
      const [, kind, , access, pid, place = ""] = line.trim().split(/\s+/);
      return kind === "FLOCK" && access === "WRITE" && place.endsWith(`:${inode}`) ? [Number(pid)] : [];
    });
    if (isPid && (held.length === 0 || held.includes(written))) return written;
    return held.length === 1 && Number(held[0]) > 1 ? held[0] : undefined;
  } catch {
    return isPid ? written : undefined;
  }
}
