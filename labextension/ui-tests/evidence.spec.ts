import { join } from "node:path";
import type { Locator } from "@playwright/test";
import { cards, expect, expectVerdicts, idle, type LabPage, onDisk, open, OWN, PROJECT, save, test } from "./lab.js";

const PLUGIN = "@service-nb/lab:plugin";
const FOREIGN = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="; // 32 bytes that signed nothing
const COUNT = 12; // one of each kind, and the last that a stranger signed
const OWNS = Array<string>(COUNT - 1).fill(OWN);
const UNKNOWN = /^Unaltered · signed by an unknown key [0-9a-f]{8}…$/;
const TRUSTED = /^Verified · signed by key [0-9a-f]{8}…$/;
const SUMMARY = "11 verified, 1 unaltered";

test.beforeEach(async ({ page }) => {
  await open(page, "kinds.ipynb");
  await expect(cards(page)).toHaveCount(COUNT);
  await expectVerdicts(page, [...OWNS, UNKNOWN]);
});

test("a card of a stranger is Verified once its reader trusts the key, and Unaltered under any other key", async ({
  page,
}) => {
  const card = cards(page).last();
  await card.locator(".service-details > summary").click();
  await expect(card).toContainText("Compare the fingerprint with its owner");

  await test.step("the signer of a card is trusted once the reader has said so", async () => {
    await card.click({ button: "right", position: { x: 5, y: 5 } });
    await page.getByRole("menuitem", { name: "Trust the Signer of This Card…" }).click();
    await expectVerdicts(card, [UNKNOWN]); // it is asked first
    await page.getByRole("button", { name: "Trust this key" }).click();
    await expectVerdicts(page, [...OWNS, TRUSTED]);
    await expect(card).not.toContainText("Compare the fingerprint with its owner");
  });

  await test.step("another key alone: the cards of this machine stay those of its reader", async () => {
    await trust(page, [FOREIGN]);
    await expectVerdicts(page, [...OWNS, UNKNOWN]);
  });

  await test.step("what is no key is told, and not used", async () => {
    await trust(page, ["bm8ga2V5"]);
    const sidebar = await showSidebar(page);
    await expect(page.locator(".service-side-faults")).toContainText("trustedKeys, entry 1 is no public key");
    await expectVerdicts(page, [...OWNS, UNKNOWN]);
    await expect(sidebar.locator(".service-side-summary:visible")).toHaveText(SUMMARY);
  });
});

test("an audit report names every card, its verdict, and how to check it again", async ({ page }) => {
  await idle(page);
  await save(page); // Jupyter notes the kernel in the notebook as soon as it has one
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
      summary: said(".verdict p"),
      verdicts: said("table.cards tbody td:first-child"),
      commands: said("pre > code"),
      scripts: said("script, img, link, iframe, [onclick]"),
    };
  }, onDisk("kinds.audit.html"));
  expect(told.title).toBe("Unaltered · service-nb verify");
  expect(told.summary).toContain(`12 checked in 1 file: ${SUMMARY}`);
  const shown = await page.locator(".service-verdict-line").allTextContents();
  expect(shown).toHaveLength(COUNT);
  expect(told.verdicts.map((line) => line.slice(2))).toEqual(shown); // after their sign
  expect(told.commands).toEqual([expect.stringMatching(/^service-nb verify kinds\.ipynb --key \S{44}$/)]);
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
    await expect(sidebar.locator(".service-side-summary:visible")).toHaveText(SUMMARY);
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
