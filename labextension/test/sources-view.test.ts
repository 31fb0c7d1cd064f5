// @vitest-environment jsdom
import { nullTranslator } from "@jupyterlab/translation";
import type { Client, ColumnLook, Source } from "@service-nb/link";
import { beforeEach, expect, it } from "vitest";
import { connectLine } from "../src/lines.js";
import { SourcesView } from "../src/sidebar/sources-view.js";

const FIELD = { name: "price", type: "number", physical: "float64", nullable: true, aliases: [] };
const SALES = { name: "sales", source_id: "s", schema_revision: "r", row_count: 2, provider: "file", fields: [FIELD] };
const ORDERS = { ...SALES, name: "my orders", row_count: 3, provider: "deployment", connected: false };
const KEPT = { ...SALES, name: "kept", row_count: 0, provider: "service.toml", connected: false, fields: [] };

beforeEach(() => {
  globalThis.document.body.replaceChildren();
});

/** The view of a kernel with these sources, and the lines that its buttons insert. */
async function view(
  sources: readonly Source[],
  fault?: string,
  columns: readonly ColumnLook[] = [],
): Promise<{ node: HTMLElement; lines: string[]; asked: string[] }> {
  const lines: string[] = [];
  const asked: string[] = [];
  const ask = (method: string): Promise<unknown> => {
    asked.push(method);
    return Promise.resolve(method === "look" ? { columns } : { sources, fault });
  };
  const client = { ask } as unknown as Client;
  const insert = (line: string): void => void lines.push(line);
  const actions = { insert, write: insert, load: insert } as unknown as ConstructorParameters<typeof SourcesView>[0];
  const made = new SourcesView(actions, nullTranslator.load("service_nb"));
  const hello = { version: 1, made_by: "", contract_hash: null, capabilities: 0, project: "" };
  made.situate({ panel: null, link: { is: "ready", client, hello }, isBusy: false }, []);
  await new Promise((resolve) => setTimeout(resolve, 0));
  return { node: made.node, lines, asked };
}

function press(node: Element | undefined, label: string): void {
  const found = [...(node?.querySelectorAll("button") ?? [])].find((each) => each.textContent === label);
  if (found === undefined) throw new Error(`no button ${label}`);
  found.click();
}

it("names what is not connected as such, with its columns and the lines that connect and ask it", async () => {
  const { node, lines } = await view([SALES, ORDERS, KEPT]);
  expect(node.querySelector("[role=status]")?.textContent).toBe("1 source in the kernel · 2 not connected");
  const [sales, orders, kept] = node.querySelectorAll("details");
  expect(sales?.textContent).not.toContain("not connected");
  for (const each of [orders, kept]) expect(each?.querySelector("summary")?.textContent).toContain("not connected");
  press(orders, "Connect");
  press(orders, "Ask…");
  press(kept, "Connect");
  expect(lines).toEqual(["%service_connect `my orders`", "%service_ask sum price from `my orders`", connectLine(KEPT)]);
  expect(orders?.textContent).toContain("price");
  expect([...(kept?.querySelectorAll("button") ?? [])]).toHaveLength(1);
});

it("says why it is not known what a deployment has, beside what is connected", async () => {
  const { node } = await view([SALES], "The deployment is not reached.");
  expect(node.textContent).toContain("The deployment is not reached.");
  expect(node.querySelector("[role=status]")?.textContent).toBe("1 source in the kernel");
});

const REGION = { ...FIELD, name: "region", type: "string", physical: "string" };
const HOSTILE = { ...FIELD, name: "<img src=x onerror=alert(1)>", type: "date", physical: "date" };
const LOOKED = { ...SALES, row_count: 4, fields: [FIELD, REGION, HOSTILE] };
const BIN = { value: "0", below: "5", rows: 3 };
const NOTHING = { nulls: 0, distinct: null, minimum: null, maximum: null, counts: null };
const COLUMNS: readonly ColumnLook[] = [
  { ...NOTHING, name: "price", nulls: 1, distinct: 3, minimum: "1", maximum: "7", counts: [BIN, { ...BIN, rows: 0 }] },
  { ...NOTHING, name: "region", distinct: 2, counts: [{ value: "<b>North</b>", below: null, rows: 4 }] },
  { ...NOTHING, name: HOSTILE.name },
];

it("shows what is known of the columns of a source that is opened, and asks about the one that is pressed", async () => {
  const { node, lines, asked } = await view([LOOKED], undefined, COLUMNS);
  expect(asked).toEqual(["sources"]);
  const [details] = node.querySelectorAll("details");
  if (details === undefined) throw new Error("no source");
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(asked).toEqual(["sources", "look"]);
  expect(details.textContent).toContain("1 to 7");
  expect(details.textContent).toContain("1 null · 3 distinct");
  expect(details.textContent).toContain("<b>North</b> 4");
  expect(details.querySelectorAll("img, b")).toHaveLength(0);
  const picture = details.querySelector("svg");
  expect(picture?.getAttribute("aria-label")).toBe("Histogram. 0 to 5: 3; 0 to 5: 0");
  expect([...(picture?.querySelectorAll("rect") ?? [])].map((bar) => bar.getAttribute("height"))).toEqual([
    "18.00",
    "0.00",
  ]);
  for (const each of details.querySelectorAll<HTMLButtonElement>(".service-side-field-button")) each.click();
  details.querySelector<HTMLButtonElement>(".service-side-field-write")?.click();
  expect(lines).toEqual([
    "%service_ask sum price by region from sales",
    "%service_ask count by region from sales",
    "%service_ask count by month of `<img src=x onerror=alert(1)>` from sales",
    "price",
  ]);
});
