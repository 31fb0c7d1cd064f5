// @vitest-environment jsdom

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chartElement } from "../../src/chart.js";
import { CARRIERS, SAY, tableOf } from "../table/tables.js";

/** The observer that browsers have and jsdom does not: it tells a width when the test says so. */
class Observer {
  static made: Observer[] = [];
  readonly tell: ResizeObserverCallback;

  constructor(tell: ResizeObserverCallback) {
    this.tell = tell;
    Observer.made.push(this);
  }

  readonly observe = (): void => undefined;
  readonly unobserve = (): void => undefined;
  readonly disconnect = (): void => undefined;
}

function resize(width: number): void {
  for (const observer of Observer.made) observer.tell([{ contentRect: { width } } as ResizeObserverEntry], observer);
}

beforeEach(() => {
  Observer.made = [];
  globalThis.ResizeObserver = Observer;
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, "ResizeObserver");
});

const number = (element: Element, attribute: string): number => Number(element.getAttribute(attribute));
const marks = (chart: SVGElement | null, look: string): Element[] =>
  Array.from(chart?.querySelectorAll(`.service-chart-${look}`) ?? []);

describe("a chart in the room that it has", () => {
  it("puts names above bars where there is little", async () => {
    const chart = await chartElement(CARRIERS, SAY);
    expect(marks(chart, "label").every((name) => name.getAttribute("text-anchor") === "end")).toBe(true);
    resize(300);
    expect(chart?.getAttribute("viewBox")).toMatch(/^0 0 300 [0-9]+$/);
    expect(marks(chart, "label").map((name) => number(name, "x"))).toEqual(CARRIERS.rows.map(() => 0));
    expect(marks(chart, "bar").every((bar) => number(bar, "x") + number(bar, "width") <= 300)).toBe(true);
    expect(chart?.querySelectorAll("desc")).toHaveLength(1);
  });

  it("is neither wider nor narrower than is read well", async () => {
    const chart = await chartElement(CARRIERS, SAY);
    resize(4_000);
    expect(chart?.getAttribute("viewBox")).toMatch(/^0 0 720 /);
    resize(10);
    expect(chart?.getAttribute("viewBox")).toMatch(/^0 0 240 /);
    resize(0); // as it is told when the chart is hidden
    expect(chart?.getAttribute("viewBox")).toMatch(/^0 0 240 /);
  });

  it.each([240, 320, 419, 420, 640, 720])("keeps names, headings and values inside of %d", async (width) => {
    const long = "a name of which no narrow column has room for all";
    const signed = ["-12345678901234567890.25", "98765432109876543210.75", null, "NaN"];
    for (const values of [signed, ["1", "-2"], ["0.1", "0.2"], ["-1234567.5", "-2"]]) {
      const table = tableOf(
        [
          ["a key with a long name", "string", "key"],
          ["what is measured, in thousands", "number", "metric"],
        ],
        values.map((value, index) => [index === 0 ? long : `r${String(index)}`, value]),
      );
      const chart = await chartElement(table, SAY);
      resize(width);
      for (const text of chart?.querySelectorAll("text") ?? []) {
        const [at, size] = [number(text, "x"), text.textContent.length * 7];
        const start = text.getAttribute("text-anchor") === "end" ? at - size : at;
        expect(start, text.textContent).toBeGreaterThanOrEqual(0);
        expect(start + size, text.textContent).toBeLessThanOrEqual(width);
      }
      const shown = [...marks(chart, "value"), ...marks(chart, "none")].map((text) => text.textContent);
      expect(new Set(shown)).toEqual(new Set(table.rows.map(([, value]) => value)));
    }
  });

  it("tells the whole of a name that it shortens", async () => {
    const long = "a name of which no narrow column has room for all";
    const table = tableOf(
      [
        ["name", "string", "key"],
        ["n", "number", "metric"],
      ],
      [
        [long, "1"],
        ["short", "2"],
      ],
    );
    const chart = await chartElement(table, SAY);
    const [first, second] = marks(chart, "label");
    expect(first?.textContent).toMatch(/^a name of which .*…$/);
    expect(first?.parentElement?.querySelector("title")?.textContent).toBe(long);
    expect(second?.textContent).toBe("short");
    expect(chart?.querySelectorAll("title")).toHaveLength(1);
  });

  it("keeps the exact value of a point, whatever its name", async () => {
    const series = "a line with a name that has no room beside its value";
    const rows = ["01", "02", "03"].map((month) => [`2024-${month}`, series, "12345678901234567890.25"]);
    const table = tableOf(
      [
        ["month", "date", "key"],
        ["region", "string", "key"],
        ["n", "number", "metric"],
      ],
      rows,
    );
    const chart = await chartElement(table, SAY);
    resize(240);
    chart?.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
    const [told] = marks(chart, "exact");
    expect(told?.textContent).toMatch(/^a.*… · 12,345,678,901,234,567,890\.25$/);
    expect((told?.textContent.length ?? 0) * 7).toBeLessThanOrEqual(240);
  });

  it("has fewer dates where there is little, and those that it has are of points", async () => {
    const days = Array.from({ length: 28 }, (_, index) => `2024-02-${String(index + 1).padStart(2, "0")}`);
    const table = tableOf(
      [
        ["day", "date", "key"],
        ["n", "number", "metric"],
      ],
      days.map((day, index) => [day, String(index)]),
    );
    const chart = await chartElement(table, SAY);
    const dates = (): string[] =>
      marks(chart, "tick")
        .map((tick) => tick.textContent)
        .filter((text) => text.includes("-"));
    const many = dates();
    resize(320);
    expect(dates().length).toBeLessThan(many.length);
    for (const date of [...many, ...dates()]) expect(days).toContain(date);
    expect([dates()[0], dates().at(-1)]).toEqual([days[0], days.at(-1)]);
  });
});
