/** The contract of capabilities that this package embeds, byte for byte as it was published, and what leads to it. */

import { readFile } from "node:fs/promises";
import { type ForeignTable } from "../compute/foreign-names.js";

const PLACE = new URL("../../contract.json", import.meta.url);
const START_BYTES = 200;

/** Reads the whole contract. */
export async function readContract(): Promise<Uint8Array> {
  return readFile(PLACE);
}

/** Reads the names of other libraries. */
export async function readForeignNames(): Promise<ForeignTable> {
  return import("../compute/foreign-names-table.js");
}

/** The hash of the contract, which stands at its beginning. */
export function findContractHash(content: Uint8Array): string {
  const start = Buffer.from(content.subarray(0, START_BYTES)).toString("ascii");
  return /"contract_hash":"(sha256:[0-9a-f]{64})"/.exec(start)?.[1] ?? "";
}
