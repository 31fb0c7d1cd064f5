import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { sha256Bytes } from "../src/digest.js";
import { leafHash, rootFrom, rootOf } from "../src/merkle.js";

// The entries and roots with which Certificate Transparency's own tests begin.
const ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

describe("the Merkle tree", () => {
  it.each(ROOTS.map((root, size) => [size, root] as const))("of %i entries has the published root", (size, root) => {
    expect(bytesToHex(rootOf(leaves(size)))).toBe(root);
  });

  it("is proven to hold each entry at its place, and at no other", () => {
    for (let size = 1; size <= 17; size += 1) {
      const tree = leaves(size);
      const root = bytesToHex(rootOf(tree));
      for (let index = 0; index < size; index += 1) {
        const leaf = at(tree, index);
        const proof = path(index, tree);
        const led = (place: number, by = proof): string =>
          bytesToHex(rootFrom(leaf, { index: place, size }, by) ?? new Uint8Array());
        expect(led(index)).toBe(root);
        for (let other = 0; other < size; other += 1) if (other !== index) expect(led(other)).not.toBe(root);
        expect(led(size)).toBe("");
        expect(led(index, [...proof, leaf])).not.toBe(root);
        if (proof.length > 0) expect(led(index, proof.slice(1))).not.toBe(root);
      }
    }
  });

  it("bears sizes up to 2^53 - 1 and proofs of any length", () => {
    const [leaf] = leaves(1) as [Uint8Array];
    const size = Number.MAX_SAFE_INTEGER;
    expect(rootFrom(leaf, { index: 0, size }, [])).toBeUndefined();
    expect(
      rootFrom(
        leaf,
        { index: 0, size },
        Array.from({ length: 53 }, () => leaf),
      ),
    ).toHaveLength(32);
    expect(
      rootFrom(
        leaf,
        { index: size - 1, size },
        Array.from({ length: 10_000 }, () => leaf),
      ),
    ).toBeUndefined();
    expect(rootFrom(leaf, { index: 0, size: 0 }, [])).toBeUndefined();
  });
});

function leaves(size: number): Uint8Array[] {
  const entry = (index: number): string => ENTRIES[index] ?? `ff${index.toString(16).padStart(2, "0")}`;
  return Array.from({ length: size }, (_, index) => leafHash(hexToBytes(entry(index))));
}

/** PATH of RFC 6962, 2.1.1, word for word. */
function path(index: number, tree: readonly Uint8Array[]): Uint8Array[] {
  if (tree.length <= 1) return [];
  const split = largestPowerBelow(tree.length);
  return index < split
    ? [...path(index, tree.slice(0, split)), head(tree.slice(split))]
    : [...path(index - split, tree.slice(split)), head(tree.slice(0, split))];
}

/** MTH of RFC 6962, 2.1, over hashed leaves. */
function head(tree: readonly Uint8Array[]): Uint8Array {
  if (tree.length === 1) return at(tree, 0);
  const split = largestPowerBelow(tree.length);
  return sha256Bytes(Uint8Array.of(1), head(tree.slice(0, split)), head(tree.slice(split)));
}

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function at(list: readonly Uint8Array[], index: number): Uint8Array {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no leaf ${String(index)}`);
  return found;
}
