import { join } from "node:path";
import type { Locator } from "@playwright/test";
import { cards, expect, type LabPage, onDisk, open, PROJECT, test, verdicts } from "./lab.js";

const PLUGIN = "@service-nb/lab:plugin";
const FOREIGN = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="; // 32 bytes that signed nothing
const COUNT = 11;

test.beforeEach(async ({ page }) => {
  await open(page, "kinds.ipynb");
  await expect(cards(page)).toHaveCount(COUNT);
  await verdicts(page);
});

test("a key that its reader trusts is one check more, and a card of another key a mismatch", async ({ page }) => {
  const first = cards(page).first();
  const line = first.locator(".service-verdict-line");
  await expect(line).toHaveText("Verified: 11 checks");
  await expect(first).toContainText("not among your trusted keys");

  await test.step("the signer of a card is trusted once the reader has said so", async () => {
    await first.click({ button: "right", position: { x: 5, y: 5 } });
    await page.getByRole("menuitem", { name: "Trust the Signer of This Card…" }).click();
    await page.getByRole("button", { name: "Trust this key" }).click();
    await expect(line).toHaveText("Verified: 12 checks");
    await expect(first).not.toContainText("not among your trusted keys");
    expect(await mismatches(page)).toBe(0);
  });

  await test.step("another key alone", async () => {
    await trust(page, [FOREIGN]);
    await expect.poll(() => mismatches(page)).toBe(COUNT);
    await expect(first.locator(".service-failure")).toContainText(/sign/i);
  });

  await test.step("what is no key is told, and not used", async () => {
    await trust(page, ["bm8ga2V5"]);
    await expect(line).toHaveText("Verified: 11 checks");
    await showSidebar(page);
    await expect(page.locator(".service-side-faults")).toContainText("trustedKeys, entry 1 is no public key");
  });
});

test("an audit report names every card, its verdict, and how to check it again", async ({ page }) => {
  const sidebar = await showSidebar(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    sidebar.getByRole("button", { name: "Export report" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("kinds.audit.html");
  await download.saveAs(join(PROJECT, "kinds.audit.html")); // whoever started this runs the command that it names
  const told = await page.evaluate((text) => {
    const read = new DOMParser().parseFromString(text, "text/html");
    const said = (selector: string): string[] =>
      [...read.querySelectorAll(selector)].map((node) => node.textContent.trim());
    return {
      title: read.title,
      summary: said(".summary"),
      rows: said("table tbody tr td:last-child span"),
      cards: said("section > p:first-of-type > span"),
      commands: said("pre > code"),
      scripts: said("script, img, link, iframe, [onclick]"),
    };
  }, onDisk("kinds.audit.html"));
  const shown = await verdicts(page);
  expect(told.title).toBe("Audit report of kinds.ipynb");
  expect(told.summary).toEqual(["10 verified, 1 not checkable here"]);
  for (const verdict of shown) expect(told.cards.join("\n")).toContain(verdict);
  expect(told.cards).toHaveLength(COUNT);
  expect(told.commands).toEqual(["service-nb verify kinds.ipynb"]);
  expect(told.scripts).toEqual([]);
});

test("commands can be found and run, and a row of the list leads to its card", async ({ page }) => {
  await test.step("the palette has all of them", async () => {
    await search(page, "service");
    await expect(page.locator('.lm-CommandPalette-item[data-command^="service-nb:"]')).toHaveCount(9);
    await page.keyboard.press("Escape");
  });

  await test.step("verify all", async () => {
    await choose(page, "Verify All Cards");
    const sidebar = page.locator(".service-sidebar");
    await expect(sidebar.getByRole("tab", { name: /^Evidence/ })).toHaveAttribute("aria-selected", "true");
    await expect(sidebar.locator(".service-side-summary:visible")).toHaveText("10 verified, 1 not checkable here");
  });

  await test.step("a row leads to its card", async () => {
    const row = page.locator(".service-sidebar").getByRole("row").nth(8);
    await row.locator(".service-side-row-jump").click();
    await expect(page.locator(".jp-Notebook .jp-Cell").nth(9)).toHaveClass(/jp-mod-active/);
    await expect(cards(page).nth(8)).toBeInViewport();
    await expect(page.locator(".jp-Notebook .jp-Cell").nth(9)).toBeFocused();
  });

  await test.step("a question is put into a cell below, and not run", async () => {
    const before = await page.locator(".jp-Notebook .jp-Cell").count();
    await choose(page, "Insert a Question");
    await expect(page.locator(".jp-Notebook .jp-Cell")).toHaveCount(before + 1);
    const inserted = page.locator(".jp-Notebook .jp-Cell").nth(10);
    await expect(inserted.locator(".cm-content")).toContainText("%service_ask");
    await expect(inserted.locator(".cm-content")).toBeFocused();
    await expect(inserted.locator(".jp-InputPrompt")).toHaveText("[ ]:");
  });

  await test.step("the sidebar opens", async () => {
    await page.evaluate(() => self.jupyterapp.commands.execute("application:toggle-left-area"));
    await expect(page.locator(".service-sidebar")).toBeHidden();
    await choose(page, "Open the Service Sidebar");
    await expect(page.locator(".service-sidebar")).toBeVisible();
  });
});

async function mismatches(page: LabPage): Promise<number> {
  return page.locator("section.service-is-altered").count();
}

/** Trusts these keys and no others, as who edits the settings does. */
async function trust(page: LabPage, keys: readonly string[]): Promise<void> {
  await page.evaluate(
    async ([plugin, trusted]) => {
      interface Registry {
        set(plugin: string, setting: string, value: unknown): Promise<void>;
      }
      const registry: unknown = await self.galata.getPlugin("@jupyterlab/apputils-extension:settings");
      await (registry as Registry).set(plugin, "trustedKeys", trusted);
    },
    [PLUGIN, keys] as const,
  );
}

async function showSidebar(page: LabPage): Promise<Locator> {
  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "evidence" }));
  const sidebar = page.locator(".service-sidebar");
  await expect(sidebar.getByRole("row")).toHaveCount(COUNT);
  return sidebar;
}

/** Opens the palette and writes into it; a notebook that has just come takes the focus once more, and closes it. */
async function search(page: LabPage, words: string): Promise<void> {
  const input = page.locator(".lm-CommandPalette-input:visible");
  await expect(async () => {
    if (!(await input.isVisible())) await page.keyboard.press("Control+Shift+C");
    await input.fill(words, { timeout: 2_000 });
    await expect(input).toHaveValue(words, { timeout: 1_000 });
  }).toPass();
}

async function choose(page: LabPage, label: string): Promise<void> {
  await search(page, label);
  const item = page.locator('.lm-CommandPalette-item[data-command^="service-nb:"]').first();
  await expect(item).toContainText(label);
  await item.click();
}
