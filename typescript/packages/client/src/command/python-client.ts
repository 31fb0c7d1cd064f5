/** Python's client, where this machine has it: asked through its command. */

import { execFile } from "node:child_process";
import { env } from "node:process";
import { promisify } from "node:util";
import { isObject } from "@service-nb/records";

const PATIENCE_MS = 120_000;
const MOST_BYTES = 8 * 1_024 * 1_024;
const MODULE = "service_nb.cli.main";

/**
 * Runs `service-nb`, or that of the Python which SERVICE_PYTHON names, and returns its JSON; undefined where there is
 * none, or where it says nothing.
 */
export async function askPython(...words: readonly string[]): Promise<Readonly<Record<string, unknown>> | undefined> {
  const python = env["SERVICE_PYTHON"];
  const hasOwn = python !== undefined && python !== "";
  const [program, lead] = hasOwn ? [python, ["-m", MODULE]] : ["service-nb", []];
  const options = { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES, env: { ...env, SERVICE_LEDGER: "off" } };
  try {
    const { stdout } = await promisify(execFile)(program, [...lead, ...words, "--json"], options);
    const told: unknown = JSON.parse(stdout);
    return isObject(told) ? told : undefined;
  } catch {
    return undefined;
  }
}
