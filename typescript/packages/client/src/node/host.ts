/** Node: its files, its databases, its clock, the key of the device, and the managed runtime. */

import { createHash, randomBytes } from "node:crypto";
import { env } from "node:process";
import { ManagedRuntime } from "../runtime/managed.js";
import { Computing, type ComputingHost } from "../service/computing.js";
import { type Host, readLocalClock } from "../service/host.js";
import { findContractHash, readContract, readForeignNames } from "./contract.js";
import { findSigner, requireSigner } from "./device-key.js";
import { openDeployment } from "./deployment.js";
import { findAddressedPath, findRealPath, readFile } from "./files.js";
import { readSqlite } from "./sqlite.js";

/** Where a client runs, whatever it does there. */
const PROCESS = {
  environment: (name: string) => env[name],
  now: () => performance.now(),
  drawHex: (digits: number) => randomBytes(digits / 2).toString("hex"),
};

export const NODE: Host = {
  ...PROCESS,
  clock: readLocalClock,
  findSha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
  findRealPath,
  findAddressedPath,
  readFile,
  readSqlite,
  findSigner,
  openComputing: (config, live) => new Computing(COMPUTING, config, live),
  openDeployment,
};

const COMPUTING: ComputingHost = {
  ...PROCESS,
  readContract,
  readForeignNames,
  createExecutor: ({ modules }) =>
    new ManagedRuntime({
      modules,
      readContractHash: async () => findContractHash(await readContract()),
      admit: requireSigner,
    }),
};
