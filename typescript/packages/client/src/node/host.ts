/** Node: its files, its databases, its clock, and the key of the device. */

import { randomBytes } from "node:crypto";
import { env } from "node:process";
import { type Host, readLocalClock } from "../service/host.js";
import { findSigner } from "./device-key.js";
import { findRealPath, readFile } from "./files.js";
import { readSqlite } from "./sqlite.js";

export const NODE: Host = {
  environment: (name) => env[name],
  clock: readLocalClock,
  now: () => performance.now(),
  drawHex: (digits) => randomBytes(digits / 2).toString("hex"),
  findRealPath,
  readFile,
  readSqlite,
  findSigner,
};
