// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import widget from "../src/widget.js";
import type { Model } from "../src/wire.js";
import { Recorded } from "./kernel.js";
import { button, choose, host, list, settled } from "./page.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Message = Readonly<Record<string, unknown>>;

/** anywidget's model, and behind it a kernel that answers the link as recorded. */
class Kernel implements Model {
  readonly sent: Message[] = [];
  readonly #taking = new Map<string, Set<(content?: unknown) => void>>();
  isGone = false;

  send(content: unknown): void {
    if (this.isGone) throw new Error("Cannot send");
    const message = content as Message;
    this.sent.push(message);
    if (!("link" in message)) return;
    const recorded = new Recorded();
    recorded.onMessage((link) => {
      this.say({ service_nb_panel: 1, view: message["view"], link });
    });
    recorded.send(message["link"]);
  }

  on(event: string, take: (content?: unknown) => void): void {
    this.#taking.set(event, (this.#taking.get(event) ?? new Set()).add(take));
  }

  off(event: string, take: (content?: unknown) => void): void {
    this.#taking.get(event)?.delete(take);
  }

  say(content: unknown): void {
    this.trigger("msg:custom", content);
  }

  trigger(event: string, content?: unknown): void {
    for (const take of [...(this.#taking.get(event) ?? [])]) take(content);
  }

  get runs(): Message[] {
    return this.sent.filter((message) => "run" in message);
  }
}

async function panel(kernel = new Kernel()): Promise<{ root: HTMLElement; kernel: Kernel; remove: () => void }> {
  const root = host();
  const remove = widget.render({ model: kernel, el: root });
  await settled();
  if (!kernel.isGone) {
    choose(list(root, "Compute"), "sum");
    await settled();
  }
  return { root, kernel, remove };
}

const said = (root: HTMLElement): string => root.querySelector(".service-said-last")?.textContent ?? "";

it("runs a line in the kernel, and holds its buttons until that is done", async () => {
  const { root, kernel } = await panel();
  button(root, "Run").click();
  const [run] = kernel.runs;
  expect(run?.["run"]).toMatchObject({ line: expect.stringMatching(/^%service_ask /) as string });
  expect(button(root, "Run").disabled).toBe(true);
  expect(root.querySelector(".service-live-status")?.textContent).toContain("interrupt the kernel");
  kernel.say({
    service_nb_panel: 1,
    view: run?.["view"],
    ran: { id: 1, status: "error", message: "timeout: too long" },
  });
  await settled();
  expect(said(root)).toBe("✗ timeout: too long");
  expect(button(root, "Run").disabled).toBe(false);
});

it.each([
  ["in a page that opened the notebook again", true, false, /^✓ Done The notebook was opened again: below may stand/],
  ["where our extension finds the place below again", true, true, /^✓ Done$/],
  ["in the page that opened the panel", false, false, /^✓ Done$/],
])("says whether its card can stand below, %s", async (_, reopened, inLab, says) => {
  const { root, kernel } = await panel();
  if (inLab) root.classList.add("service-panel-output");
  button(root, "Run").click();
  const ran = { id: 1, status: "answered", message: "Done", reopened };
  kernel.say({ service_nb_panel: 1, view: kernel.runs[0]?.["view"], ran });
  await settled();
  expect(said(root)).toMatch(says);
});

it("takes no answer that is for another view, or in another shape", async () => {
  const { root, kernel } = await panel();
  button(root, "Run").click();
  const view = kernel.runs[0]?.["view"];
  const ran = { id: 1, status: "answered", message: "forged" };
  const others = [null, "x", { service_nb_panel: 2, view, ran }, { service_nb_panel: 1, view: "other", ran }];
  const shapes = [{ ...ran, status: "odd" }, { ...ran, id: 9 }, { ...ran, message: 7 }, "ran"];
  for (const each of others) kernel.say(each);
  for (const each of shapes) kernel.say({ service_nb_panel: 1, view, ran: each });
  await settled();
  expect(said(root)).toBe("");
});

it("keeps two views of one model apart", async () => {
  const kernel = new Kernel();
  const first = await panel(kernel);
  const second = await panel(kernel);
  button(second.root, "Run").click();
  kernel.say({
    service_nb_panel: 1,
    view: kernel.runs[0]?.["view"],
    ran: { id: 1, status: "answered", message: "Done" },
  });
  await settled();
  expect([said(first.root), said(second.root)]).toEqual(["", "✓ Done"]);
});

it("gives a line to the page for a new cell, and to the clipboard where nobody takes it", async () => {
  const { root } = await panel();
  const taken: unknown[] = [];
  const take = (event: Event): void => {
    taken.push((event as CustomEvent).detail);
    event.preventDefault();
  };
  root.addEventListener("service-nb:insert", take);
  button(root, "Copy line").click();
  await settled();
  expect(taken).toEqual([{ line: expect.stringMatching(/^%service_ask /) as string }]);
  expect(said(root)).toBe("Line added in a new cell.");
  root.removeEventListener("service-nb:insert", take);
  button(root, "Copy line").click();
  await settled();
  expect(said(root)).toContain("select the line and copy it"); // jsdom has no clipboard, as pages by plain http
});

it.each(["comm:close", "comm_live_update", "destroy"])(
  "says on %s that its kernel is gone, and acts no more",
  async (event) => {
    const { root, kernel } = await panel();
    button(root, "Run").click();
    kernel.trigger(event);
    await settled();
    expect(said(root)).toContain("needs its kernel");
    expect(button(root, "Run").disabled).toBe(true);
  },
);

it("says so too when it is shown without a kernel", async () => {
  const kernel = new Kernel();
  kernel.isGone = true;
  const { root } = await panel(kernel);
  expect(said(root)).toContain("needs its kernel");
});

it("goes from tab to tab by arrows", async () => {
  const { root } = await panel();
  const ask = button(root, "Ask");
  ask.focus();
  ask.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  expect(button(root, "Compute").getAttribute("aria-selected")).toBe("true");
  expect(root.ownerDocument.activeElement).toBe(button(root, "Compute"));
});

it("leaves nothing behind", async () => {
  const { root, kernel, remove } = await panel();
  remove();
  expect(root.childElementCount).toBe(0);
  kernel.say({ service_nb_panel: 1, view: "x", link: {} });
});
