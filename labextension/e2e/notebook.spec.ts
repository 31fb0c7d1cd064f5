import process from "node:process";
import { expect, test } from "@playwright/test";
import { cards, shot } from "./lab.js";

// A bare page, without Galata: Notebook 7 has none of its helpers, and a host that Chromium alone resolves is not Node's.
test("the same cards are shown and verified elsewhere", async ({ page, context, baseURL }) => {
  const foreign: string[] = [];
  context.on("request", (request) => {
    if (request.url().startsWith("http") && !request.url().startsWith(baseURL ?? "")) foreign.push(request.url());
  });
  await page.goto(`${baseURL ?? ""}${process.env["E2E_PATH"] ?? "/notebooks/kinds.ipynb"}`);
  await expect(cards(page).first()).toBeVisible({ timeout: 60_000 });
  const isSecure = await page.evaluate(() => self.isSecureContext);
  expect(isSecure).toBe(process.env["E2E_PLAIN_HTTP"] === undefined);
  await expect(cards(page).first().locator(".service-verdict-line")).toHaveText(/^Verified: \d+ checks$/);
  await expect(page.locator("section.service-is-mismatch")).toHaveCount(0);
  await shot(page, "notebook-7");
  expect(foreign).toEqual([]);
});
