// @vitest-environment jsdom
import { nullTranslator } from "@jupyterlab/translation";
import type { Client, Source } from "@service-nb/client";
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
async function view(sources: readonly Source[], fault?: string): Promise<{ node: HTMLElement; lines: string[] }> {
  const lines: string[] = [];
  const client = { ask: () => Promise.resolve({ sources, fault }) } as unknown as Client;
  const insert = (line: string): void => void lines.push(line);
  const actions = { insert, write: insert, load: insert } as unknown as ConstructorParameters<typeof SourcesView>[0];
  const made = new SourcesView(actions, nullTranslator.load("service_nb"));
  const hello = { version: 1, made_by: "", contract_hash: null, capabilities: 0, project: "" };
  made.situate({ panel: null, link: { is: "ready", client, hello }, isBusy: false }, []);
  await new Promise((resolve) => setTimeout(resolve, 0));
  return { node: made.node, lines };
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
