/** Sums of doubles by group beside sums of ratios of integers. */

import { expect, test } from "vitest";
import { roundRatio, toRatio } from "../src/engine/exact.js";
import { computeTotals } from "../src/engine/totals.js";

const UNIT = 1n << 1_074n; // of which every double is a whole number

function draw(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

function sumExactly(values: readonly number[], count = 1n): number {
  const total = values.reduce((sum, value) => {
    const [top, bottom] = toRatio(value);
    return sum + (top * UNIT) / bottom;
  }, 0n);
  return roundRatio(total, UNIT * count);
}

const RANGES = [1, 3, 20, 60, 100, 300, 1_000]; // how many powers of two values lie apart

test.each(RANGES)("sums and means of values over %i powers of two are the nearest doubles", (range) => {
  for (const [groups, rows] of [
    [1, 400],
    [7, 5_000],
    [3_000, 4_000],
  ] as const) {
    const random = draw(range * 31 + groups);
    const values = Float64Array.from(
      { length: rows },
      () => (random() - 0.5) * 2 ** (Math.floor(random() * range) - range / 2),
    );
    const nulls = Uint8Array.from(values, () => (random() < 0.1 ? 1 : 0));
    nulls.forEach((isNull, row) => {
      if (isNull === 1) values[row] = Number.NaN;
    }); // what stands there means nothing
    const numbers = Int32Array.from(values, () => Math.floor(random() * groups));
    const parts = Array.from({ length: groups }, (): number[] => []);
    const counts = new Int32Array(groups);
    numbers.forEach((group, row) => {
      counts[group] = (counts[group] ?? 0) + 1;
      if (nulls[row] !== 1) parts[group]?.push(values[row] ?? 0);
    });
    const every = Int32Array.from(values, (_, row) => row);
    const grouped = { rows: every, numbers, keys: [], counts };
    const column = { kind: "float64", values, nulls } as const;
    for (const aggregation of ["sum", "avg"] as const) {
      const found = computeTotals({ aggregation, metric: "v" }, column, grouped).map(({ value }) => value);
      const wanted = parts.map((part) =>
        part.length === 0 ? null : sumExactly(part, aggregation === "avg" ? BigInt(part.length) : 1n),
      );
      expect(found).toEqual(wanted);
    }
  }
});

test.each([
  [[1.7e308, 1.7e308, -1.7e308], 1.7e308],
  [[5e-324, 5e-324, -1e-323], 0],
  [[1e16, 1, -1e16], 1],
  [[2 ** 1_000, 2 ** -1_000, -(2 ** 1_000)], 2 ** -1_000],
  [[-0, -0], 0],
  [[1, Infinity], Infinity],
  [[Infinity, -Infinity], Number.NaN],
  [[1, Number.NaN], Number.NaN],
])("the sum of %j is %d", (values, wanted) => {
  const rows = Int32Array.from(values, (_, row) => row);
  const grouped = { rows, numbers: new Int32Array(values.length), keys: [], counts: Int32Array.of(values.length) };
  const column = { kind: "float64", values: Float64Array.from(values), nulls: undefined } as const;
  expect(computeTotals({ aggregation: "sum", metric: "v" }, column, grouped)).toEqual([{ value: wanted, nulls: 0 }]);
});

test("rows that a condition keeps are added, and no others", () => {
  const column = { kind: "float64", values: Float64Array.of(1, 0.1, 7, 0.2, 0.3), nulls: undefined } as const;
  const grouped = {
    rows: Int32Array.of(1, 3, 4),
    numbers: Int32Array.of(0, 0, 1),
    keys: [],
    counts: Int32Array.of(2, 1),
  };
  const found = computeTotals({ aggregation: "sum", metric: "v" }, column, grouped);
  expect(found.map(({ value }) => value)).toEqual([0.30000000000000004, 0.3]);
});
