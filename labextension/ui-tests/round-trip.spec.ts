import { expect, onDisk, open, save, test } from "./lab.js";

// Written by Python as `1.0`, `-0.0`, `1e+21`: JupyterLab reads them as doubles and writes what JavaScript writes.
const NUMBERS = "numbers.ipynb";
const WHOLE = /"latency_ms": 1\.0\b/; // of the card that is given it; others took what they took

test("what JupyterLab saves still verifies, with every number that it wrote another way", async ({ page }) => {
  const before = onDisk(NUMBERS);
  expect(before).toMatch(WHOLE);
  await open(page, NUMBERS);
  await expect(page.locator(".jp-OutputArea-output")).toHaveCount(8);

  await test.step("a cell of prose is edited, and the notebook saved", async () => {
    const prose = page.locator(".jp-MarkdownCell").first();
    await prose.dblclick();
    await prose.locator(".cm-content").press("End");
    await page.keyboard.type(" that JupyterLab has saved");
    await page.keyboard.press("Control+Enter");
    await save(page);
  });

  await test.step("the file is another one", () => {
    const after = onDisk(NUMBERS);
    expect(after).toContain("# Cards that JupyterLab has saved");
    expect(after).not.toMatch(WHOLE);
    expect(after).toContain('"latency_ms": 1,');
    return Promise.resolve();
  });
});
