/** What the client asks of where it runs: files, databases and a device key in Node, none of them in a page. */

import { type Table } from "../values/columns.js";
import { type Clock } from "../query/binder.js";
import { type Limits, type ReadOptions } from "../readers/options.js";
import { type Computing, type ComputingConfig } from "./computing.js";
import { type Deployment } from "./live.js";

/** The key of a device, which signs what the client answers. */
export interface Signer {
  /** The base64 of the 32 bytes of the public key. */
  readonly publicKey: string;
  /** The 64 bytes of the Ed25519 signature. */
  readonly sign: (data: Uint8Array) => Uint8Array;
}

/** A file as it was read; `hasChanged` tells whether it is another one by now. */
export interface FileRead {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly hasChanged: () => boolean;
}

/** A table, a view or a query of a SQLite database. */
export interface SqliteRequest {
  readonly path: string;
  readonly table?: string | undefined;
  readonly query?: string | undefined;
}

export interface SqliteRead {
  readonly table: Table;
  readonly hasChanged: () => boolean;
}

export interface Host {
  readonly environment: (name: string) => string | undefined;
  readonly clock: () => Clock;
  readonly now: () => number;
  /** Random hex digits. */
  readonly drawHex: (digits: number) => string;
  /** Hex SHA-256, faster than what is written in JavaScript. */
  readonly findSha256?: (bytes: Uint8Array) => string;
  /** The path of a file with no link in it, the same of every way to write it. */
  readonly findRealPath?: (path: string) => string;
  /** The path that `file:///data/sales.csv` names; undefined of other addresses. */
  readonly findAddressedPath?: (address: string) => string | undefined;
  readonly readFile?: (path: string, most: number) => Promise<FileRead>;
  readonly readSqlite?: (request: SqliteRequest, options: ReadOptions, limits: Limits) => Promise<SqliteRead>;
  readonly findSigner?: () => Signer | undefined;
  /** Opens the deployment that the environment names; undefined if it names none. */
  readonly openDeployment?: (options: DeploymentOptions) => Deployment | undefined;
  /** Opens what computes; absent where there is no contract of capabilities. */
  readonly openComputing?: (config: ComputingConfig, live: Deployment | undefined) => Computing;
}

/** For whom a deployment is called, and how much of an answer is read. */
export interface DeploymentOptions {
  readonly environment: (name: string) => string | undefined;
  readonly tenantId: string | undefined;
  readonly limits: Limits;
}

/** What a client tells of the executor that it wants. */
export interface ExecutorOptions {
  /** Modules that a runtime has at least; empty: all. */
  readonly modules: readonly string[];
}

/** The clock of the machine in its own time zone, as answers note it. */
export function readLocalClock(): Clock {
  const now = new Date();
  const pad = (value: number): string => String(value).padStart(2, "0");
  const today = `${String(now.getFullYear()).padStart(4, "0")}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(pad).join(":");
  const ahead = -now.getTimezoneOffset();
  const offset = `${ahead < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(ahead) / 60))}:${pad(Math.abs(ahead) % 60)}`;
  return { today, moment: `${today}T${time}${offset}`, zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}

/** A page: nothing but its clock and its randomness. */
export const PAGE: Host = {
  environment: () => undefined,
  clock: readLocalClock,
  now: () => Date.now(),
  drawHex: (digits) => Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join(""),
};
