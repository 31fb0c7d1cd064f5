// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ALLOWED_ATTRIBUTES, ALLOWED_SVG_ATTRIBUTES, type CardEnvironment, CardView } from "../src/index.js";
import { visible } from "../src/visible.js";
import { cardNamed } from "./vectors.js";

const HOSTILE = join(import.meta.dirname, "../../../../tests/vectors/cards/hostile_text.json");
const payloads = Object.values(JSON.parse(readFileSync(HOSTILE, "utf-8")) as Record<string, string[]>).flat();
const SVG = "http://www.w3.org/2000/svg";

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    "section div span strong p ul ol li dl dt dd code details summary button table caption thead tbody tr th td " +
    "input select option label svg path g text tspan title desc rect line circle polyline"
  ).split(" "),
);

const page = globalThis.document;
const views: CardView[] = [];

const environment: CardEnvironment = {
  say: (text) => text,
  copy: () => Promise.resolve(),
  typeset: () => undefined,
  onVerify: () => undefined,
  onReplay: () => undefined,
};

/** The same with another text in every place: all that a forger can reach. */
function poisoned(value: unknown, text: () => string): unknown {
  if (typeof value === "string") return text();
  if (Array.isArray(value)) return value.map((item) => poisoned(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, KEPT.has(key) ? item : poisoned(item, text)]),
  );
}

// Without these the card would be shown as unreadable, which reaches less.
const KEPT: ReadonlySet<string> = new Set(["role", "type", "status"]);

function opened(card: unknown): HTMLElement {
  const host = page.createElement("div");
  page.body.append(host);
  const view = new CardView(host, environment);
  views.push(view);
  view.show(card);
  for (const details of host.querySelectorAll("details")) {
    details.open = true;
    details.dispatchEvent(new Event("toggle"));
  }
  return host;
}

function poisonedCard(name: string, text: () => string): unknown {
  const card = cardNamed(name);
  return { ...card, view: poisoned(card["view"], text) };
}

/** What no card may have on a page. */
function faults(host: HTMLElement): readonly string[] {
  return [...host.querySelectorAll("*")].flatMap((element) => {
    const allowed = element.namespaceURI === SVG ? ALLOWED_SVG_ATTRIBUTES : ALLOWED_ATTRIBUTES;
    const names = element.getAttributeNames().filter((name) => !allowed.has(name));
    const isKnown = ELEMENTS.has(element.localName);
    return [...names.map((name) => `${element.localName}[${name}]`), ...(isKnown ? [] : [element.localName])];
  });
}

afterEach(() => {
  for (const view of views.splice(0)) view.dispose();
  page.body.replaceChildren();
});

describe.each(["grouped", "one number", "record", "candidates", "hostile error", "differs"])("%s", (name) => {
  it("stays text, whichever hostile texts stand in it", () => {
    const left = [...payloads];
    const met: string[] = [];
    while (left.length > 0) {
      const host = opened(poisonedCard(name, () => left.pop() ?? "the end"));
      expect(faults(host)).toEqual([]);
      met.push(host.textContent);
      views.splice(0).forEach((view) => {
        view.dispose();
      });
    }
    const said = met.join("\n");
    const shown = payloads.filter((payload) => said.includes(visible(payload).trim().slice(0, 40)));
    expect(shown.length).toBeGreaterThan(payloads.length / 3); // the rest stood where nothing is shown
  });

  it("never shows a character that steers the eye", () => {
    const steering = Array.from("\u202e\u2066\u200b\ufeff\u0000\u001b\u2028\u{e0041}");
    const host = opened(poisonedCard(name, () => `a${steering.join("")}b`));
    expect(steering.filter((char) => host.textContent.includes(char))).toEqual([]);
    expect(host.textContent).toContain("a\\u202e\\u2066\\u200b\\ufeff\\x00\\x1b\\u2028\\u{e0041}b");
    const names = [...host.querySelectorAll("[aria-label]")].map((each) => each.getAttribute("aria-label") ?? "");
    expect(names.filter((label) => steering.some((char) => label.includes(char)))).toEqual([]);
  });

  it.each(["x", "漢\u202e"])("stays small where every text is far too long, of %j", (text) => {
    const host = opened(poisonedCard(name, () => text.repeat(50_000)));
    expect(faults(host)).toEqual([]);
    expect(host.textContent.length).toBeLessThan(1_000_000);
  });
});

describe("a chart", () => {
  it("holds hostile names as text", async () => {
    const card = cardNamed("grouped");
    const names = payloads.filter((payload) => payload.length < 60).slice(0, 60);
    const rows = names.map((name, at) => [name, String(at), "1"]);
    const host = opened({ ...card, view: { ...(card["view"] as object), rows, row_count: rows.length } });
    host.querySelector<HTMLElement>(".service-chart-toggle")?.click();
    await vi.waitFor(
      () => {
        expect(host.querySelector(".service-chart svg")).not.toBeNull();
      },
      { timeout: 60_000 },
    );
    expect(faults(host)).toEqual([]);
  });
});

describe("mathematics from outside", () => {
  it.each([
    "x\\)<img src=x>",
    "\\href{javascript:alert(1)}{x}",
    "$$x$$",
    "\\(x\\)",
    "\\unicode{x202e}",
    "\\require{html}",
  ])("%s is never handed to who sets mathematics", (latex) => {
    const set: string[] = [];
    const card = cardNamed("money");
    const host = page.createElement("div");
    const view = new CardView(host, { ...environment, typeset: (node) => set.push(node.textContent) });
    views.push(view);
    view.show({ ...card, view: { ...(card["view"] as object), latex } });
    expect(set).toEqual([]);
  });
});

describe("a view of more parts than any that was made", () => {
  const computed = (view: object): unknown => {
    const card = cardNamed("matrix");
    return { ...card, view: { ...(card["view"] as object), ...view } };
  };

  it("does not fill up many short rows to the length of a long one", () => {
    const rows = [new Array<string>(20_000).fill("1"), ...new Array<string[]>(20_000).fill([])];
    const host = opened(computed({ rows, row_count: rows.length }));
    expect(host.querySelector("table")).toBeNull();
    expect(host.textContent).toContain("cannot be shown");
  });

  it("is shown where it has more rows or facts than one call takes arguments", () => {
    const binding: unknown = (cardNamed("bindings")["view"] as { bindings: unknown[] }).bindings[0];
    const host = opened(
      computed({
        rows: new Array<string[]>(90_000).fill(["1"]),
        row_count: 90_000,
        bindings: new Array<unknown>(150_000).fill(binding),
      }),
    );
    // Of a table that long only what is in sight is in the page.
    expect(Number(host.querySelector("table")?.getAttribute("aria-rowcount"))).toBeGreaterThan(1_000);
    expect(host.querySelectorAll("tbody tr").length).toBeLessThan(100);
  });

  it("shows the first of its columns, and says so", () => {
    const columns = Array.from({ length: 5_000 }, (_, at) => `c${String(at)}`);
    const host = opened(computed({ columns, rows: [columns, columns], row_count: 2 }));
    expect(host.querySelectorAll("td, th").length).toBeLessThan(1_000);
    expect(host.querySelector("caption")?.textContent).toBe("2 items · 200 of 5,000 columns on this page");
  });

  it("shows the first of them", () => {
    const card = cardNamed("candidates");
    const [candidate] = (card["view"] as { candidates: unknown[] }).candidates;
    const many = { candidates: Array.from({ length: 20_000 }, () => candidate) };
    const host = opened({ ...card, view: { ...(card["view"] as object), ...many } });
    expect(host.querySelectorAll("li").length).toBeLessThan(200);
  });
});
