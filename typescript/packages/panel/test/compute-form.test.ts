// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { computeForm } from "../src/index.js";
import { answer, Recorded } from "./kernel.js";
import { button, choose, control, host, list, settled, type } from "./page.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function form(
  kernel = new Recorded(),
  open = "finance.npv",
  argumentsOnly = false,
): Promise<{ root: HTMLElement; kernel: Recorded; lines: string[] }> {
  const root = host();
  const lines: string[] = [];
  const made = computeForm(root, {
    client: kernel.link(),
    argumentsOnly,
    actions: [{ label: "Run", run: (line) => lines.push(line) }],
  });
  await settled();
  if (open !== "") void made.open(open);
  await settled();
  return { root, kernel, lines };
}

describe("a form that computes", () => {
  it("finds capabilities by words and opens the one that is pressed", async () => {
    const { root, kernel } = await form(new Recorded(), "");
    type(control(root, "Find a capability"), "net present value");
    await settled();
    expect(kernel.last("search")).toMatchObject({ query: "net present value" });
    root.querySelector<HTMLElement>(".service-hit")?.click();
    await settled();
    expect(root.querySelector(".service-title")?.textContent).toBe("finance.npv");
    expect(root.querySelector<HTMLElement>(".service-search")?.hidden).toBe(true);
  });

  it("is of the arguments and the line alone where its host says what is called", async () => {
    const { root, kernel, lines } = await form(new Recorded(), "finance.npv", true);
    expect(
      root.querySelector(".service-title, .service-summary, .service-meaning, .service-search, .service-back"),
    ).toBe(null);
    expect(kernel.last("search")).toBeUndefined();
    type(control(root, "rate"), "0.1");
    type(control(root, "cashflows"), "-1000, 300");
    await settled();
    button(root, "Run").click();
    expect(lines).toEqual([answer("a call")["line"]]);
  });

  it("tells name, symbol, unit, domain and meaning of each parameter", async () => {
    const { root } = await form();
    const rate = root.querySelector(".service-group .service-field");
    for (const part of ["rate", "r", "float64", "(-1, inf)", "discount rate per period"])
      expect(rate?.textContent).toContain(part);
  });

  it("sends digits as they were typed, and lists in brackets", async () => {
    const { root, kernel, lines } = await form();
    type(control(root, "rate"), "0.1000000000000000000001");
    type(control(root, "cashflows"), "-1000\n300\t420");
    await settled();
    expect(kernel.last("check_call")).toEqual({
      name: "finance.npv",
      arguments: { rate: "0.1000000000000000000001", cashflows: "[-1000, 300, 420]" },
    });
    button(root, "Run").click();
    expect(lines).toEqual([answer("a call")["line"]]);
  });

  it("tells a fault beside what it is of, and what is still to give below", async () => {
    const { root } = await form(
      new Recorded({
        check_call: () => ({
          status: "invalid",
          line: "",
          faults: [
            { parameter: "rate", message: "It is -2; expected a value in (-1, inf)." },
            { parameter: "cashflows", message: "It is missing." },
          ],
        }),
      }),
    );
    type(control(root, "rate"), "-2");
    await settled();
    const rate = control(root, "rate");
    expect(rate.getAttribute("aria-invalid")).toBe("true");
    const ids = rate.getAttribute("aria-describedby")?.split(" ") ?? [];
    expect(ids.map((id) => root.ownerDocument.getElementById(id)?.textContent).join()).toContain("expected a value");
    expect(control(root, "cashflows").hasAttribute("aria-invalid")).toBe(false);
    expect(root.querySelector(".service-live-status")?.textContent).toContain("Missing: cashflows");
    expect(button(root, "Run").disabled).toBe(true);
  });

  it("offers the columns that fit a list, and writes the one that is chosen", async () => {
    const { root, kernel } = await form();
    choose(list(root, "A column for cashflows"), "sales.Order Year");
    await settled();
    expect(kernel.last("check_call")).toMatchObject({ arguments: { cashflows: "sales.`Order Year`" } });
  });

  it("takes the contract's examples on request alone", async () => {
    const { root, kernel } = await form();
    expect(kernel.last("check_call")).toEqual({ name: "finance.npv", arguments: {} });
    button(root, "Use all examples").click();
    await settled();
    expect(kernel.last("check_call")).toMatchObject({ arguments: { rate: "0.1" } });
  });

  it("has a list of choices, and a seed where one is needed", async () => {
    const taylor = new Recorded({ capability: () => answer("a capability with choices") });
    const { root } = await form(taylor, "calculus.taylor_coefficients");
    expect(list(root, "function").options.length).toBeGreaterThan(2);
    const simulation = new Recorded({ capability: () => answer("a simulation") });
    const seeded = await form(simulation, "simulation.bootstrap_mean");
    type(control(seeded.root, "seed"), "7");
    await settled();
    expect(simulation.last("check_call")).toMatchObject({ arguments: { seed: "7" } });
  });

  it("goes back to the search, with the focus in its field", async () => {
    const { root } = await form();
    button(root, "← All capabilities").click();
    expect(root.ownerDocument.activeElement).toBe(control(root, "Find a capability"));
  });
});
