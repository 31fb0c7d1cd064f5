import { colourViolations, THEMES, violations, wear } from "./reading.js";
import { cards, expect, expectVerdicts, type LabPage, onDisk, open, OWN, shot, test, writeToDisk } from "./lab.js";

const OURS = [".service-card", ".service-sidebar"];

test("every kind of card, the sidebar, and a file of a card can be read by all and used by keyboard", async ({
  page,
}) => {
  await open(page, "kinds.ipynb");
  await expect(cards(page)).toHaveCount(11);

  await test.step("what each verification says is said in words", async () => {
    await expectVerdicts(page, Array<string>(11).fill(OWN));
  });

  await test.step("Tab reaches every control of a card and leaves it; Enter and Space act", async () => {
    await byKeyboard(page);
  });

  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "evidence" }));
  const sidebar = page.locator(".service-sidebar");
  await expect(sidebar.getByRole("row")).toHaveCount(11);
  await unfold(page);
  const noted = page.locator(".service-verdict-notes", { hasText: "the hash cannot be recomputed here" });
  await expect(noted).toHaveCount(1); // of the one without rows
  for (const [theme, look] of [
    [THEMES[0], violations],
    [THEMES[1], colourViolations],
  ] as const) {
    await test.step(theme, async () => {
      await wear(page, theme);
      await sidebar.getByRole("tab", { name: "Evidence" }).click();
      await expect(cards(page).first().locator(".service-chart svg")).toBeVisible();
      expect(await look(page, OURS)).toEqual([]);
      await shot(page, `kinds-${theme.split(" ")[1]?.toLowerCase() ?? ""}`);
      for (const section of ["Sources", "Capabilities"]) {
        await sidebar.getByRole("tab", { name: section }).click();
        expect(await look(page, [".service-sidebar"])).toEqual([]);
      }
    });
  }

  await test.step("a file of a card opens as a card, and one that is broken says what is wrong", async () => {
    await expectFilesSay(page);
  });
});

async function expectFilesSay(page: LabPage): Promise<void> {
  const card = onDisk("answer.servicecard.json");
  const files = [
    { name: "answer.servicecard.json", text: card, says: OWN },
    { name: "forged.servicecard.json", text: card.replaceAll("1234.5", "9234.5"), says: /^Altered: / },
    { name: "cut.servicecard.json", text: card.slice(0, 900), says: /^Altered: .*JSON/ },
    { name: "twice.servicecard.json", text: card.replace("{", '{"kind": "query",'), says: /^Altered: / },
    {
      name: "another.servicecard.json",
      text: '{"kind": "weather", "version": 1}',
      says: /^Altered: /,
    },
    {
      name: "newer.servicecard.json",
      text: JSON.stringify({ ...(JSON.parse(card) as object), version: 2 }),
      says: /^Altered: .*version/,
    },
  ];
  for (const { name, text, says } of files) {
    await test.step(name, async () => {
      writeToDisk(name, text);
      await open(page, name);
      await expect(page.locator(".service-document:visible .service-verdict-line")).toHaveText(says);
    });
    // A card that verified has been looked at above; these are a failure in red, and text that is no card.
    if (["forged.servicecard.json", "cut.servicecard.json"].includes(name)) {
      expect(await violations(page, [".service-document"])).toEqual([]);
    }
  }
  await shot(page, "viewer");
}

async function unfold(page: LabPage): Promise<void> {
  await page.evaluate(() => {
    for (const folded of self.document.querySelectorAll<HTMLDetailsElement>(".service-card details"))
      folded.open = true;
    self.document.querySelector<HTMLElement>(".service-chart-toggle")?.click();
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
      const first = self.document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .service-card");
      if (at === null || first?.contains(at) !== true) return null;
      return `${at.localName} ${at.getAttribute("role") ?? ""} ${at.getAttribute("aria-label") ?? at.textContent}`;
    });
    if (name === null) break;
    met.push(name);
  }
  await page.evaluate(() => self.document.querySelector("#before-the-card")?.remove());
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
