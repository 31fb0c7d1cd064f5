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

// What two parts hold ends where 2**13 to 2**9 rows are added before sums are moved: at 81 to 89 powers of two.
test.each([0, 20, 53, 80, 81, 82, 83, 84, 85, 87, 88, 89, 90, 91, 100, 121, 122, 140])(
  "values as large as can be are added exactly with a unit %i powers of two below them",
  (extent) => {
    const [least, largest] = [2 ** -extent, 1 - 2 ** -Math.min(extent, 53)];
    const bits = Math.min(Math.max(Math.floor((107 - extent) / 2), 9), 13);
    const unit = 2 ** (bits - 53); // of the first parts
    const random = draw(extent);
    // Rests of nearly half a unit, and of more in parts that are cut one place higher; then values of one sign.
    const runs = [unit / 2 - least, unit - 3 * least].map((value) =>
      value > 0 ? new Array<number>(9_000).fill(value) : [],
    );
    const odd = Array.from(
      { length: unit / 2 >= least ? 9_000 : 0 },
      () => 1 - (Math.floor(random() * 500) + 0.5) * unit,
    );
    // What is taken away again leaves so little that each unit shows.
    const alike = [...runs, odd].flatMap((run) => [...run, ...run.map((value) => -value).sort()]);
    const halves = [unit / 2, 1.5 * unit].filter((half) => half >= 2 * least);
    const mixed = [largest, -largest, ...halves, least, -least];
    const drawn = Array.from({ length: 9_000 }, () => mixed[Math.floor(random() * mixed.length)] ?? 0);
    const values = Float64Array.of(largest, -largest, ...alike, ...drawn);
    for (const [groups, end] of [
      [1, alike.length + 2],
      [40, values.length],
    ] as const) {
      const rows = Int32Array.from({ length: end }, (_, row) => row);
      const numbers = rows.map((row) => row % groups);
      const totals = Array.from({ length: groups }, () => 0n);
      const counts = new Int32Array(groups);
      for (const row of rows) {
        const group = row % groups;
        counts[group] = (counts[group] ?? 0) + 1;
        totals[group] = (totals[group] ?? 0n) + BigInt((values[row] ?? 0) / least);
      }
      const column = { kind: "float64", values, nulls: undefined } as const;
      const found = computeTotals({ aggregation: "sum", metric: "v" }, column, { rows, numbers, keys: [], counts });
      expect(found.map(({ value }) => value)).toEqual(totals.map((total) => roundRatio(total, 1n << BigInt(extent))));
    }
  },
);

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
