import { cards, expect, expectVerdicts, open, OWN, run, save, shot, test, writeToDisk, onDisk } from "./lab.js";

const NOTEBOOK = "explorer.ipynb";

test("a slider asks once it has come to rest, and its card is an ordinary card of the notebook", async ({ page }) => {
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));
  await open(page, NOTEBOOK);
  await run(page, "%load_ext service_nb\nimport service_nb\n%service_connect sales sales.csv");
  const question = "sum revenue by region from sales where units >= $least";
  const cell = await run(page, `service_nb.interact("${question}", least=(0, 6))`);
  await expect(cards(cell)).toHaveCount(1);
  await expect(cards(cell)).toContainText("units ≥ 3");

  const slider = cell.locator(".jupyter-widgets .noUi-handle").first();
  await slider.focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("ArrowLeft");
  await expect(cards(cell)).toContainText("units ≥ 0");
  await expectVerdicts(cell, [OWN]);
  await shot(page, "explorer");

  const log = await run(page, "%service_log --kind query");
  await expect(log).toContainText("2"); // the first value and the one at rest
  await save(page);
  expect(onDisk(NOTEBOOK)).toContain("units ≥ 0");
});
