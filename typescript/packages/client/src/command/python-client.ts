/** Python's client, where this machine has it: asked through its command. */

import { execFile, spawn } from "node:child_process";
import { env } from "node:process";
import { promisify } from "node:util";
import { isObject } from "@service-nb/records";
import { ServiceError } from "../errors.js";

const PATIENCE_MS = 120_000;
const MOST_BYTES = 8 * 1_024 * 1_024;
const MODULE = "service_nb.cli.main";

function findCommand(): readonly [string, readonly string[]] {
  const python = env["SERVICE_PYTHON"];
  return python === undefined || python === "" ? ["service-nb", []] : [python, ["-m", MODULE]];
}

/**
 * Runs `service-nb` in this terminal, and returns its exit code.
 *
 * @throws {ServiceError} `runtime_provision_failed` where there is none.
 */
export function runPython(words: readonly string[]): Promise<number> {
  const [program, lead] = findCommand();
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...lead, ...words], { stdio: "inherit" });
    child.on("close", (code) => {
      resolve(code ?? 1);
    });
    child.on("error", () => {
      const message = "No service-nb can be run here, which installs and starts the runtime.";
      const hint = "Run: pip install service-nb, or name its Python in SERVICE_PYTHON.";
      reject(new ServiceError("runtime_provision_failed", message, { hint, details: { reason: "no_python" } }));
    });
  });
}

/**
 * Runs `service-nb`, or that of the Python which SERVICE_PYTHON names, and returns its JSON; undefined where there is
 * none, or where it says nothing.
 */
export async function askPython(...words: readonly string[]): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [program, lead] = findCommand();
  const options = { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES, env: { ...env, SERVICE_LEDGER: "off" } };
  try {
    const { stdout } = await promisify(execFile)(program, [...lead, ...words, "--json"], options);
    const told: unknown = JSON.parse(stdout);
    return isObject(told) ? told : undefined;
  } catch {
    return undefined;
  }
}
