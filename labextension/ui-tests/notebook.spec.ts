import process from "node:process";
import { expect, type Page, test } from "@playwright/test";
import { cards, expectVerdicts, isFault, OWN, shot } from "./lab.js";

// Notebook 7 says this of itself on this page, with all extensions disabled too: a plugin of its own has no schema.
const OF_NOTEBOOK_7 = "Cannot read properties of undefined (reading 'schema')";

// A bare page, without Galata: Notebook 7 has none of its helpers, and a host that Chromium alone resolves is not Node's.
test("the same cards are shown and verified elsewhere", async ({ page, context, baseURL }) => {
  const isPlain = process.env["E2E_PLAIN_HTTP"] !== undefined;
  const faults: string[] = [];
  context.on("request", (request) => {
    if (request.url().startsWith("http") && !request.url().startsWith(baseURL ?? "")) faults.push(request.url());
  });
  context.on("console", (message) => {
    if (isFault(message) && !message.text().includes(OF_NOTEBOOK_7)) faults.push(message.text());
  });
  context.on("weberror", (error) => {
    const said = error.error().stack ?? error.error().message;
    if (isPlain || !said.includes(OF_NOTEBOOK_7)) faults.push(said);
  });
  await page.goto(`${baseURL ?? ""}${process.env["E2E_PATH"] ?? "/notebooks/kinds.ipynb"}`);
  await expect(cards(page).first()).toBeVisible({ timeout: 60_000 });
  expect(await page.evaluate(() => self.isSecureContext)).toBe(!isPlain);

  await expect.poll(() => attach(page), { timeout: 60_000 }).toBe(11);
  await expectVerdicts(page, Array<string>(11).fill(OWN));
  await expect(page.locator(".service-panel-words")).toHaveText(/needs its kernel/); // where the last cell had a panel
  await shot(page, isPlain ? "plain-http" : "notebook-7");
  expect(faults).toEqual([]);
});

/** Goes through the notebook, whose cells are made as they come in sight, and says how many cards there are. */
async function attach(page: Page): Promise<number> {
  for (const cell of await page.locator(".jp-Notebook .jp-Cell").all()) await cell.scrollIntoViewIfNeeded();
  return await cards(page).count();
}
