import { ALLOWED_ATTRIBUTES } from "@service-nb/cards";
import type { Page } from "@playwright/test";
import { cards, expect, type LabPage, onDisk, open, shot, test } from "./lab.js";

const MIME = "application/vnd.service-nb.card.v1+json";
const AT_ONCE = 40; // JupyterLab shows at most fifty outputs of a cell

const ELEMENTS = [
  ...["section", "div", "span", "strong", "p", "ul", "ol", "li", "dl", "dt", "dd", "code", "details", "summary"],
  ...["table", "caption", "thead", "tbody", "tr", "th", "td", "button", "input", "label", "output", "select", "option"],
];
// Signs and charts are drawn by us; what JupyterLab's typesetter draws stands in `.service-formula`.
const DRAWN = ["svg", "path", "g", "line", "rect", "text", "circle", "polyline", "title", "desc", "tspan"];
const DRAWN_ATTRIBUTES = [
  ...["viewBox", "d", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "cx", "cy", "r", "rx", "width", "height", "points"],
  ...["text-anchor", "dominant-baseline", "transform", "preserveAspectRatio", "focusable", "aria-roledescription"],
];
// The sidebar shows what cards say as text and as titles; the rest of these come from JupyterLab's widgets and from us.
const SIDEBAR_ATTRIBUTES = [
  "title",
  "style",
  "for",
  "maxlength",
  "data-state",
  "aria-selected",
  "aria-disabled",
  "max",
];
const SIDEBAR_ELEMENTS = ["progress", "h2", "h3", "form", "nav"];
// What mathematics of a formula has no need of.
const LIVE = "a, img, svg, [href], [id], [style*='url'], [style*='fixed'], [data-commandlinker-command]";
const SHOWN_CLASS = /^(?:(?:service-is-not_checkable|(?:service|jp|lm)-[A-Za-z0-9-]+)\s?)*$/;

test("nothing of a forged card is more than text", async ({ page }) => {
  const forged = onDisk("hostile.jsonl").trim().split("\n");
  expect(forged.length).toBeGreaterThanOrEqual(150);
  await open(page, "hostile.ipynb");
  await expect(cards(page).first()).toBeVisible();

  await test.step("as cards of a notebook that was opened", async () => {
    await settled(page);
    expect(await faults(page)).toEqual([]);
  });

  for (let at = 0; at < forged.length; at += AT_ONCE) {
    await test.step(`cards ${String(at)} and on`, async () => {
      const some = forged.slice(at, at + AT_ONCE);
      await show(page, some, MIME);
      await expect(cards(page)).toHaveCount(some.length);
      await settled(page);
      await unfold(page);
      expect(await faults(page)).toEqual([]);
    });
  }
  await shot(page, "hostile");
});

test("nor where the extension is not, and JupyterLab shows the HTML of the card", async ({ page }) => {
  const faces = onDisk("hostile-html.jsonl").trim().split("\n");
  expect(faces.length).toBeGreaterThanOrEqual(150);
  await open(page, "plain.ipynb");
  for (let at = 0; at < faces.length; at += AT_ONCE) {
    await show(page, faces.slice(at, at + AT_ONCE), "text/html");
    await expect(page.locator(".jp-RenderedHTMLCommon.jp-OutputArea-output")).toHaveCount(
      Math.min(AT_ONCE, faces.length - at),
    );
    expect(await plainFaults(page)).toEqual([]);
  }
});

/** Puts outputs into the first code cell, as a kernel does that nobody trusts. */
async function show(page: Page, texts: readonly string[], mime: string): Promise<void> {
  await page.evaluate(
    ([lines, type]) => {
      interface Outputs {
        clear(): void;
        add(output: unknown): void;
        trusted: boolean;
      }
      interface Panel {
        content: { widgets: { model: { outputs?: Outputs } }[] };
      }
      const panel = self.jupyterapp.shell.currentWidget as unknown as Panel;
      const filled = panel.content.widgets.filter((cell) => cell.model.outputs !== undefined);
      for (const cell of filled) cell.model.outputs?.clear();
      const outputs = filled[0]?.model.outputs;
      if (outputs === undefined) throw new Error("the notebook has no code cell");
      for (const line of lines) {
        outputs.add({ output_type: "display_data", metadata: {}, data: { [type]: JSON.parse(line) as unknown } });
      }
    },
    [texts, mime] as const,
  );
}

async function settled(page: Page): Promise<void> {
  await expect(page.locator(".service-is-pending")).toHaveCount(0, { timeout: 30_000 });
}

/** Opens all that is folded and draws all that can be drawn. */
async function unfold(page: LabPage): Promise<void> {
  await page.evaluate(() => {
    for (const folded of self.document.querySelectorAll<HTMLDetailsElement>(".service-card details"))
      folded.open = true;
    for (const toggle of self.document.querySelectorAll<HTMLElement>(".service-chart-toggle")) toggle.click();
  });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
}

interface Rules {
  elements: string[];
  attributes: string[];
  sidebarElements: string[];
  sidebarAttributes: string[];
  drawn: string[];
  drawnAttributes: string[];
  names: string;
  live: string;
}

/** What the cards of the page have that they must not have. */
async function faults(page: Page): Promise<string[]> {
  const rules: Rules = {
    elements: ELEMENTS,
    attributes: [...ALLOWED_ATTRIBUTES],
    sidebarElements: [...ELEMENTS, ...SIDEBAR_ELEMENTS],
    sidebarAttributes: [...ALLOWED_ATTRIBUTES, ...SIDEBAR_ATTRIBUTES],
    drawn: DRAWN,
    drawnAttributes: [...ALLOWED_ATTRIBUTES, ...DRAWN_ATTRIBUTES],
    names: SHOWN_CLASS.source,
    live: LIVE,
  };
  return page.evaluate((given: Rules) => {
    const met = new Set<string>();
    const names = new RegExp(given.names);
    const roots = self.document.querySelectorAll(".service-card, .service-sidebar, .service-evidence");
    for (const root of roots) {
      for (const element of [root, ...root.querySelectorAll("*")]) {
        if (element.closest("mjx-container") !== null) {
          if (element.closest(".service-formula") === null) met.add("mathematics outside a formula");
          if (element.matches(given.live)) met.add("a formula that is more than mathematics");
          continue;
        }
        const isDrawn = element.namespaceURI === "http://www.w3.org/2000/svg";
        const isCard = element.closest(".service-card") !== null;
        const elements = isDrawn ? given.drawn : isCard ? given.elements : given.sidebarElements;
        if (!elements.includes(element.localName)) met.add(`<${element.localName}>`);
        const allowed = isDrawn ? given.drawnAttributes : isCard ? given.attributes : given.sidebarAttributes;
        for (const { name, value } of element.attributes) {
          if (!allowed.includes(name)) met.add(`<${element.localName} ${name}="${value.slice(0, 60)}">`);
          if (name === "class" && !names.test(value)) met.add(`<${element.localName} class="${value.slice(0, 60)}">`);
          if (name === "id" && !/^service-[a-z0-9-]+$/.test(value)) met.add(`id="${value.slice(0, 60)}"`);
        }
      }
    }
    const ids = [...self.document.querySelectorAll(".service-card [id]")].map(({ id }) => id);
    if (new Set(ids).size !== ids.length) met.add("an id twice");
    if ("polluted" in {}) met.add("a polluted prototype");
    return [...met];
  }, rules);
}

/** What JupyterLab left of the plain face, beyond the few elements and attributes that we wrote. */
async function plainFaults(page: Page): Promise<string[]> {
  return page.evaluate((live: string) => {
    const elements = ["div", "span", "strong", "code", "pre", "ul", "ol", "li", "br", "details", "summary"];
    const met = new Set<string>();
    for (const root of self.document.querySelectorAll(".jp-RenderedHTMLCommon.jp-OutputArea-output")) {
      for (const element of root.querySelectorAll("*")) {
        if (element.closest("mjx-container") !== null) {
          if (element.matches(live)) met.add("a formula that is more than mathematics");
          continue;
        }
        if (!elements.includes(element.localName)) met.add(`<${element.localName}>`);
        for (const { name, value } of element.attributes) {
          if (!["class", "style"].includes(name)) met.add(`<${element.localName} ${name}="${value.slice(0, 60)}">`);
          if (/url\(|position|expression/i.test(value)) met.add(`${name}="${value.slice(0, 60)}"`);
        }
      }
    }
    return [...met];
  }, LIVE);
}
