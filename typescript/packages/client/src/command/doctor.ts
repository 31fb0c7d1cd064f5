import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { versions } from "node:process";
import { isObject } from "@service-nb/records";
import { visible } from "@service-nb/cards/text";
import { ServiceError } from "../errors.js";
import { createService } from "../index.js";
import { findContractHash, readContract } from "../node/contract.js";
import { findSigner } from "../node/device-key.js";
import { listEndpoints } from "../runtime/process.js";
import { identifyKey } from "../node/trusted-keys.js";
import { computeContractHash, findEmbeddedHash } from "./contract.js";
import { askPython } from "./python-client.js";
import { alignPairs, type Call, COMMAND, DONE, FAILED, type Reply, type Verb } from "./verb.js";

/** One line of the report; a warning is something that works, but fails a strict report. */
interface HealthCheck {
  readonly name: string;
  readonly found: string;
  readonly ok: boolean;
  readonly warning: boolean;
}

const [MAJOR, MINOR] = [20, 19]; // the oldest Node
// Ones among numbers sixteen orders larger, which cancel: any order of plain additions loses some of them.
const HARD_TO_ADD = [1e16, 1, -1e16, 1, 0.1, 1e300, -0.3, -1e300, 5e-324, 3, 1e-9, -2];
const EXACT_SUM = 2.800000001;
// A question that both clients answer with the same hashes.
const PROBE = "region,amount\nNorth,0.1\nSouth,2\nNorth,0.2\n";
const PROBE_LINE = "sum amount by region from probe";

/** Makes all checks; fails if something is wrong. */
async function run(call: Call): Promise<Reply> {
  const found = await runChecks(call.has("parity"));
  const isStrict = call.has("strict");
  const checks = found.map((check) => ({ ...check, ok: check.ok && !(isStrict && check.warning) }));
  const ok = checks.every((check) => check.ok);
  const lines = alignPairs(
    checks.map(({ name, found: text }) => [name, visible(text)]),
    "",
  );
  const signed = checks.map((check, at) => `${check.ok ? (check.warning ? "!" : "✓") : "✗"} ${lines[at] ?? ""}`);
  const verdict = ok ? "All checks passed." : "Some checks failed: see the lines marked ✗.";
  return {
    document: { ok, strict: isStrict, checks },
    text: [...signed, "", verdict].join("\n"),
    code: ok ? DONE : FAILED,
  };
}

async function runChecks(isParity: boolean): Promise<readonly HealthCheck[]> {
  const checks = [
    ...checkMachine(),
    await attempt("contract", checkContract),
    await attempt("exact sum", checkSum),
    await attempt("login", checkLogin),
  ];
  if (checks.every(({ name, warning, ok }) => name !== "login" || (ok && !warning)))
    checks.push(await attempt("runtime", checkRuntime));
  return isParity ? [...checks, ...(await checkParity())] : checks;
}

async function attempt(name: string, look: () => HealthCheck | Promise<HealthCheck>): Promise<HealthCheck> {
  try {
    return await look();
  } catch (error) {
    const found =
      error instanceof ServiceError ? `${error.code}: ${error.message}` : `failed with ${String(error).slice(0, 200)}`;
    return fail(name, found);
  }
}

function pass(name: string, found: string): HealthCheck {
  return { name, found, ok: true, warning: false };
}

function warn(name: string, found: string): HealthCheck {
  return { name, found, ok: true, warning: true };
}

function fail(name: string, found: string): HealthCheck {
  return { name, found, ok: false, warning: false };
}

function checkMachine(): readonly HealthCheck[] {
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  const isFit = major > MAJOR || (major === MAJOR && minor >= MINOR);
  return [
    isFit ? pass("node", versions.node) : fail("node", `${versions.node}; expected 20.19 or later`),
    pass("platform", `${platform()} ${arch()}, ${String(cpus().length)} cores`),
    hasSqlite() ? pass("sqlite", "node:sqlite") : warn("sqlite", "none; SQLite needs Node 22.16 or later, or sql.js"),
  ];
}

function hasSqlite(): boolean {
  try {
    createRequire(import.meta.url)("node:sqlite");
    return true;
  } catch {
    return false;
  }
}

async function checkContract(): Promise<HealthCheck> {
  const content = await readContract();
  const [stated, computed] = [findContractHash(content), computeContractHash(content)];
  if (stated === computed && computed !== "") return pass("contract", computed);
  return fail("contract", `it states ${stated}, and what it says has ${computed}`);
}

async function checkSum(): Promise<HealthCheck> {
  const service = createService();
  await service.connect(
    HARD_TO_ADD.map((value) => ({ value })),
    { name: "numbers" },
  );
  const { data } = await service.ask("sum value from numbers");
  const met = data?.result[0]?.["value"];
  const found = `${String(met)} over ${String(HARD_TO_ADD.length)} rows`;
  return met === EXACT_SUM
    ? pass("exact sum", found)
    : fail("exact sum", `${found}; the exact sum is ${String(EXACT_SUM)}`);
}

function checkLogin(): HealthCheck {
  const signer = findSigner();
  if (signer !== undefined) return pass("login", `device ${identifyKey(signer.publicKey)}`);
  return warn("login", `none; run \`${COMMAND} login\` to compute on this machine and to sign cards`);
}

const KNOWN = 505.0201488969332; // of KNOWN_CALL: from outside, at 60 digits, rounded once
const KNOWN_CALL = { rate: 0.1, cashflows: [-1000, 300, 420, 560, 680] };

/** Computes a known value in the runtime, which Python starts if it is installed and does not run. */
async function checkRuntime(): Promise<HealthCheck> {
  if (listEndpoints().length === 0)
    return warn("runtime", `none runs; run \`${COMMAND} runtime start\`, or compute something`);
  const service = createService();
  try {
    const { value, determinism } = await service.compute("finance.npv", { kwargs: KNOWN_CALL });
    const found = `finance.npv ${JSON.stringify(value)}, ${determinism.platform}`;
    return value === KNOWN ? pass("runtime", found) : fail("runtime", `${found}; the right double is ${String(KNOWN)}`);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.details["reason"] !== "no_python") throw error;
    return warn("runtime", "it does not run, and no Python with service-nb is found that starts it");
  } finally {
    service.close();
  }
}

// --- the other client -------------------------------------------------------------------------------------------------

/** Compares with Python's client: its contract, and the hashes of one question. */
async function checkParity(): Promise<readonly HealthCheck[]> {
  const own = await findEmbeddedHash();
  const told = await askPython("version");
  if (told === undefined)
    return [warn("parity: python", "no service-nb answers; put it on the PATH, or set SERVICE_PYTHON")];
  const met = readText(told["contract_hash"]);
  return [
    pass("parity: package", own),
    pass("parity: python", `service-nb ${readText(told["version"])}`),
    compare("parity: contract", met, own),
    await attempt("parity: hashes", compareHashes),
  ];
}

async function compareHashes(): Promise<HealthCheck> {
  const folder = mkdtempSync(join(tmpdir(), "service-nb-"));
  try {
    const path = join(folder, "probe.csv");
    writeFileSync(path, PROBE);
    const told = await askPython("ask", path, PROBE_LINE);
    const service = createService();
    await service.connect(path);
    const own = (await service.ask(PROBE_LINE)).data;
    const met = isObject(told?.["data"]) ? told["data"] : {};
    const [plan, result] = [readText(met["plan_hash"]), readText(met["result_hash"])];
    return compare(
      "parity: hashes",
      `plan ${plan}, result ${result}`,
      `plan ${own?.plan_hash ?? ""}, result ${own?.result_hash ?? ""}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare(name: string, met: string, own: string): HealthCheck {
  return met === own ? pass(name, met) : fail(name, `${met}; this package has ${own}`);
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "none";
}

export const DOCTOR: Verb = {
  name: "doctor",
  summary: "Check Node, the contract, the engine and the login, and that hard sums are exact.",
  operands: [],
  options: [
    { name: "parity", words: "compare the contract's hash, and the hashes of a question, with Python's client" },
    { name: "strict", words: "treat warnings as failures" },
  ],
  help: `\
examples:
  ${COMMAND} doctor
  ${COMMAND} doctor --parity --json`,
  run,
};
