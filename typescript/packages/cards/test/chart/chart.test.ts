// @vitest-environment jsdom

import { describe, expect, it } from "vitest";
import { type Table } from "../../src/blocks.js";
import { chartElement } from "../../src/chart.js";
import { decimal } from "../../src/chart/scale.js";
import { placesOf } from "../../src/chart/time.js";
import { CARRIERS, HOSTILE, SAY, tableOf } from "../table/tables.js";

const KEY = ["region", "string", "key"] as const;
const METRIC = ["revenue, EUR", "number", "metric"] as const;
const bars = (values: readonly (string | null)[]): Table =>
  tableOf(
    [KEY, METRIC],
    values.map((value, index) => [`r${String(index)}`, value]),
  );
const months = (values: readonly (string | null)[]): Table =>
  tableOf(
    [["month", "date", "key"], METRIC],
    values.map((value, index) => [`2024-${String(index + 1).padStart(2, "0")}`, value]),
  );

async function drawn(table: Table): Promise<SVGElement> {
  const chart = await chartElement(table, SAY);
  if (chart === null) throw new Error("There is no chart.");
  return chart;
}

const texts = (chart: SVGElement, look: string): string[] =>
  Array.from(chart.querySelectorAll(`.service-chart-${look}`), (found) => found.textContent);
const sizes = (chart: SVGElement, name: string): number[] =>
  Array.from(chart.querySelectorAll(".service-chart-bar"), (bar) => Number(bar.getAttribute(name)));
const words = (chart: SVGElement): string => chart.querySelector("desc")?.textContent ?? "";

describe("bars", () => {
  it("stand in the order of the table, with names and exact values", async () => {
    const chart = await drawn(CARRIERS);
    expect(texts(chart, "label")).toEqual(CARRIERS.rows.map(([first]) => first));
    expect(texts(chart, "value")).toEqual(["205,589", "511,194.5", "-0.0", "-7,041", "1e300"]);
    expect(texts(chart, "none")).toEqual(["—", "NaN"]);
    expect(texts(chart, "metric")).toEqual(["delay"]);
  });

  it("are as long as their values are large, from zero", async () => {
    const chart = await drawn(bars(["10", "5", "2.5", "0"]));
    const [ten = 0, five = 0, half = 0, none] = sizes(chart, "width");
    expect(five / ten).toBeCloseTo(0.5, 2);
    expect(half / ten).toBeCloseTo(0.25, 2);
    expect(none).toBe(0);
    expect(new Set(sizes(chart, "x")).size).toBe(1);
  });

  it("go to the left of zero where values are negative", async () => {
    const chart = await drawn(bars(["-4", "4", "-2"]));
    const zero = Number(chart.querySelector(".service-chart-zero")?.getAttribute("x1"));
    const [x, width] = [sizes(chart, "x"), sizes(chart, "width")];
    expect((x[0] ?? 0) + (width[0] ?? 0)).toBeCloseTo(zero, 0);
    expect(x[1]).toBeCloseTo(zero, 0);
    expect(width[0]).toBeCloseTo(width[1] ?? 0, 0);
    expect(chart.querySelector(".service-chart-value")?.getAttribute("text-anchor")).toBe("end");
  });

  it("keep numbers apart from each other that no float holds", async () => {
    const [large = 0, half = 0, tiny = 0] = sizes(await drawn(bars(["2e400", "1e400", "1e-400"])), "width");
    expect(half / large).toBeCloseTo(0.5, 2);
    expect(tiny).toBeCloseTo(0.8, 5);
  });

  it("are drawn where all values are equal, and where all are zero", async () => {
    expect(new Set(sizes(await drawn(bars(["7", "7.0"])), "width")).size).toBe(1);
    expect(sizes(await drawn(bars(["0", "-0.0"])), "width")).toEqual([0, 0]);
  });

  it("are thirty at most, and say how many rows are left out", async () => {
    const chart = await drawn(bars(Array.from({ length: 34 }, (_, index) => String(index))));
    expect(sizes(chart, "width")).toHaveLength(30);
    expect(texts(chart, "note")).toEqual(["30 of 34 rows"]);
    expect(words(chart)).toContain("30 of 34 rows");
  });

  it("of two keys stand in groups", async () => {
    const rows = ["A", "B"].flatMap((outer) => ["x", "y"].map((inner) => [outer, inner, "1"]));
    const chart = await drawn(tableOf([["outer", "string", "key"], ["inner", "string", "key"], METRIC], rows));
    expect(texts(chart, "group")).toEqual(["A", "B"]);
    expect(texts(chart, "label")).toEqual(["x", "y", "x", "y"]);
  });
});

describe("lines", () => {
  it("go over dates, with gaps where there is no value", async () => {
    const chart = await drawn(months(["1", "2", null, "4", "5", null, "7"]));
    expect(chart.querySelectorAll(".service-chart-line")).toHaveLength(2);
    expect(chart.querySelectorAll(".service-chart-dot")).toHaveLength(5);
    expect(words(chart)).toContain("2 without a value");
  });

  it("place dates by time, in order of time", async () => {
    const rows = [
      ["2024-03-01", "3"],
      ["2024-01-01", "1"],
      ["2024-01-02", "2"],
    ];
    const chart = await drawn(tableOf([["day", "date", "key"], METRIC], rows));
    const [first = 0, second = 0, third = 0] = Array.from(chart.querySelectorAll(".service-chart-dot"), (dot) =>
      Number(dot.getAttribute("cx")),
    );
    expect((third - first) / (second - first)).toBeCloseTo(60, 0);
  });

  it("have exact numbers at their rules", async () => {
    expect(texts(await drawn(months(["0.1", "0.2", "0.3"])), "tick").slice(0, 4)).toEqual(["0", "0.1", "0.2", "0.3"]);
    expect(texts(await drawn(months(["1e30", "2e30", "3e30"])), "tick")).toContain("1e30");
    expect(texts(await drawn(months(["-1000", "0", "1000"])), "tick")).toContain("-1,000");
  });

  it("of two keys have a name each, and are told apart without colour", async () => {
    const rows = ["N", "S"].flatMap((region) => ["01", "02", "03"].map((month) => [`2024-${month}`, region, month]));
    const chart = await drawn(tableOf([["month", "date", "key"], KEY, METRIC], rows));
    expect(texts(chart, "name")).toEqual(["N", "S"]);
    expect(chart.querySelectorAll("g.service-series-1, g.service-series-2")).toHaveLength(2);
  });

  it("are walked over by keyboard, point by point, with exact values", async () => {
    const chart = await drawn(months(["1234567.25", "2", "3"]));
    const press = (key: string): boolean =>
      chart.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    expect(chart.getAttribute("tabindex")).toBe("0");
    expect(press("ArrowRight")).toBe(false);
    expect(texts(chart, "exact")).toEqual(["2024-01 · 1,234,567.25"]);
    expect(chart.getAttribute("aria-label")).toMatch(/^2024-01 · 1,234,567.25\. Line chart/);
    press("End");
    expect(texts(chart, "exact")).toEqual(["2024-03 · 3"]);
    expect(press("Tab")).toBe(true);
    press("Escape");
    expect(texts(chart, "exact")).toEqual([]);
    expect(chart.getAttribute("aria-label")).toBe("Line chart: revenue, EUR by month");
  });
});

describe("a part of an answer", () => {
  it("is never joined to a line, and is headed by how much of it there is", async () => {
    const part = { ...months(["1", "2", "3", "4"]), total: 232 };
    const chart = await drawn(part);
    expect(chart.querySelectorAll(".service-chart-line")).toHaveLength(0);
    expect(sizes(chart, "width")).toHaveLength(4);
    expect(texts(chart, "note")).toEqual(["4 of 232 rows"]);
    expect(words(chart)).toMatch(/^4 of 232 rows; 4 values; .*\)\.$/);
  });

  it("of two keys is no line either", async () => {
    const rows = ["N", "S"].flatMap((region) => ["01", "02", "03"].map((month) => [`2024-${month}`, region, month]));
    const part = { ...tableOf([["month", "date", "key"], KEY, METRIC], rows), total: 100 };
    const chart = await drawn(part);
    expect(chart.querySelectorAll(".service-chart-line")).toHaveLength(0);
    expect(texts(chart, "note")).toEqual(["6 of 100 rows"]);
  });

  it("is what has a place on a line, where some dates are null", async () => {
    const table = months(["1", "2", "3", "4"]);
    const exact = table.exact.map((row, at) => (at === 3 ? [null, row[1] ?? null] : row));
    const chart = await drawn({ ...table, exact });
    expect(chart.querySelectorAll(".service-chart-line")).toHaveLength(1);
    expect(texts(chart, "note")).toEqual(["3 of 4 rows"]);
  });
});

describe("a chart", () => {
  it("has a name, and says in words what is lowest, highest and missing", async () => {
    const chart = await drawn(bars(["30", "1000.5", null, "-2"]));
    expect([chart.getAttribute("role"), chart.getAttribute("aria-label")]).toEqual([
      "img",
      "Bar chart: revenue, EUR by region",
    ]);
    expect(words(chart)).toBe("3 values; from -2 (r3) to 1,000.5 (r1); 1 without a value. The card has every value.");
  });

  it.each<[string, Table]>([
    ["there is no key", tableOf([METRIC], [["1"], ["2"]])],
    [
      "there is no number",
      tableOf(
        [KEY, ["name", "string", "metric"]],
        [
          ["a", "b"],
          ["c", "d"],
        ],
      ),
    ],
    ["there is one row", bars(["1"])],
    ["no value is finite", bars([null, "NaN", "Infinity"])],
    ["values are too long to be labels", bars(["9".repeat(40), "1"])],
    [
      "there are three keys",
      tableOf(
        [KEY, KEY, KEY, METRIC],
        [
          ["a", "b", "c", "1"],
          ["a", "b", "d", "2"],
        ],
      ),
    ],
    [
      "groups would be too many",
      tableOf(
        [KEY, ["b", "string", "key"], METRIC],
        Array.from({ length: 31 }, (_, index) => ["g", String(index), "1"]),
      ),
    ],
    [
      "no two rows share a group",
      tableOf(
        [KEY, ["b", "string", "key"], METRIC],
        [
          ["a", "x", "1"],
          ["b", "y", "2"],
        ],
      ),
    ],
    [
      "lines would be too many",
      tableOf(
        [["day", "date", "key"], KEY, METRIC],
        Array.from({ length: 18 }, (_, index) => [
          `2024-01-0${String(1 + (index % 3))}`,
          `s${String(Math.floor(index / 3))}`,
          "1",
        ]),
      ),
    ],
  ])("is none where %s", async (_, table) => {
    expect(await chartElement(table, SAY)).toBeNull();
  });

  it("obeys no text, whatever it is", async () => {
    for (const text of HOSTILE) {
      const chart = await drawn(
        tableOf(
          [
            [text, "string", "key"],
            [text, "number", "metric"],
          ],
          [
            [text, "1"],
            ["b", "2"],
          ],
        ),
      );
      expect(
        Array.from(chart.querySelectorAll("*"), (each) => each.tagName).filter(
          (name) => !/^(desc|title|g|text|rect|line|path|circle)$/.test(name),
        ),
      ).toEqual([]);
      for (const each of chart.querySelectorAll("*")) {
        for (const { name, value } of each.attributes) {
          expect(name).toMatch(/^(class|x|y|x1|x2|y1|y2|width|height|text-anchor)$/);
          expect(value).toMatch(/^(-?[0-9.]+|end|middle|service-[a-z0-9 -]+)$/);
        }
      }
    }
  });
});

describe("places on a line", () => {
  it.each<[string[]]>([
    [["2024-01", "2024-02"]],
    [["2024-Q1", "2024-Q4", "2025-Q1"]],
    [["2024-W01", "2024-W02"]],
    [["2024-01-31", "2024-02-01"]],
    [["2024-01-01T00:00:00", "2024-01-01T00:00:01"]],
    [["2020", "2021", "2023"]],
  ])("are in the order of periods: %j", (keys) => {
    const places = placesOf(keys, "string") ?? [];
    expect(places).toHaveLength(keys.length);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(new Set(places).size).toBe(places.length);
  });

  it.each<[string[]]>([[["a", "b"]], [["2024-01", "north"]], [["1", "500", "900"]], [["1.5", "2"]], [["2024-Q5"]]])(
    "are none for names: %j",
    (keys) => {
      expect(placesOf(keys, "string")).toBeNull();
    },
  );
});

describe("numbers as keys", () => {
  it("are places where they are counted, and names where they have holes", () => {
    expect(placesOf(["1", "2", "4"], "number")).toEqual([1, 2, 4]);
    const [early = 0, late = 0] = placesOf(["0050-03-01", "1950-03-01"], "date") ?? [];
    expect(Math.round((late - early) / 31_556_952_000)).toBe(1_900);
    expect(placesOf(["1", "500", "900"], "number")).toBeNull();
    expect(placesOf(["1", "2", "4"], "string")).toBeNull();
  });
});

describe("the number at a rule", () => {
  it.each([
    [5, -2n, "0.05"],
    [-15, -1n, "-1.5"],
    [20, 5n, "2,000,000"],
    [3, 400n, "3e400"],
    [-3, -400n, "-3e-400"],
    [0, 99n, "0"],
    [12, 0n, "12"],
  ])("%d times ten to the %d is %s", (count, power, text) => {
    expect(decimal(count, power)).toBe(text);
  });
});
