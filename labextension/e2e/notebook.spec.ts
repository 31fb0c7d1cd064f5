import { expect, test } from "@playwright/test";
import { cards, shot, verdicts } from "./lab.js";

test("Notebook 7 shows and verifies the same cards", async ({ page, context, baseURL }) => {
  const foreign: string[] = [];
  context.on("request", (request) => {
    if (request.url().startsWith("http") && !request.url().startsWith(baseURL ?? "")) foreign.push(request.url());
  });
  await page.goto(`${baseURL ?? ""}/notebooks/kinds.ipynb`);
  await expect(cards(page).first()).toBeVisible({ timeout: 60_000 });
  const said = await verdicts(page);
  expect(said.length).toBeGreaterThan(0);
  expect(said.filter((line) => !/^(?:Verified: \d+ checks|Not checkable here: .*)$/.test(line))).toEqual([]);
  await shot(page, "notebook-7");
  expect(foreign).toEqual([]);
});
