// Prints the checksums of numbers.json from an ECMAScript engine, the authority on its own number text:
//     node tests/vectors/canonical/numbers.mjs
//
// A chain of SHA-256 digests, starting from 32 zero bytes, gives four big-endian patterns each. Every second pattern
// gets an exponent from 2**-40 to 2**79, where ECMAScript changes between digits and exponents; NaN and infinities
// are left out. A line is the pattern's 16 hex digits, a comma, the number's text and a line feed.
import { createHash } from "node:crypto";

const lengths = [1_000, 10_000, 100_000, 1_000_000];
const checksum = createHash("sha256");
const view = new DataView(new ArrayBuffer(8));
let chain = Buffer.alloc(32);
let lines = 0;

while (lines < lengths.at(-1)) {
  chain = createHash("sha256").update(chain).digest();
  for (let index = 0; index < 4 && lines < lengths.at(-1); index++) {
    let pattern = chain.readBigUInt64BE(8 * index);
    if (index % 2 === 1) {
      const exponent = 983n + (((pattern >> 52n) & 0x7ffn) % 120n);
      pattern = (pattern & 0x800fffffffffffffn) | (exponent << 52n);
    }
    view.setBigUint64(0, pattern);
    const value = view.getFloat64(0);
    if (!Number.isFinite(value)) continue;
    checksum.update(`${pattern.toString(16).padStart(16, "0")},${String(value)}\n`);
    lines++;
    if (lengths.includes(lines)) console.log(lines, checksum.copy().digest("hex"));
  }
}
