import { cards, expect, expectVerdicts, open, OWN, shot, shotPath, test } from "./lab.js";
import { colourViolations, wear } from "./reading.js";

const THEMES = ["JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"] as const;
const WIDTHS = [320, 640, 1280]; // 320 is what is left of 1280 at 400 %

test("cards verify and can be read in any window, theme and colours", async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 1000 });
  await open(page, "looks.ipynb");
  await expect(cards(page)).toHaveCount(12);
  await expectVerdicts(page, [/^Altered: /, ...Array<string>(11).fill(OWN)]);
  await expect(page.locator("section.service-is-altered")).toHaveCount(1);
  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "evidence" }));
  await expect(page.locator(".service-sidebar").getByRole("row")).toHaveCount(12);

  for (const theme of THEMES) {
    await wear(page, theme);
    expect(await colourViolations(page, [".service-card", ".service-sidebar"])).toEqual([]);
    const sort = theme.replace("JupyterLab ", "").replaceAll(" ", "-");
    await page.locator(".service-sidebar").screenshot({ path: shotPath(`sidebar-${sort}`) });
    for (const width of WIDTHS) {
      await test.step(`${theme}, ${String(width)} pixels`, async () => {
        await page.evaluate((pixels) => {
          for (const area of self.document.querySelectorAll<HTMLElement>(".jp-OutputArea-output")) {
            area.style.flex = `0 0 ${String(pixels)}px`; // they grow, whatever their width is
            area.style.minWidth = "0";
          }
        }, width);
        for (const [number, card] of (await cards(page).all()).entries()) {
          await card.scrollIntoViewIfNeeded();
          expect(await card.evaluate((node) => node.getBoundingClientRect().width)).toBeLessThanOrEqual(width);
          const over = await card.evaluate((node) => node.scrollWidth - node.clientWidth);
          expect(over, `card ${String(number)} is wider than its place`).toBeLessThanOrEqual(1);
          await card.screenshot({ path: shotPath(`card-${String(number)}-${sort}-${String(width)}`) });
        }
      });
    }
  }

  await test.step("forced colours", async () => {
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
    await expect(cards(page).first().locator(".service-verdict-line .service-icon")).toBeVisible();
    await shot(page, "forced-colours");
  });
});
