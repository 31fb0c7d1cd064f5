import process from "node:process";
import { cards, expect, open, shot, test, verdicts } from "./lab.js";

const VERIFIED = /^Verified: \d+ checks$/;
const WIDTHS = [320, 640, 1280]; // 320 is what is left of 1280 at 400 %

test("cards verify and can be read in any window, theme and colours", async ({ page }) => {
  await page.setViewportSize({ width: 1600, height: 1000 });
  await open(page, "kinds.ipynb");
  await expect(cards(page)).toHaveCount(11);
  expect((await verdicts(page)).filter((line) => VERIFIED.test(line))).toHaveLength(10);

  for (const theme of ["JupyterLab Light", "JupyterLab Dark"]) {
    await page.evaluate((name) => self.jupyterapp.commands.execute("apputils:change-theme", { theme: name }), theme);
    await expect(page.locator("body")).toHaveAttribute("data-jp-theme-name", theme);
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
          const name = `card-${String(number)}-${theme.split(" ")[1] ?? ""}-${String(width)}`;
          await card.screenshot({ path: `${process.env["E2E_SCREENSHOTS"] ?? "build/screenshots"}/${name}.png` });
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
