import { AxeBuilder } from "@axe-core/playwright";
import { cards, expect, type LabPage, open, shot, test, verdicts, writeToDisk, onDisk } from "./lab.js";

const OURS = [".service-card", ".service-sidebar"];
const THEMES = ["JupyterLab Light", "JupyterLab Dark"];

test("every kind of card, and the sidebar, can be read by all and used by keyboard", async ({ page }) => {
  await open(page, "kinds.ipynb");
  await expect(cards(page)).toHaveCount(11);
  await verdicts(page);
  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "evidence" }));
  await expect(page.locator(".service-sidebar [role=row]")).toHaveCount(11);

  await test.step("what each verification says is said in words", async () => {
    const said = await verdicts(page);
    expect(said.filter((line) => /^Verified: \d+ checks$/.test(line))).toHaveLength(10);
    expect(said.filter((line) => line.startsWith("Not checkable here: "))).toHaveLength(1); // the one without rows
  });

  for (const theme of THEMES) {
    await test.step(theme, async () => {
      await wear(page, theme);
      expect(await violations(page, OURS)).toEqual([]);
      await unfold(page);
      expect(await violations(page, OURS)).toEqual([]);
      await shot(page, `kinds-${theme.split(" ")[1]?.toLowerCase() ?? ""}`);
      for (const section of ["Sources", "Capabilities", "Evidence"]) {
        await page.locator(".service-sidebar").getByRole("tab", { name: section }).click();
        expect(await violations(page, [".service-sidebar"])).toEqual([]);
      }
    });
  }

  await test.step("Tab reaches every control of a card and leaves it; Enter and Space act", async () => {
    await open(page, "one.ipynb");
    const card = page.locator(".jp-NotebookPanel:visible .service-card").first();
    await expect(card.locator(".service-verdict")).toContainText(/Verified: /);
    await byKeyboard(page);
  });
});

test("a file of a card opens as a card, and one that is broken says what is wrong", async ({ page }) => {
  const card = onDisk("answer.servicecard.json");
  const files = [
    { name: "answer.servicecard.json", text: card, says: /^Verified: \d+ checks$/ },
    { name: "forged.servicecard.json", text: card.replaceAll("1234.5", "9234.5"), says: /^Mismatch: / },
    { name: "cut.servicecard.json", text: card.slice(0, 900), says: /^Mismatch: .*JSON/ },
    { name: "twice.servicecard.json", text: card.replace("{", '{"kind": "query",'), says: /^Mismatch: / },
    {
      name: "another.servicecard.json",
      text: '{"kind": "weather", "version": 1}',
      says: /^(?:Mismatch|Not checkable here): /,
    },
    {
      name: "newer.servicecard.json",
      text: JSON.stringify({ ...(JSON.parse(card) as object), version: 2 }),
      says: /^Not checkable here: /,
    },
  ];
  for (const { name, text, says } of files) {
    await test.step(name, async () => {
      writeToDisk(name, text);
      await open(page, name);
      const front = page.locator(".service-document:visible");
      await expect(front.locator(".service-verdict-line")).toHaveText(says);
      expect(await violations(page, [".service-document"])).toEqual([]);
    });
  }
  await shot(page, "viewer");
});

async function wear(page: LabPage, theme: string): Promise<void> {
  await page.evaluate((name) => self.jupyterapp.commands.execute("apputils:change-theme", { theme: name }), theme);
  await expect(page.locator("body")).toHaveAttribute("data-jp-theme-name", theme);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** What axe-core finds, in our elements alone: JupyterLab's own are its own. No rule is off. */
async function violations(page: LabPage, places: readonly string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  for (const place of places) axe.include(place);
  const { violations: found, passes } = await axe.analyze();
  expect(passes.length, "rules that were tried").toBeGreaterThan(5);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}

async function unfold(page: LabPage): Promise<void> {
  await page.evaluate(() => {
    for (const folded of self.document.querySelectorAll<HTMLDetailsElement>(".service-card details"))
      folded.open = true;
  });
  await expect(page.locator(".service-facts").first()).toBeVisible();
}

/** Walks through the card in front with Tab alone, and acts with Enter and Space. */
async function byKeyboard(page: LabPage): Promise<void> {
  const card = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .service-card").first();
  await card.locator("summary", { hasText: "Details" }).focus();
  await page.keyboard.press("Enter");
  await expect(card.locator(".service-facts")).toBeVisible();
  await page.keyboard.press("Space");
  await expect(card.locator(".service-facts")).toBeHidden();

  await page.evaluate(() => {
    const node = self.document.createElement("button");
    node.id = "before-the-card";
    self.document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .service-card")?.before(node);
    node.focus();
  });
  const met: string[] = [];
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const at = self.document.activeElement;
      if (!at?.closest(".service-card")) return null;
      return `${at.localName} ${at.getAttribute("role") ?? ""} ${at.getAttribute("aria-label") ?? at.textContent}`;
    });
    if (name === null) break;
    met.push(name);
  }
  expect(met.length).toBeLessThan(60); // no trap: focus has left the card
  for (const wanted of [
    /Verify/,
    /^summary .*Copy/,
    /^summary .*Export/,
    /^summary .*Details/,
    /^(?:td|th|table|div)/,
  ]) {
    expect(
      met.filter((name) => wanted.test(name)),
      `${String(wanted)} of ${met.join(" | ")}`,
    ).not.toEqual([]);
  }
}
