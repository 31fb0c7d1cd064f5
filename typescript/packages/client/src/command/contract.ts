/** The contract that this package embeds: the hash that it states, and the hash of what it says. */

import { createHash } from "node:crypto";
import { canonicalText, isObject, parseJson } from "@service-nb/records";
import { findContractHash, readContract } from "../node/contract.js";

const UNDEFINED: ReadonlySet<string> = new Set(["keywords", "cases", "digest", "leaf"]); // no hash covers them
const [LEAF, NODE_SIGN] = [Buffer.of(0), Buffer.of(1)];

/** The hash that the embedded contract states. */
export async function findEmbeddedHash(): Promise<string> {
  return findContractHash(await readContract());
}

/** The hash of what a contract says, whatever it states: the root of the tree of its entries. */
export function computeContractHash(content: Uint8Array): string {
  const document = parseJson(content, { integers: "exact" });
  if (!isObject(document) || !isObject(document["capabilities"])) return "";
  const { contract_version, runtime, capabilities } = document;
  const entries = isObject(capabilities) ? capabilities : {};
  const leaves = [
    { contract_version, runtime },
    ...Object.keys(entries)
      .sort()
      .map((name) => selectDefined(entries[name])),
  ];
  const hashes = leaves.map((leaf) => digest(LEAF, Buffer.from(canonicalText(leaf))));
  return `sha256:${computeRoot(hashes).toString("hex")}`;
}

function selectDefined(entry: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(isObject(entry) ? entry : {}).filter(([key]) => !UNDEFINED.has(key)));
}

/** The root of the leaves' tree: the left half has as many leaves as a power of two can have below their number. */
function computeRoot(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes;
  if (hashes.length <= 1) return first ?? digest();
  let half = 1;
  while (2 * half < hashes.length) half *= 2;
  return digest(NODE_SIGN, computeRoot(hashes.slice(0, half)), computeRoot(hashes.slice(half)));
}

function digest(...parts: readonly Buffer[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}
