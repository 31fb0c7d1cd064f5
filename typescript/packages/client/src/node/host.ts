/** Node: its files, its databases, its clock, the key of the device, and the managed runtime. */

import { createHash, randomBytes } from "node:crypto";
import { env } from "node:process";
import { ManagedRuntime } from "../runtime/managed.js";
import { type Host, readLocalClock } from "../service/host.js";
import { findContractHash, readContract } from "./contract.js";
import { findSigner, requireSigner } from "./device-key.js";
import { openDeployment } from "./deployment.js";
import { findRealPath, readFile } from "./files.js";
import { readSqlite } from "./sqlite.js";

export const NODE: Host = {
  environment: (name) => env[name],
  clock: readLocalClock,
  now: () => performance.now(),
  drawHex: (digits) => randomBytes(digits / 2).toString("hex"),
  findSha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
  findRealPath,
  readFile,
  readSqlite,
  findSigner,
  readContract,
  createExecutor: ({ modules }) =>
    new ManagedRuntime({
      modules,
      readContractHash: async () => findContractHash(await readContract()),
      admit: requireSigner,
    }),
  openDeployment,
};
