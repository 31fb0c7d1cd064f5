import { readFileSync } from "node:fs";
import {
  cards,
  closeAll,
  expect,
  expectVerdicts,
  open,
  openWithoutKernel,
  OWN,
  run,
  save,
  shot,
  test,
  writeToDisk,
} from "./lab.js";

const NOTEBOOK = "tables.ipynb";
const KEPT = "20 of 5,000 rows kept";

test("a card that keeps a few of its rows loads all of them, and is verified with them", async ({ page }) => {
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));
  await open(page, NOTEBOOK);
  await run(page, "%load_ext service_nb\n%service_connect orders orders.csv");
  const cell = await run(page, "%service_ask sum amount by customer from orders");
  const card = cards(cell);
  await expectVerdicts(cell, [KEPT]);
  await expect(card.locator(".service-uncompared")).toBeVisible();

  await card.getByRole("button", { name: "Load all" }).click();
  await expectVerdicts(cell, [OWN]);
  await expect(card.locator(".service-uncompared")).toBeHidden();
  await expect(card.locator(".service-foot .service-caption")).toHaveText("5,000 rows");
  await expect(card.getByRole("button", { name: "Load all" })).toHaveCount(0);

  await card.getByRole("button", { name: "customer" }).click();
  await expect(card.locator("tbody .service-row").first()).toContainText("c0000");
  await card.locator(".service-scroll").evaluate((element) => (element.scrollTop = 50_000));
  await shot(page, "tables");
  await card.locator(".service-filter-text").fill("c499");
  await expect(card.locator(".service-filter-status")).toHaveText("10 of 5,000 rows");

  await card.locator(".service-download > summary").click();
  const coming = page.waitForEvent("download");
  await card.getByRole("button", { name: "CSV", exact: true }).click();
  const lines = readFileSync(await (await coming).path(), "utf-8")
    .trim()
    .split(/\r?\n/);
  expect(lines).toHaveLength(11);
  expect(lines[1]).toContain("c4990");

  await save(page);
  await closeAll(page);
  await openWithoutKernel(page, NOTEBOOK);
  await expectVerdicts(cards(page), [KEPT]);
  await cards(page).getByRole("button", { name: "Load all" }).click();
  await expect(cards(page).locator(".service-exact")).toContainText("choose one for this notebook");
});
