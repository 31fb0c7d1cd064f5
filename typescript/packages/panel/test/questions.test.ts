// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askForm } from "../src/index.js";
import { Recorded } from "./kernel.js";
import { button, choose, control, host, list, offered, settled, type } from "./page.js";

interface Questions {
  readonly source: {
    readonly name: string;
    readonly fields: readonly { readonly name: string; readonly type: string }[];
  };
  readonly cases: readonly { readonly name: string; readonly spec: unknown }[];
}

// What the kernel's test has the kernel accept: tests/surfaces/test_panel_questions.py
const FILE = join(import.meta.dirname, "../../../../tests/vectors/panel/questions.json");
const { source, cases } = JSON.parse(readFileSync(FILE, "utf-8")) as Questions;
const FIELDS = source.fields.map((field) => ({ ...field, physical: field.type, nullable: true, aliases: [] }));
const ORDERS = { ...source, source_id: "", schema_revision: "", row_count: 2, provider: "values", fields: FIELDS };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function form(): Promise<{ root: HTMLElement; kernel: Recorded }> {
  const kernel = new Recorded({ sources: () => ({ sources: [ORDERS] }), values: () => ({ values: [] }) });
  const root = host();
  askForm(root, { client: kernel.link(), actions: [] });
  await settled();
  return { root, kernel };
}

function group(root: HTMLElement, legend: string): HTMLElement {
  const found = [...root.querySelectorAll("fieldset")].find((each) => each.firstElementChild?.textContent === legend);
  if (found === undefined) throw new Error(`no group is called ${legend}`);
  return found;
}

function measure(root: HTMLElement, place: number, aggregation: string, column: string | null = null): void {
  button(root, "Add a measure").click();
  const added = group(root, `Measure ${String(place)}`);
  choose(list(added, "Aggregation"), aggregation);
  if (column !== null) choose(list(added, "Column to compute it of"), column);
}

/** Fill a condition in that was just added: a column, a comparison, and values in their controls. */
function condition(root: HTMLElement, place: string, column: string, comparison: string, ...values: string[]): void {
  fill(group(root, `Condition ${place}`), "Column", column, comparison, ...values);
}

/** Add a condition on groups, and fill it in. */
function keep(root: HTMLElement, place: string, measured: string, comparison: string, ...values: string[]): void {
  button(root, "Add a condition on groups").click();
  fill(group(root, `Condition on groups ${place}`), "Measure", measured, comparison, ...values);
}

function fill(row: HTMLElement, what: string, chosen: string, comparison: string, ...values: string[]): void {
  choose(list(row, what), chosen);
  choose(list(row, "Comparison"), comparison);
  const labels = values.length === 2 ? ["From", "To"] : ["Value"];
  values.forEach((value, index) => {
    const found = control(row, labels[index] ?? "");
    if (found.localName === "select") choose(found as HTMLSelectElement, value);
    else type(found, value);
  });
}

function compute(root: HTMLElement, aggregation: string, column: string | null = null): void {
  choose(list(root, "Compute"), aggregation);
  if (column !== null) choose(list(root, "Of"), column);
}

function add(
  root: HTMLElement,
  ...filled: Parameters<typeof condition> extends [unknown, ...infer R] ? R : never
): void {
  button(root, "Add a condition").click();
  condition(root, ...filled);
}

const ACTIONS: Readonly<Record<string, (root: HTMLElement) => void>> = {
  "one measure": (root) => {
    compute(root, "sum", "price");
  },
  "several measures": (root) => {
    compute(root, "sum", "price");
    measure(root, 2, "count");
    measure(root, 3, "stddev", "price");
    measure(root, 4, "max", "day");
    choose(list(root, "By"), "region");
    choose(list(root, "Order"), "stddev price: largest first");
  },
  "rows beside a column called count": (root) => {
    compute(root, "sum", "price");
    measure(root, 2, "count");
    choose(list(root, "By"), "count");
    choose(list(root, "Order"), "count rows: fewest first");
  },
  months: (root) => {
    compute(root, "sum", "price");
    choose(list(root, "By"), "day");
    choose(list(root, "Period of day"), "month");
    choose(list(root, "Order"), "month of day: ascending");
  },
  "weeks, which nobody orders": (root) => {
    compute(root, "sum", "price");
    choose(list(root, "By"), "day");
    choose(list(root, "Period of day"), "week");
  },
  "weeks by what they hold": (root) => {
    compute(root, "sum", "price");
    choose(list(root, "By"), "day");
    choose(list(root, "Period of day"), "week");
    choose(list(root, "Order"), "largest first");
  },
  "each day": (root) => {
    compute(root, "count");
    choose(list(root, "By"), "day");
    choose(list(root, "Order"), "day: descending");
  },
  "bins, and a column whose name is a keyword": (root) => {
    compute(root, "count");
    choose(list(root, "By"), "price");
    choose(list(root, "Values of price"), "bins of");
    type(control(root, "Width of the bins of price"), "0.5");
    choose(list(root, "By"), "from");
    choose(list(root, "Order"), "price in bins: ascending");
    type(control(root, "At most"), "3");
  },
  "a column that is grouped by and computed": (root) => {
    compute(root, "max", "region");
    choose(list(root, "By"), "region");
    choose(list(root, "Order"), "smallest first");
  },
  "all conditions": (root) => {
    compute(root, "count");
    add(root, "1", "region", "is", "North");
    add(root, "2", "price", "is between", "1", "2.5");
  },
  "any condition": (root) => {
    compute(root, "count");
    add(root, "1", "region", "is", "North");
    add(root, "2", "paid", "is", "true");
    choose(list(root, "How these conditions are joined"), "any");
  },
  "a group of alternatives beside a condition and a period": (root) => {
    compute(root, "count");
    add(root, "1", "price", "is above", "12345678901234567890");
    button(root, "Add a group of conditions").click();
    condition(root, "2.1", "region", "starts with", "N");
    add(group(root, "Group 2"), "2.2", "from", "is missing");
    [...root.querySelectorAll("button")]
      .filter((each) => each.textContent === "Add a condition")
      .at(-1)
      ?.click();
    condition(root, "3", "day", "is in the period", "last year");
  },
  "a percentile": (root) => {
    compute(root, "percentile", "price");
    type(control(root, "Percent"), " 99.50 ");
  },
  "two percentiles, in the order of the second": (root) => {
    compute(root, "percentile", "price");
    type(control(root, "Percent"), "50");
    measure(root, 2, "percentile", "price");
    type(control(group(root, "Measure 2"), "Percent"), "99.9");
    choose(list(root, "By"), "region");
    choose(list(root, "Order"), "percentile 99.9 of price: largest first");
  },
  "a condition on the rows of a group": (root) => {
    compute(root, "sum", "price");
    choose(list(root, "By"), "region");
    keep(root, "1", "count rows", "is above", "10");
  },
  "conditions on measures, with alternatives beside one on a column": (root) => {
    compute(root, "percentile", "price");
    type(control(root, "Percent"), "95");
    measure(root, 2, "max", "day");
    measure(root, 3, "min", "region");
    choose(list(root, "By"), "day");
    choose(list(root, "Period of day"), "month");
    add(root, "1", "paid", "is", "true");
    keep(root, "1", "percentile 95 of price", "is between", "1", "2.5");
    button(root, "Add a group of conditions on groups").click();
    fill(group(root, "Condition on groups 2.1"), "Measure", "max day", "is at least", "2024-01-31");
    const inner = group(root, "Group of conditions on groups 2");
    button(inner, "Add a condition on groups").click();
    fill(group(root, "Condition on groups 2.2"), "Measure", "min region", "starts with", "N");
    type(control(root, "Percent"), "90"); // conditions stay with their measure
  },
  "a group of conditions among alternatives": (root) => {
    compute(root, "count");
    add(root, "1", "region", "is", "North");
    choose(list(root, "How these conditions are joined"), "any");
    button(root, "Add a group of conditions").click();
    condition(root, "2.1", "price", "is at most", "0.1");
    add(group(root, "Group 2"), "2.2", "day", "is at least", "2024-01-31");
  },
};

describe("a form writes", () => {
  it.each(cases)("$name", async ({ name, spec }) => {
    const { root, kernel } = await form();
    ACTIONS[name]?.(root);
    await settled();
    expect(kernel.last("check_ask")).toEqual({ spec });
    expect([...root.querySelectorAll<HTMLElement>(".service-fault")].filter(({ hidden }) => !hidden)).toEqual([]);
  });

  it("nothing while a measure, a width or a condition is missing, and says so beside it", async () => {
    const { root, kernel } = await form();
    compute(root, "sum", "price");
    measure(root, 2, "sum", "price");
    choose(list(root, "By"), "count");
    choose(list(root, "Values of count"), "bins of");
    add(root, "1", "paid", "is missing");
    button(root, "Add a group of conditions").click();
    await settled();
    const said = [...root.querySelectorAll<HTMLElement>(".service-fault")].filter(({ hidden }) => !hidden);
    expect(said.map(({ textContent }) => textContent)).toEqual([
      "This is computed already.",
      "A width above 0 is expected, such as 10 or 0.5.",
      "A column is missing.",
    ]);
    expect(control(root, "Width of the bins of count").getAttribute("aria-invalid")).toBe("true");
    expect(kernel.last("check_ask")).toBeUndefined();
    expect(root.querySelector(".service-live-status")?.textContent).toBe("… Complete the marked fields above");
  });
});

describe("a form offers", () => {
  it("periods of dates, bins of numbers, and neither of a text", async () => {
    const { root } = await form();
    choose(list(root, "By"), "day");
    choose(list(root, "By"), "price");
    choose(list(root, "By"), "region");
    expect(offered(list(root, "Period of day"))).toEqual(["each value", "day", "week", "month", "quarter", "year"]);
    expect(offered(list(root, "Values of price"))).toEqual(["each value", "bins of"]);
    expect(control(root, "Width of the bins of price").hidden).toBe(true);
    expect(root.querySelectorAll(".service-chip select")).toHaveLength(2);
  });

  it("no period among alternatives", async () => {
    const { root } = await form();
    compute(root, "count");
    add(root, "1", "day", "is");
    add(root, "2", "day", "is");
    const comparisons = (): string[] => offered(list(group(root, "Condition 2"), "Comparison"));
    expect(comparisons()).toContain("is in the period");
    choose(list(root, "How these conditions are joined"), "any");
    expect(comparisons()).not.toContain("is in the period");
  });

  it("conditions on groups where there are some, on what is computed of them", async () => {
    const { root, kernel } = await form();
    compute(root, "sum", "price");
    measure(root, 2, "max", "region");
    const having = group(root, "Having");
    expect(having.hidden).toBe(true);
    choose(list(root, "By"), "region");
    expect(having.hidden).toBe(false);
    keep(root, "1", "sum price", "is above", "3");
    expect(offered(list(having, "Measure"))).toEqual(["measure …", "sum price", "max region", "count rows"]);
    choose(list(having, "Measure"), "max region");
    expect(offered(list(having, "Comparison"))).toContain("starts with");
    type(control(having, "Value"), "N");
    await settled();
    const conditions = [{ aggregation: "max", metric: "region", op: "gt", value: "N" }];
    expect(kernel.last("check_ask")).toMatchObject({ spec: { having: { conditions } } });
    button(group(root, "Measure 2"), "×").click();
    await settled();
    expect(having.querySelector<HTMLElement>(".service-condition .service-fault")?.textContent).toBe(
      "A measure is missing.",
    );
    button(root.querySelector<HTMLElement>(".service-chip") ?? root, "×").click();
    await settled();
    expect(having.hidden).toBe(true);
    expect(kernel.last("check_ask")).toEqual({ spec: { source_name: "orders", aggregation: "sum", metric: "price" } });
  });

  it("a percent for a percentile alone, and no question of one that is none", async () => {
    const { root, kernel } = await form();
    compute(root, "median", "price");
    expect(control(root, "Percent").hidden).toBe(true);
    compute(root, "percentile", "price");
    await settled();
    expect(kernel.last("check_ask")).toEqual({
      spec: { source_name: "orders", aggregation: "percentile", metric: "price" },
    });
    for (const typed of ["100.1", "-1", "9O", "1e1", "٩٠", "0.00001"]) {
      type(control(root, "Percent"), typed);
      await settled();
      expect(root.querySelector(".service-live-status")?.textContent).toBe("… Complete the marked fields above");
      expect(control(root, "Percent").getAttribute("aria-invalid")).toBe("true");
    }
    type(control(root, "Percent"), "100");
    await settled();
    expect(kernel.last("check_ask")).toMatchObject({ spec: { percent: "100" } });
    expect(control(root, "Percent").hasAttribute("aria-invalid")).toBe(false);
  });

  it("an order that stays with its measure when another is taken out", async () => {
    const { root, kernel } = await form();
    compute(root, "sum", "price");
    measure(root, 2, "count");
    measure(root, 3, "max", "price");
    choose(list(root, "Order"), "max price: smallest first");
    button(group(root, "Measure 2"), "×").click();
    await settled();
    expect(kernel.last("check_ask")).toMatchObject({ spec: { order_by: "max_price", order: "asc" } });
    button(group(root, "Measure 2"), "×").click();
    await settled();
    expect(kernel.last("check_ask")).toEqual({ spec: { source_name: "orders", aggregation: "sum", metric: "price" } });
    expect(root.ownerDocument.activeElement).toBe(button(root, "Add a measure"));
  });

  it("takes a group out with its last condition, and gives the focus to where one is added", async () => {
    const { root } = await form();
    expect(button(root, "Add a group of conditions").hidden).toBe(true);
    add(root, "1", "paid", "is missing");
    button(root, "Add a group of conditions").click();
    expect(root.ownerDocument.activeElement).toBe(list(group(root, "Condition 2.1"), "Column"));
    button(group(root, "Condition 2.1"), "×").click();
    expect(root.querySelectorAll(".service-inner")).toHaveLength(0);
    expect(root.ownerDocument.activeElement).toBe(button(root, "Add a condition"));
  });
});
