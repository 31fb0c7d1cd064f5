// @vitest-environment jsdom

import { afterEach, describe, expect, it } from "vitest";
import type { Recorded, Table } from "../../src/blocks.js";
import type { ResultKeeper } from "../../src/environment.js";
import { tableElement } from "../../src/table.js";
import { standing, type Stood, topFor } from "../../src/table/sight.js";
import { HOSTILE, tableOf } from "./tables.js";

const page = globalThis.document;
const COLUMNS = [
  ["k", "string", "key"],
  ["n", "number", "metric"],
] as const;

const say = (text: string): string => text;

function shown(table: Table, results?: ResultKeeper, copied: string[] = []): HTMLElement {
  const copy = (text: string): Promise<void> => {
    copied.push(text);
    return Promise.resolve();
  };
  const element = tableElement(table, { say, copy, results });
  page.body.append(element);
  return element;
}

function one<Name extends keyof HTMLElementTagNameMap>(element: HTMLElement, name: Name): HTMLElementTagNameMap[Name];
function one(element: HTMLElement, selector: string): HTMLElement;
function one(element: HTMLElement, selector: string): HTMLElement {
  const found = element.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`There is no ${selector}.`);
  return found;
}

const grid = (element: HTMLElement): HTMLTableElement => one(element, "table");
const inPage = (element: HTMLElement): string[] =>
  Array.from(element.querySelectorAll("tbody tr:not([aria-hidden])"), (row) => row.textContent);
const press = (key: string, init: KeyboardEventInit = {}): void => {
  page.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }));
};

/** Rows of which each is told from every other. */
function many(count: number): Table {
  return tableOf(
    COLUMNS,
    Array.from({ length: count }, (_, at) => [`k${String(at)}`, String((at * 7919) % count)]),
  );
}

afterEach(() => {
  page.body.replaceChildren();
});

describe("what stands in the page", () => {
  const scrolled = { top: 0, height: 300, row: 30 };
  const rows = (stood: readonly Stood[]): number[] =>
    stood.flatMap((each) => ("position" in each ? each.position : []));
  const pixels = (stood: readonly Stood[], row: number): number =>
    stood.reduce((sum, each) => sum + ("blank" in each ? each.blank : row), 0);

  it("is what is in sight and some around, and blanks for the rest, of the height of all", () => {
    for (const top of [0, 29, 30, 12_345, 2_999_700]) {
      const stood = standing(100_000, { ...scrolled, top }, null);
      const first = Math.floor(top / 30);
      expect(rows(stood)).toContain(first);
      expect(rows(stood)).toContain(Math.min(first + 10, 99_999));
      expect(rows(stood).length).toBeLessThan(60);
      expect(pixels(stood, 30)).toBe(3_000_000);
    }
  });

  it("has the row with the cursor, wherever it is, in its order", () => {
    for (const cursor of [0, 3, 50_000, 99_999]) {
      const stood = standing(100_000, { ...scrolled, top: 1_200_000 }, cursor);
      expect(rows(stood)).toContain(cursor);
      expect(rows(stood)).toEqual(rows(stood).toSorted((a, b) => a - b));
      expect(pixels(stood, 30)).toBe(3_000_000);
    }
  });

  it("reaches the last of more rows than a browser draws the height of", () => {
    const count = 5_000_000;
    const bottom = { ...scrolled, top: 15_000_000 - 300 };
    expect(rows(standing(count, bottom, null)).at(-1)).toBe(count - 1);
    for (const position of [0, 1, 2_500_000, count - 1]) {
      const top = topFor(position, count, scrolled);
      expect(rows(standing(count, { ...scrolled, top }, null))).toContain(position);
    }
  });

  it("is nothing of no rows", () => {
    expect(standing(0, scrolled, null)).toEqual([]);
  });
});

describe("a table of 100,000 rows", () => {
  it("is in the page as far as it is in sight, and says how many rows there are", () => {
    const element = shown(many(100_000));
    expect(inPage(element).length).toBeLessThan(100);
    expect(grid(element).getAttribute("aria-rowcount")).toBe("100001");
    expect(one(element, "tbody tr").getAttribute("aria-rowindex")).toBe("2");
  });

  it("is sorted and filtered over all of them", () => {
    const element = shown(many(100_000));
    const [, head] = element.querySelectorAll<HTMLElement>("thead button");
    head?.click();
    const exact = many(100_000).exact.map(([key, number]) => ({ key, number: Number(number) }));
    const sorted = exact.toSorted((a, b) => a.number - b.number);
    expect(inPage(element)[0]).toContain(sorted[0]?.key);
    head?.click();
    expect(inPage(element)[0]).toContain(sorted.at(-1)?.key);
    const input = one(element, "input");
    input.value = "k99999";
    input.dispatchEvent(new Event("input"));
    expect(inPage(element)).toHaveLength(1);
    expect(grid(element).hasAttribute("aria-rowcount")).toBe(false);
    expect(one(element, "[role=status]").textContent).toBe("1 of 100,000 rows");
  });

  it("is walked through by keyboard to rows that are not in the page, and back", () => {
    const element = shown(many(100_000));
    one(element, "thead button").focus();
    press("End", { ctrlKey: true });
    expect(page.activeElement?.closest("tr")?.getAttribute("aria-rowindex")).toBe("100001");
    press("ArrowUp");
    press("Home");
    expect(page.activeElement?.textContent).toBe("k99998");
    one(element, ".service-scroll").scrollTop = 0;
    one(element, ".service-scroll").dispatchEvent(new Event("scroll"));
    expect(page.activeElement?.textContent).toBe("k99998"); // scrolled out of sight, it keeps the focus
    expect(inPage(element)[0]).toContain("k0");
    press("PageUp");
    expect(page.activeElement?.textContent).toBe("k99988");
    expect(element.querySelectorAll("table [tabindex='0']")).toHaveLength(1);
  });

  it("copies all rows that are selected, those that are not in the page too", () => {
    const element = shown(many(1_000));
    globalThis.getSelection()?.selectAllChildren(grid(element));
    const data = new Map<string, string>();
    const event = Object.assign(new Event("copy", { bubbles: true, cancelable: true }), {
      clipboardData: { setData: (kind: string, text: string) => data.set(kind, text) },
    });
    one(element, "tbody td").dispatchEvent(event);
    const lines = (data.get("text/plain") ?? "").split("\n");
    expect(lines).toEqual(["k\tn", ...many(1_000).exact.map((row) => row.join("\t"))]);
    globalThis.getSelection()?.removeAllRanges();
  });

  it("shows hostile texts as texts, and a huge one as far as it is read", () => {
    const texts = [...HOSTILE, "x".repeat(1_000_000), "\u202e".repeat(5_000)];
    const exact = Array.from({ length: 300 }, (_, at) => [texts[at % texts.length] ?? "", String(at)]);
    const element = shown(tableOf(COLUMNS, exact));
    one(element, "thead button").focus();
    for (let step = 0; step < 30; step += 1) press("PageDown");
    expect(element.querySelectorAll("script, img, svg, style, iframe, a, b")).toHaveLength(0);
    for (const cell of element.querySelectorAll("tbody th")) {
      expect(cell.textContent.length).toBeLessThan(12_100);
      expect(cell.textContent).not.toMatch(/[\u202e\n\t\0]/);
    }
  });
});

/** A card that shows three rows of many, and the text of them all. */
function partOf(count: number, kept: number): { table: Table; text: string; recorded: Recorded } {
  const whole = many(count);
  const text = JSON.stringify(whole.exact.map(([k, n]) => ({ k, n })));
  const recorded: Recorded = {
    name: "result",
    hash: "ab".repeat(32),
    after: "cd".repeat(32),
    text: undefined,
    id: () => "query_0000000000000000",
    read: (given) => {
      const rows = JSON.parse(given) as Record<string, string>[];
      const exact = (row: number, column: number): string | null => rows[row]?.[column === 0 ? "k" : "n"] ?? null;
      return { size: rows.length, exact, shown: (row, column) => exact(row, column) ?? "—" };
    },
  };
  const table = {
    ...whole,
    rows: whole.rows.slice(0, kept),
    exact: whole.exact.slice(0, kept),
    total: count,
    recorded,
  };
  return { table, text, recorded };
}

const keeperOf = (text: () => Promise<string>): ResultKeeper => ({
  text,
  parquet: () => Promise.reject(new Error("none")),
});
const load = (element: HTMLElement): HTMLElement => one(element, ".service-load");
const said = (element: HTMLElement): string => one(element, ".service-exact").textContent;
/** Wait for what a press began, whose module is loaded when it is first wanted. */
const settled = async (): Promise<void> => {
  await import("../../src/table/all-rows.js");
  await new Promise((done) => setTimeout(done));
};

describe("a table of which the card holds a part", () => {
  it("says how many rows are kept, and has all of them once they were loaded", async () => {
    const { table, text } = partOf(5_000, 20);
    const element = shown(
      table,
      keeperOf(() => Promise.resolve(text)),
    );
    expect(one(element, ".service-caption").textContent).toBe("20 of 5,000 rows kept");
    one(element, "thead th:last-child button").click();
    load(element).click();
    await settled();
    expect(one(element, ".service-caption").textContent).toBe("5,000 rows");
    expect(grid(element).getAttribute("aria-rowcount")).toBe("5001");
    expect(inPage(element)[0]).toBe("k00"); // sorted as before, over all of them
    expect(element.querySelector(".service-load")).toBeNull();
    expect(said(element)).toBe("5,000 rows loaded; they have the hash of this card");
  });

  it("shows no row of a text that was refused", async () => {
    const { table } = partOf(5_000, 20);
    const refused = (): Promise<string> => Promise.reject(new Error("Refused: another hash."));
    const element = shown(table, keeperOf(refused));
    load(element).click();
    await settled();
    expect(said(element)).toBe("Refused: another hash.");
    expect(inPage(element)).toHaveLength(20);
    expect(load(element).textContent).toBe("Load all");
  });

  it("refuses a text of another number of rows than the card says", async () => {
    const { table } = partOf(5_000, 20);
    const { text } = partOf(4_999, 20);
    const element = shown(
      table,
      keeperOf(() => Promise.resolve(text)),
    );
    load(element).click();
    await settled();
    expect(said(element)).toBe("Refused: the card says 5000 rows, and its result has 4999.");
    expect(inPage(element)).toHaveLength(20);
  });

  it("says what to do where there is no kernel", async () => {
    const element = shown(partOf(5_000, 20).table);
    load(element).click();
    await settled();
    expect(said(element)).toContain("%load_ext service_nb");
  });

  it("is broken off by a second press", async () => {
    const { table } = partOf(5_000, 20);
    const element = shown(table, {
      ...keeperOf(() => Promise.reject(new Error())),
      text: (_id, _wanted, { signal, progress }) =>
        new Promise((_, reject) => {
          progress(400_000, 12_300_000);
          signal.addEventListener("abort", () => {
            reject(new Error("aborted"));
          });
        }),
    });
    load(element).click();
    await expect.poll(() => said(element)).toBe("Loading: 400 kB of 12.3 MB");
    expect(load(element).textContent).toBe("Cancel");
    load(element).click();
    await settled();
    expect([load(element).textContent, said(element)]).toEqual(["Load all", "Cancelled: nothing was loaded."]);
  });

  it("shows what the card shows where its text begins with other rows", () => {
    const { table, text, recorded } = partOf(500, 20);
    const held = { ...table, recorded: { ...recorded, text } };
    expect(one(shown(held), ".service-caption").textContent).toBe("500 rows");
    const altered = { ...held, exact: [["forged", "1"], ...held.exact.slice(1)] };
    expect(one(shown(altered), ".service-caption").textContent).toBe("20 of 500 rows kept");
  });
});
