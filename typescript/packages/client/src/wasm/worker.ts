/** The thread in which Pyodide runs the kernels: one text in, one text out. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { type Request, type Said, type Start } from "./messages.js";

interface Pyodide {
  readonly FS: { mkdirTree(path: string): void; writeFile(path: string, data: Uint8Array): void };
  unpackArchive(data: Uint8Array, format: string, options: { readonly extractDir: string }): void;
  runPython(code: string): unknown;
}

interface PyodideModule {
  loadPyodide(options: { readonly packages: readonly string[] }): Promise<Pyodide>;
}

const PACKAGE = "service_nb_kernels";
const SITE = "/kernels"; // inside of Pyodide, whose files are in memory: it sees none of this machine
const STARTS = `
import json, sys
sys.path.insert(0, "${SITE}")
sys.dont_write_bytecode = True
import service_nb_kernels
from service_nb_kernels.runtime.texts import get_executor, run_call
get_executor()
`;
const DESCRIBES = `json.dumps([service_nb_kernels.contract_hash(), service_nb_kernels.environment()])`;

async function start({ kernels, wheel, wheelSha256 }: Start): Promise<void> {
  const content = new Uint8Array(readFileSync(wheel)); // read once: what is checked is what is unpacked
  const met = createHash("sha256").update(content).digest("hex");
  if (met !== wheelSha256) throw new Error(`the wheel of python-flint has the SHA-256 ${met}, not ${wheelSha256}`);
  const require = createRequire(import.meta.url);
  const place = pathToFileURL(require.resolve("pyodide/pyodide.mjs")).href;
  const pyodide = (await import(place)) as PyodideModule;
  const python = await pyodide.loadPyodide({ packages: [] });
  python.FS.mkdirTree(SITE);
  python.unpackArchive(content, "zip", { extractDir: SITE });
  copyFolder(python, join(kernels, PACKAGE), `${SITE}/${PACKAGE}`);
  python.runPython(STARTS);
  const [contractHash, libraries] = JSON.parse(String(python.runPython(DESCRIBES))) as [string, Record<string, string>];
  const runCall = python.runPython("run_call") as (text: string) => string;
  parentPort?.on("message", ({ id, text }: Request) => {
    parentPort?.postMessage({ kind: "reply", id, text: runCall(text) } satisfies Said);
  });
  parentPort?.postMessage({ kind: "ready", contractHash, libraries } satisfies Said);
}

function copyFolder(python: Pyodide, from: string, to: string): void {
  python.FS.mkdirTree(to);
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (name !== "__pycache__" && statSync(path).isDirectory()) copyFolder(python, path, `${to}/${name}`);
    else if (name.endsWith(".py") || name === "contract.json" || name === "constants.toml")
      python.FS.writeFile(`${to}/${name}`, new Uint8Array(readFileSync(path)));
  }
}

try {
  await start(workerData as Start);
} catch (error) {
  const [message = "unknown"] = String(error instanceof Error ? error.message : error).trim().split("\n").slice(-1); // prettier-ignore
  parentPort?.postMessage({ kind: "failed", message: message.slice(0, 300) } satisfies Said);
}
