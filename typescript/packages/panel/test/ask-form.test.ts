// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askForm } from "../src/index.js";
import { answer, Recorded } from "./kernel.js";
import { button, choose, control, host, list, offered, settled, type } from "./page.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function form(kernel = new Recorded()): Promise<{ root: HTMLElement; kernel: Recorded; lines: string[] }> {
  const root = host();
  const lines: string[] = [];
  askForm(root, { client: kernel.link(), actions: [{ label: "Run", primary: true, run: (line) => lines.push(line) }] });
  await settled();
  return { root, kernel, lines };
}

describe("a form that asks", () => {
  it("chooses the only source, and nothing else", async () => {
    const { root } = await form();
    expect(list(root, "Source").selectedOptions[0]?.textContent).toBe("sales");
    expect(list(root, "Compute").value).toBe("");
    expect(button(root, "Run").disabled).toBe(true);
  });

  it("offers for a sum the number columns alone, and every column for a count", async () => {
    const { root } = await form();
    choose(list(root, "Compute"), "sum");
    expect(offered(list(root, "Of")).slice(1)).toEqual(["Order Year · number", "revenue · number"]);
    choose(list(root, "Compute"), "count");
    expect(offered(list(root, "Of"))[0]).toBe("rows");
    expect(list(root, "Of").options).toHaveLength(5);
  });

  it("drops a column that the new aggregation does not take, rather than choose another", async () => {
    const { root } = await form();
    choose(list(root, "Compute"), "count");
    choose(list(root, "Of"), "region");
    choose(list(root, "Compute"), "sum");
    expect(list(root, "Of").value).toBe("");
  });

  it("sends what was chosen, and runs the line that the kernel wrote", async () => {
    const { root, kernel, lines } = await form();
    choose(list(root, "Compute"), "sum");
    choose(list(root, "Of"), "revenue");
    choose(list(root, "By"), "Order Year");
    await settled();
    expect(kernel.last("check_ask")).toEqual({
      spec: { source_name: "sales", aggregation: "sum", metric: "revenue", group_by: ["Order Year"] },
    });
    button(root, "Run").click();
    expect(lines).toEqual([answer("a question")["line"]]);
  });

  it("offers the comparisons of a column's type, and known values as a list", async () => {
    const { root, kernel } = await form(new Recorded({ values: () => answer("values of a column") }));
    choose(list(root, "Compute"), "count");
    button(root, "Add a condition").click();
    choose(list(root, "Column"), "revenue");
    expect(offered(list(root, "Comparison"))).not.toContain("contains");
    choose(list(root, "Column"), "note");
    await settled();
    expect(offered(list(root, "Comparison"))).toContain("contains");
    expect(kernel.last("values")).toEqual({ source: "sales", field: "note" });
    choose(list(root, "Value"), "<b>");
    await settled();
    const conditions = [{ column: "note", op: "eq", value: "<b>" }];
    expect(kernel.last("check_ask")).toMatchObject({ spec: { filter: { conditions } } });
  });

  it("asks nothing while a value is missing, and says so beside it", async () => {
    const { root, kernel } = await form();
    choose(list(root, "Compute"), "count");
    await settled();
    const before = kernel.asked.length;
    button(root, "Add a condition").click();
    choose(list(root, "Column"), "revenue");
    await settled();
    expect(kernel.asked).toHaveLength(before);
    const fault = root.querySelector<HTMLElement>(".service-condition .service-fault");
    expect(fault?.hidden).toBe(false);
    type(control(root, "Value"), "1.5x");
    expect(fault?.textContent).toMatch(/number/);
    type(control(root, "Value"), "1.5");
    expect(fault?.hidden).toBe(true);
  });

  it("keeps every digit of a number that JavaScript would round", async () => {
    const { root, kernel } = await form();
    choose(list(root, "Compute"), "count");
    button(root, "Add a condition").click();
    choose(list(root, "Column"), "Order Year");
    type(control(root, "Value"), "12345678901234567890");
    await settled();
    const conditions = [{ column: "Order Year", op: "eq", value: "12345678901234567890" }];
    expect(kernel.last("check_ask")).toMatchObject({ spec: { filter: { conditions } } });
  });

  it("offers what could be meant as buttons, which choose it", async () => {
    const unclear = answer("a question that is not clear");
    const { root, lines } = await form(
      new Recorded({
        check_ask: ({ spec }) => (Object.hasOwn(spec as object, "metric") ? answer("a question") : unclear),
      }),
    );
    choose(list(root, "Compute"), "sum");
    await settled();
    expect(root.querySelector(".service-live-status")?.textContent).toBe("? Needs clarification");
    button(root, "revenue").click();
    await settled();
    expect(list(root, "Of").selectedOptions[0]?.textContent).toBe("revenue · number");
    button(root, "Run").click();
    expect(lines).toHaveLength(1);
  });

  it("does nothing with a line that the kernel has refused, by whichever way it is asked to", async () => {
    const { root, lines } = await form(new Recorded({ check_ask: () => answer("a question that is refused") }));
    choose(list(root, "Compute"), "count");
    await settled();
    expect(root.querySelector(".service-reason")?.textContent).toBe("No source is named 'costs'.");
    root.querySelector("form")?.dispatchEvent(new Event("submit", { cancelable: true }));
    button(root, "Run").click();
    expect(lines).toEqual([]);
  });

  it("says that there is no source, and how to connect one", async () => {
    const { root } = await form(new Recorded({ sources: () => ({ sources: [] }) }));
    expect(root.querySelector(".service-empty")?.textContent).toContain("%service_connect");
  });

  it("offers what is not connected as such, where its columns are known", async () => {
    const field = { name: "price", type: "number", physical: "float64", nullable: true, aliases: [] };
    const facts = { source_id: "", schema_revision: "", row_count: 3, connected: false };
    const orders = { ...facts, name: "orders", provider: "deployment", fields: [field] };
    const kept = { ...facts, name: "kept", provider: "service.toml", fields: [] };
    const { root } = await form(new Recorded({ sources: () => ({ sources: [orders, kept] }) }));
    expect(offered(list(root, "Source"))).toEqual(["choose a source …", "orders · not connected"]);
  });

  it("says that the kernel is gone", async () => {
    const kernel = new Recorded();
    const { root } = await form(kernel);
    kernel.close();
    choose(list(root, "Compute"), "count");
    await settled();
    expect(root.querySelector(".service-live-status")?.textContent).toMatch(/no kernel/);
  });

  it("takes a condition out again, and gives the focus to where one is added", async () => {
    const { root } = await form();
    button(root, "Add a condition").click();
    button(root, "×").click();
    expect(root.querySelectorAll(".service-condition")).toHaveLength(0);
    expect(root.ownerDocument.activeElement).toBe(button(root, "Add a condition"));
  });
});
