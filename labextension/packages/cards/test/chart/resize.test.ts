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
