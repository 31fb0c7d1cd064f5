/** Exact arithmetic on ratios of integers, rounded once to the nearest double. */

const HIDDEN = 2 ** 20; // the bit of a normal double that is not written, in the upper half
const MANTISSA_BITS = 53;
const LEAST_POWER = -1_074; // of the last bit of a double
const FLUSHED = 2 ** 20; // sums of lower halves stay below 2**53 for so many values
const ROOT_BITS = 64;

/** The sum of finite doubles `top * 2**power`, exactly. */
export interface BinarySum {
  readonly top: bigint;
  readonly power: number;
}

/** How many bits a number that is not negative has. */
export function countBits(value: bigint): number {
  const digits = value.toString(16);
  return value === 0n ? 0 : (digits.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(digits.charAt(0), 16)));
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The double nearest to a ratio of integers, ties to even, never -0; beyond the range an infinity. */
export function roundRatio(numerator: bigint, denominator = 1n): number {
  if (numerator === 0n) return 0;
  const isNegative = numerator < 0n !== denominator < 0n;
  const [top, bottom] = [absolute(numerator), absolute(denominator)];
  const power = Math.max(countBits(top) - countBits(bottom) - MANTISSA_BITS - 1, LEAST_POWER);
  const [scaledTop, scaledBottom] = power < 0 ? [top << BigInt(-power), bottom] : [top, bottom << BigInt(power)];
  const quotient = scaledTop / scaledBottom;
  const isInexact = quotient * scaledBottom !== scaledTop;
  const magnitude = roundBits(quotient, power, isInexact, () => {
    const twice = 2n * (scaledTop - quotient * scaledBottom);
    return twice > scaledBottom ? 1 : twice < scaledBottom ? -1 : 0;
  });
  return isNegative ? -magnitude || 0 : magnitude;
}

/** Rounds `quotient * 2**power`, of which a part below may be missing, to 53 bits. */
function roundBits(quotient: bigint, power: number, isInexact: boolean, compareRest: () => number): number {
  const dropped = Math.max(countBits(quotient) - MANTISSA_BITS, 0);
  let kept = quotient >> BigInt(dropped);
  const low = quotient - (kept << BigInt(dropped));
  const half = dropped === 0 ? 0n : 1n << BigInt(dropped - 1);
  const side = dropped === 0 ? compareRest() : low > half ? 1 : low < half ? -1 : isInexact ? 1 : 0;
  if (side > 0 || (side === 0 && (kept & 1n) === 1n)) kept += 1n;
  return scale(Number(kept), power + dropped);
}

function scale(value: number, power: number): number {
  return power > 1_000 ? value * 2 ** 1_000 * 2 ** (power - 1_000) : value * 2 ** power;
}

/** The double nearest to the square root of a ratio of integers that is not negative, ties to even. */
export function roundRoot(numerator: bigint, denominator: bigint): number {
  const shift = ROOT_BITS - Math.floor((countBits(numerator) - countBits(denominator)) / 2);
  const top = shift >= 0 ? numerator << BigInt(2 * shift) : numerator;
  const bottom = shift >= 0 ? denominator : denominator << BigInt(-2 * shift);
  const root = findRoot(top / bottom);
  // What is behind the point only matters for not being zero, and a half stands for it.
  const twice = 2n * root + (root * root * bottom === top ? 0n : 1n);
  return shift >= 0 ? roundRatio(twice, 2n << BigInt(shift)) : roundRatio(twice << BigInt(-shift), 2n);
}

/** The largest whole number whose square is not above a number. */
function findRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(countBits(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** A double as `top * 2**power`. */
export function splitDouble(value: number): BinarySum {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  return { top: bits >> 63n === 0n ? mantissa : -mantissa, power: Math.max(exponent, 1) - 1_075 };
}

/** A double as a ratio of integers. */
export function toRatio(value: number): readonly [bigint, bigint] {
  return powerToRatio(splitDouble(value));
}

/** Adds numbers `top * 2**power` exactly. */
export function joinSums(parts: readonly BinarySum[]): BinarySum {
  const power = parts.reduce((least, part) => (part.top === 0n ? least : Math.min(least, part.power)), 1_024);
  return { top: parts.reduce((sum, part) => sum + (part.top === 0n ? 0n : part.top << BigInt(part.power - power)), 0n), power }; // prettier-ignore
}

/** A number `top * 2**power` as a ratio of integers. */
export function powerToRatio({ top, power }: BinarySum): readonly [bigint, bigint] {
  return power >= 0 ? [top << BigInt(power), 1n] : [top, 1n << BigInt(-power)];
}

/** Adds doubles exactly: halves of their mantissas in one sum for each exponent, joined at the end. */
export class DoubleSum {
  readonly #double = new Float64Array(1);
  readonly #words = new Uint32Array(this.#double.buffer);
  readonly #isLittle = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
  readonly #upper = new Float64Array(2_048);
  readonly #lower = new Float64Array(2_048);
  readonly #isUsed = new Uint8Array(2_048);
  #used: number[] = [];
  #top = 0n;
  #power: number | undefined;

  /** Adds doubles; those that are not finite are left out, and `false` is returned where there are any. */
  addAll(values: Float64Array): boolean {
    const [upper, lower, isUsed, double, words] = [this.#upper, this.#lower, this.#isUsed, this.#double, this.#words];
    const [highAt, lowAt] = this.#isLittle ? [1, 0] : [0, 1];
    let isFinite = true;
    for (let start = 0; start < values.length; start += FLUSHED) {
      const end = Math.min(start + FLUSHED, values.length);
      for (let at = start; at < end; at += 1) {
        double[0] = values[at] ?? 0;
        const high = words[highAt] ?? 0;
        const written = (high >>> 20) & 0x7ff;
        if (written === 0x7ff) {
          isFinite = false;
          continue;
        }
        const bin = written === 0 ? 1 : written;
        if (isUsed[bin] === 0) {
          isUsed[bin] = 1;
          this.#used.push(bin);
        }
        const sign = high >>> 31 === 1 ? -1 : 1;
        const mantissa = (high & 0xfffff) + (written === 0 ? 0 : HIDDEN);
        upper[bin] = (upper[bin] ?? 0) + sign * mantissa;
        lower[bin] = (lower[bin] ?? 0) + sign * (words[lowAt] ?? 0);
      }
      this.#flush();
    }
    return isFinite;
  }

  /** Returns the sum, and begins anew. */
  finish(): BinarySum {
    const sum = { top: this.#top, power: this.#power ?? 0 };
    [this.#top, this.#power] = [0n, undefined];
    return sum;
  }

  #flush(): void {
    for (const at of this.#used) {
      const part = (BigInt(this.#upper[at] ?? 0) << 32n) + BigInt(this.#lower[at] ?? 0);
      [this.#upper[at], this.#lower[at], this.#isUsed[at]] = [0, 0, 0];
      if (part !== 0n) this.#join(part, at - 1_075);
    }
    this.#used = [];
  }

  #join(part: bigint, power: number): void {
    const least = Math.min(this.#power ?? power, power);
    this.#top = (this.#top << BigInt((this.#power ?? power) - least)) + (part << BigInt(power - least));
    this.#power = least;
  }
}
