// @vitest-environment jsdom

import { afterEach, describe, expect, it } from "vitest";
import { type Table } from "../../src/blocks.js";
import { ORDER_EVENT, type OrderDetail, tableElement } from "../../src/table.js";
import { visible } from "../../src/visible.js";
import { CARRIERS, HOSTILE, tableOf } from "./tables.js";

const copied: string[] = [];
const environment = {
  say: (text: string): string => text,
  copy: (text: string): Promise<void> => {
    copied.push(text);
    return Promise.resolve();
  },
};

function shown(table: Table): HTMLElement {
  const element = tableElement(table, environment);
  globalThis.document.body.append(element);
  return element;
}

function one<Name extends keyof HTMLElementTagNameMap>(element: HTMLElement, name: Name): HTMLElementTagNameMap[Name];
function one(element: HTMLElement, selector: string): HTMLElement;
function one(element: HTMLElement, selector: string): HTMLElement {
  const found = element.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`There is no ${selector}.`);
  return found;
}

const texts = (element: HTMLElement, selector: string): string[] =>
  Array.from(element.querySelectorAll(selector), (found) => found.textContent);
const carriers = (element: HTMLElement): string[] => texts(element, "tbody tr:not([hidden]) th");
const heads = (element: HTMLElement): HTMLButtonElement[] => Array.from(element.querySelectorAll("thead button"));
const active = (): string => globalThis.document.activeElement?.textContent ?? "";

function press(key: string, init: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
  globalThis.document.activeElement?.dispatchEvent(event);
  return event;
}

function type(element: HTMLElement, text: string): void {
  const input = one(element, "input");
  input.value = text;
  input.dispatchEvent(new Event("input"));
}

afterEach(() => {
  globalThis.document.body.replaceChildren();
  copied.length = 0;
});

describe("a table", () => {
  it("is one, with a caption, heads of columns and heads of rows", () => {
    const element = shown(CARRIERS);
    expect(one(element, "table").caption?.textContent).toBe(CARRIERS.caption);
    expect(texts(element, "thead th[scope=col]")).toEqual(["carrier", "delay", "flights"]);
    expect(texts(element, "tbody th[scope=row]")).toEqual(CARRIERS.rows.map(([first]) => first));
    expect(texts(element, "tbody td").slice(0, 4)).toEqual(["205,589", "58,665", "511,194.5", "54,635"]);
    expect(element.querySelectorAll("tbody td.service-number")).toHaveLength(14);
  });

  it("has heads of rows for the leading keys only", () => {
    const columns = [
      ["n", "number", "metric"],
      ["k", "string", "key"],
    ] as const;
    expect(texts(shown(tableOf(columns, [["1", "a"]])), "tbody th")).toEqual([]);
  });

  it("scrolls in a place that has a name and takes the focus", () => {
    const scroll = one(shown(CARRIERS), ".service-scroll");
    expect([scroll.tabIndex, scroll.getAttribute("aria-label")]).toEqual([0, "Table: carrier, delay, flights"]);
  });

  it("aligns numbers by a blank that is no part of their text", () => {
    const cell = one(shown(CARRIERS), "tbody td");
    expect(cell.textContent).toBe("205,589");
    expect(cell.className).toBe("service-number service-blank-point service-blank-3");
  });

  it("offers no filter where all rows are seen at a glance, and no order where there is one row", () => {
    const five = tableOf([["n", "number", "metric"]], [["1"], ["2"], ["3"], ["4"], ["5"]]);
    expect(shown(five).querySelector("input")).toBeNull();
    expect(shown(tableOf([["n", "number", "metric"]], [["1"]])).querySelector("thead button")).toBeNull();
    expect(shown(CARRIERS).querySelector("input")).not.toBeNull();
  });
});

describe("sorting", () => {
  it("goes through ascending, descending and the order of the answer", () => {
    const element = shown(CARRIERS);
    const answered = carriers(element);
    const rows = new Set(element.querySelectorAll("tbody tr"));
    const [, delay] = heads(element);
    delay?.click();
    expect(carriers(element)).toEqual(["Alaska", "ExpressJet", "United", "JetBlue", "Hawaiian", "SkyWest", "Delta"]);
    expect(delay?.closest("th")?.getAttribute("aria-sort")).toBe("ascending");
    delay?.click();
    expect(carriers(element)).toEqual(["SkyWest", "Hawaiian", "JetBlue", "United", "ExpressJet", "Alaska", "Delta"]);
    expect(delay?.closest("th")?.getAttribute("aria-sort")).toBe("descending");
    delay?.click();
    expect(carriers(element)).toEqual(answered);
    expect(element.querySelector("[aria-sort]")).toBeNull();
    expect(new Set(element.querySelectorAll("tbody tr"))).toEqual(rows);
  });

  it("is by one column at a time", () => {
    const element = shown(CARRIERS);
    heads(element)[1]?.click();
    heads(element)[0]?.click();
    expect(Array.from(element.querySelectorAll("thead th"), (head) => head.getAttribute("aria-sort"))).toEqual([
      "ascending",
      null,
      null,
    ]);
  });

  it("tells who listens the table as it is shown now", () => {
    const element = shown(CARRIERS);
    const told: Table[] = [];
    element.addEventListener(ORDER_EVENT, (event) => told.push((event as CustomEvent<OrderDetail>).detail.table()));
    heads(element)[1]?.click();
    type(element, "> 400000");
    expect(told.map(({ exact }) => exact.map((row) => row[1]))).toEqual([
      ["-7041", "-0.0", "205589", "511194.5", "1e300", "NaN", null],
      ["511194.5", "1e300"],
    ]);
  });
});

describe("filtering", () => {
  it("shows some rows, and how many of how many", () => {
    const element = shown(CARRIERS);
    type(element, "jet");
    expect(carriers(element)).toEqual(["JetBlue", "ExpressJet"]);
    expect(one(element, "[role=status]").textContent).toBe("2 of 7 rows");
    expect(one(element, ".service-foot .service-caption").textContent).toBe(CARRIERS.caption);
    type(element, "");
    expect(carriers(element)).toHaveLength(7);
    expect(one(element, "[role=status]").textContent).toBe("");
  });

  it("looks in one column where one is chosen", () => {
    const element = shown(CARRIERS);
    const column = one(element, "select");
    type(element, "< 700");
    expect(carriers(element)).toEqual(["ExpressJet", "Alaska", "Hawaiian", "SkyWest"]);
    column.value = "2";
    column.dispatchEvent(new Event("change"));
    expect(carriers(element)).toEqual(["Hawaiian", "SkyWest"]);
  });

  it("that is none says so, and hides nothing", () => {
    const element = shown(CARRIERS);
    type(element, "> many");
    expect(carriers(element)).toHaveLength(7);
    expect(one(element, "input").getAttribute("aria-invalid")).toBe("true");
    expect(one(element, "[role=status]").textContent).toMatch(/^Not filtered: “many” is not a number\./);
  });

  it("is undone by Escape, which then goes no further", () => {
    const element = shown(CARRIERS);
    const reached: string[] = [];
    element.addEventListener("keydown", (event) => reached.push(event.key));
    type(element, "jet");
    one(element, "input").focus();
    press("Escape");
    expect(carriers(element)).toHaveLength(7);
    press("Escape");
    expect(reached).toEqual(["Escape"]);
  });
});

describe("walking through the cells", () => {
  const stops = (element: HTMLElement): number => element.querySelectorAll("table [tabindex='0']").length;

  it("has one cell in the order of Tab, wherever it is", () => {
    const element = shown(CARRIERS);
    expect(stops(element)).toBe(1);
    heads(element)[0]?.focus();
    for (const key of ["ArrowDown", "ArrowRight", "End", "PageDown", "Home", "ArrowUp"]) {
      press(key);
      expect(stops(element)).toBe(1);
    }
  });

  it("goes by arrows, to ends and to corners, and not beyond", () => {
    heads(shown(CARRIERS))[0]?.focus();
    const path = [
      ["ArrowLeft", "carrier"],
      ["ArrowRight", "delay"],
      ["ArrowDown", "205,589"],
      ["ArrowDown", "511,194.5"],
      ["End", "54,635"],
      ["Home", "JetBlue"],
      ["PageDown", "SkyWest"],
      ["PageUp", "carrier"],
    ] as const;
    for (const [key, text] of path) {
      expect(press(key).defaultPrevented).toBe(true);
      expect(active()).toBe(text);
    }
    press("End", { ctrlKey: true });
    expect(active()).toBe("32");
    press("Home", { ctrlKey: true });
    expect(active()).toBe("carrier");
  });

  it("leaves the keys that are not its own", () => {
    const element = shown(CARRIERS);
    const reached: string[] = [];
    element.addEventListener("keydown", (event) => reached.push(event.key));
    heads(element)[0]?.focus();
    for (const key of ["Tab", "Escape", "a"]) expect(press(key).defaultPrevented).toBe(false);
    expect(press("ArrowDown", { shiftKey: true }).defaultPrevented).toBe(false);
    press("ArrowDown");
    expect(reached).toEqual(["Tab", "Escape", "a", "ArrowDown"]);
  });

  it("follows the rows as they are shown", () => {
    const element = shown(CARRIERS);
    heads(element)[1]?.click();
    type(element, "jet");
    heads(element)[0]?.focus();
    press("ArrowDown");
    expect(active()).toBe("ExpressJet");
    press("ArrowDown");
    expect(active()).toBe("JetBlue");
    type(element, "Alaska");
    expect(one(element, "table [tabindex='0']").textContent).toBe("carrier");
  });
});

describe("the exact text", () => {
  const readout = (element: HTMLElement): string => one(element, ".service-exact").textContent;

  it("is told for a cell with the focus or under the pointer, where it differs", () => {
    const element = shown(CARRIERS);
    const [delay, flights] = element.querySelectorAll<HTMLElement>("tbody td");
    delay?.focus();
    expect(readout(element)).toBe("exact 205589");
    flights?.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    expect(readout(element)).toBe("exact 58665");
    one(element, "table").dispatchEvent(new MouseEvent("mouseleave"));
    expect(readout(element)).toBe("exact 205589");
    one(element, "tbody th").focus();
    expect(readout(element)).toBe("");
  });

  it("is told as far as it can be read, where it is a megabyte", () => {
    const element = shown({ ...CARRIERS, exact: CARRIERS.exact.map((row) => row.map(() => "x".repeat(1_000_000))) });
    one(element, "tbody td").focus();
    expect(readout(element)).toMatch(/^exact x{2000}…$/);
  });

  it("is what is copied from a cell", () => {
    const element = shown(CARRIERS);
    const data = new Map<string, string>();
    const event = Object.assign(new Event("copy", { bubbles: true, cancelable: true }), {
      clipboardData: { setData: (kind: string, text: string) => data.set(kind, text) },
    });
    one(element, "tbody td").dispatchEvent(event);
    expect(data.get("text/plain")).toBe("205589");
    expect(event.defaultPrevented).toBe(true);
  });

  it("is what is copied from cells that are selected, guarded as a sheet needs it", () => {
    const element = shown(
      tableOf(
        [
          ["k", "string", "key"],
          ["n", "number", "metric"],
        ],
        [
          ["=1\t+2", "1234"],
          ["b", null],
        ],
      ),
    );
    const selection = globalThis.getSelection();
    selection?.selectAllChildren(one(element, "table"));
    const data = new Map<string, string>();
    const event = Object.assign(new Event("copy", { bubbles: true, cancelable: true }), {
      clipboardData: { setData: (kind: string, text: string) => data.set(kind, text) },
    });
    one(element, "tbody td").dispatchEvent(event);
    expect(data.get("text/plain")).toBe("k\tn\n'=1 +2\t1234\nb\t");
    selection?.removeAllRanges();
  });
});

describe("copying a table", () => {
  const tools = (element: HTMLElement): HTMLButtonElement[] =>
    Array.from(element.querySelectorAll(".service-tools > .service-copy"));

  it("gives the rows that are shown, in their order, with exact texts", async () => {
    const element = shown(CARRIERS);
    heads(element)[1]?.click();
    type(element, "jet");
    for (const button of tools(element)) button.click();
    await Promise.resolve();
    expect(copied[0]).toBe('"carrier","delay","flights"\r\n"ExpressJet",-0.0,54173\r\n"JetBlue",511194.5,54635\r\n');
    expect(copied[1]).toContain("| ExpressJet | -0.0 | 54173 |\n| JetBlue | 511194.5 | 54635 |");
    expect(one(element, ".service-exact").textContent).toBe("2 rows copied as Markdown");
  });

  it("says so when nothing was copied", async () => {
    const element = tableElement(CARRIERS, { ...environment, copy: () => Promise.reject(new Error("not allowed")) });
    tools(element)[0]?.click();
    await new Promise((done) => setTimeout(done));
    expect(one(element, ".service-exact").textContent).toBe("Not copied: not allowed");
  });
});

describe("texts that a page would obey", () => {
  const element = (): HTMLElement =>
    shown(
      tableOf(
        [...HOSTILE.slice(0, 3).map((text) => [text, "string", "key"] as const)],
        HOSTILE.map((text) => [text, text, null]),
        HOSTILE[0],
      ),
    );

  it("are texts in cells, heads, captions and choices, whatever they are", () => {
    const table = element();
    expect(texts(table, "tbody th:first-child")).toEqual(HOSTILE.map(visible));
    expect(texts(table, "thead th")).toEqual(HOSTILE.slice(0, 3));
    expect(table.querySelectorAll("script, img, svg, style, iframe, a, b")).toHaveLength(0);
  });

  it("leave no attribute but those of ours", () => {
    const table = element();
    type(table, "> <img src=x onerror=alert(1)>");
    for (const head of heads(table)) head.click();
    const allowed =
      /^(class|role|scope|tabindex|type|value|hidden|placeholder|spellcheck|autocomplete|aria-(label|live|sort|hidden|invalid))$/;
    for (const each of [table, ...table.querySelectorAll("*")]) {
      for (const { name, value } of each.attributes) {
        expect(name).toMatch(allowed);
        if (name !== "aria-label") expect(HOSTILE.filter((text) => text.trim().length > 1)).not.toContain(value);
      }
    }
  });

  it("are told as they are where they are exact", () => {
    const table = shown(tableOf([["k", "string", "key"]], [["shown"], ["other"]]));
    const hostile = shown({ ...tableOf([["k", "string", "key"]], [["a\u202eb<b>"], ["x"]]), rows: [["a"], ["x"]] });
    one(hostile, "tbody th").focus();
    expect(one(hostile, ".service-exact").textContent).toBe("exact a\\u202eb<b>");
    expect(hostile.querySelector("b")).toBeNull();
    expect(one(table, ".service-exact").textContent).toBe("");
  });
});
