// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askForm, computeForm } from "../src/index.js";
import { answer, Recorded } from "./kernel.js";
import { button, choose, host, list, settled } from "./page.js";

const FILE = join(import.meta.dirname, "../../../../tests/vectors/hostile/payloads.json");
const { payloads } = JSON.parse(readFileSync(FILE, "utf-8")) as { payloads: readonly { text?: string }[] };
// Half a surrogate pair comes through no link. Every third of the rest: cards and notebooks meet all of them.
const all = payloads.flatMap(({ text = "" }) => (text !== "" && text.isWellFormed() ? [text] : []));
const texts = all.filter((_, place) => place % 3 === 0);

const ELEMENTS = new Set(
  "form div p span label select option input textarea button fieldset legend ul ol li dl dt dd code pre h3".split(" "),
);
// Of these, none holds what came from the kernel but `aria-label` and `placeholder`, which are text.
const ATTRIBUTES = new Set(
  (
    "class id for role type hidden rows tabindex value novalidate autocomplete spellcheck inputmode placeholder " +
    "aria-label aria-labelledby aria-describedby aria-busy aria-invalid disabled data-lm-suppress-shortcuts"
  ).split(" "),
);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function source(text: string): object {
  const fields = ["string", "number"].map((kind) => ({
    ...{ name: `${text}${kind}`, type: kind, physical: kind, nullable: true, aliases: [text] },
  }));
  return { sources: [{ ...facts(text), fields }] };
}

function facts(text: string): object {
  return { name: text, source_id: text, schema_revision: text, row_count: 1, provider: text };
}

function inert(root: HTMLElement): void {
  for (const element of root.querySelectorAll("*")) {
    expect(ELEMENTS).toContain(element.localName);
    for (const { name, value } of element.attributes) {
      expect(ATTRIBUTES).toContain(name);
      if (name === "id" || name === "for") expect(value).toMatch(/^service-[a-z0-9]+-\d+$/);
      if (name === "class") expect(value).toMatch(/^[a-z\- ]*$/);
      if (name === "value") expect(value).toMatch(/^\d*$/);
    }
  }
}

it("has more than enough hostile texts", () => {
  expect(texts.length).toBeGreaterThanOrEqual(60);
});

it.each(texts)("shows %j as a source, a column, a value, a reason and a candidate as text alone", async (text) => {
  const candidates = [
    { slot: "metric", name: text, ask: text },
    { slot: text, name: text, ask: text },
  ];
  const refusal = { status: "rejected", line: text, plan: [text], reason: text, candidates };
  const kernel = new Recorded({
    sources: () => source(text),
    values: () => ({ values: [text, `${text}2`] }),
    check_ask: () => refusal,
  });
  const root = host();
  const form = askForm(root, { client: kernel.link(), actions: [] });
  await settled();
  choose(list(root, "Compute"), "count");
  choose(list(root, "By"), text);
  choose(list(root, "By"), `${text}number`);
  button(root, "Add a measure").click();
  button(root, "Add a condition").click();
  choose(list(root, "Column"), text);
  await settled();
  list(root, "Value").value = "0";
  list(root, "Value").dispatchEvent(new Event("change"));
  await settled();
  choose(list(root, "Aggregation"), "sum");
  choose(list(root, "Column to compute it of"), text);
  choose(list(root, "Order"), `sum ${text}number: smallest first`);
  await settled();
  expect(kernel.last("check_ask")).toMatchObject({
    spec: {
      source_name: text,
      order_by: `sum_${text}number`,
      filter: { conditions: [{ column: `${text}string`, value: text }] },
    },
  });
  expect(root.querySelector(".service-reason")?.textContent).toBe(text);
  inert(root);
  form.dispose();
});

it.each(texts)("shows %j as every text of a capability as text alone", async (text) => {
  const real = answer("a capability");
  const parameter = {
    ...{ name: text, type: "float64[]", unit: text, domain: text, about: text, symbol: text },
    ...{ shape: [text], choices: [], example: text },
  };
  const chosen = { ...parameter, name: `${text}b`, type: "string", shape: [], choices: [text] };
  const capability = {
    ...{ ...real, name: text, summary: text, signature: text, tier: text, source: text },
    ...{ params: [parameter, chosen], result: { type: text, unit: text, about: text }, formula: text, latex: text },
  };
  const kernel = new Recorded({
    sources: () => source(text),
    capability: () => capability,
    search: () => ({ hits: [{ name: text, summary: text, signature: text, tier: text }], count: 1 }),
    check_call: () => ({ status: "invalid", line: text, faults: [{ parameter: text, message: text }] }),
  });
  const root = host();
  const form = computeForm(root, { client: kernel.link(), actions: [] });
  await settled();
  void form.open(text);
  await settled();
  button(root, "Use all examples").click();
  await settled();
  expect(root.querySelector(".service-title")?.textContent).toBe(text);
  inert(root);
  form.dispose();
});
