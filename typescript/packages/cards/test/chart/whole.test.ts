// @vitest-environment jsdom
import { canonicalText } from "@service-nb/records";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CardView } from "../../src/index.js";

const page = globalThis.document;
const SHOWN = 20;
const views: CardView[] = [];

/** A card of daily sums whose view shows the first twenty, ordered by the sum. */
function daily(days: number, keeps: boolean): Record<string, unknown> {
  const result = Array.from({ length: days }, (_, at) => {
    const day = new Date(Date.UTC(2013, 0, 1 + ((at * 97) % days))).toISOString().slice(0, 10);
    return { count: 1, day, delay: days - at };
  });
  const column = (name: string, type: string, role: string): unknown => ({ name, type, physical: type, role });
  const hash = "0".repeat(64);
  const digests = ["plan_hash", "result_hash", "schema_revision", "provenance_hash", "view_hash", "rows_hash"];
  return {
    kind: "query",
    version: 1,
    canonical: keeps ? { result: canonicalText(result) } : {},
    digests: Object.fromEntries(digests.map((name) => [name, hash])),
    receipt: null,
    view: {
      status: "ok",
      columns: [column("day", "date", "key"), column("delay", "number", "metric"), column("count", "number", "count")],
      rows: result.slice(0, SHOWN).map(({ day, delay, count }) => [day, String(delay), String(count)]),
      row_count: days,
    },
  };
}

async function chartOf(card: unknown): Promise<SVGElement> {
  const host = page.createElement("div");
  page.body.append(host);
  const view = new CardView(host, { say: (text) => text, copy: () => Promise.resolve() });
  views.push(view);
  view.show(card);
  host.querySelector<HTMLElement>(".service-chart-toggle")?.click();
  await vi.waitFor(() => {
    expect(host.querySelector(".service-chart svg")).not.toBeNull();
  });
  const [drawn] = host.querySelectorAll<SVGElement>(".service-chart svg");
  if (drawn === undefined) throw new Error("nothing was drawn");
  return drawn;
}

const words = (chart: SVGElement): string => chart.querySelector("desc")?.textContent ?? "";

afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
  page.body.replaceChildren();
});

describe("the chart of a card that shows 20 of 232 rows", () => {
  it("draws all of them from the recorded result, in the order of the axis", async () => {
    const chart = await chartOf(daily(232, true));
    expect(words(chart)).toContain("232 values; from 1 (");
    expect(chart.querySelectorAll(".service-chart-line")).toHaveLength(1);
    expect(chart.querySelector(".service-chart-note")).toBeNull();
    const path = chart.querySelector(".service-chart-line")?.getAttribute("d") ?? "";
    const places = [...path.matchAll(/[ML]?(-?[0-9.]+)[ ,](-?[0-9.]+)/g)].map(([, x]) => Number(x));
    expect(places).toHaveLength(232);
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
  });

  it("draws no line through those that it has, where the result is not kept, and says how many they are", async () => {
    const chart = await chartOf(daily(232, false));
    expect(chart.querySelectorAll(".service-chart-line")).toHaveLength(0);
    expect(chart.querySelector(".service-chart-note")?.textContent).toBe("20 of 232 rows");
  });
});

describe("the chart of a profile", () => {
  it("is not offered: its counts belong to columns that have nothing in common", () => {
    const card = daily(20, true);
    const counts = ["rows", "nulls", "distinct"].map((name) => ({
      name,
      type: "number",
      physical: "int64",
      role: "count",
    }));
    const columns = [{ name: "column", type: "string", physical: "string", role: "key" }, ...counts];
    const rows = [
      ["a", "9", "0", "3"],
      ["b", "9", "2", "7"],
    ];
    const view = new CardView(page.body, { say: (text) => text, copy: () => Promise.resolve() });
    views.push(view);
    view.show({ ...card, view: { ...(card["view"] as object), columns, rows, row_count: 2 } });
    expect(page.querySelectorAll(".service-data, table").length).toBeGreaterThan(0);
    expect(page.querySelector(".service-chart-toggle")).toBeNull();
  });
});
