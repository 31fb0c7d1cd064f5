import { sha256Bytes } from "./digest.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The hash of an entry, as RFC 6962 has it. */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256Bytes(LEAF, entry);
}

/** The root over leaves in their order; that of an empty tree is the hash of nothing. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  // The complete subtrees so far, the largest first; two of one size become one of twice the size.
  const subtrees: { readonly size: number; readonly hash: Uint8Array }[] = [];
  for (const leaf of leaves) {
    let size = 1;
    let hash = leaf;
    for (let left = subtrees.at(-1); left?.size === size; left = subtrees.at(-1)) {
      subtrees.pop();
      hash = nodeHash(left.hash, hash);
      size *= 2;
    }
    subtrees.push({ size, hash });
  }
  const hashes = subtrees.map((subtree) => subtree.hash);
  return hashes.length === 0 ? sha256Bytes() : hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** The root that a proof leads to from a leaf (RFC 9162, 2.1.3.2), or undefined if it is no proof of that place. */
export function rootFrom(
  leaf: Uint8Array,
  place: { readonly index: number; readonly size: number },
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  // Sizes go beyond the 32 bits of the bitwise operators.
  let index = BigInt(place.index);
  let last = BigInt(place.size) - 1n;
  if (index > last) return undefined;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0n) return undefined;
    if (isOdd(index) || index === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(index) && index !== 0n) {
        index >>= 1n;
        last >>= 1n;
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    index >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? hash : undefined;
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256Bytes(NODE, left, right);
}

function isOdd(value: bigint): boolean {
  return (value & 1n) === 1n;
}
