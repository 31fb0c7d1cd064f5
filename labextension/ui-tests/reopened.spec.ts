import type { Locator } from "@playwright/test";
import {
  cards,
  closeDocuments,
  expect,
  expectVerdicts,
  idle,
  type LabPage,
  onDisk,
  open,
  openWithoutKernel,
  OWN,
  run,
  save,
  shot,
  test,
  writeToDisk,
} from "./lab.js";

const NOTEBOOK = "reopened.ipynb";
const FORM = "Ask a source";

// The kernel lives on while the notebook is closed, as where somebody closes a tab.
test.use({ kernels: null, sessions: null });

test("what a panel or a slider asks after the notebook was opened again is what stands below it", async ({ page }) => {
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));
  await open(page, NOTEBOOK);
  await run(page, "%load_ext service_nb\nimport service_nb\n%service_connect sales sales.csv");
  await run(page, "%service_panel");
  await ask(page, "sum (total)");
  await expect(cards(panelCell(page))).toContainText("Sum of units");
  const asked = "outcome = %service_ask sum units by region from sales where units > 2\noutcome.widget(units=(0, 6))";
  await run(page, asked);
  await expect(slider(page)).toHaveAttribute("aria-valuenow", "2.0");
  await expect(cards(sliderCell(page)).last()).toContainText("units > 2");

  await test.step("opened again, both answer in their place", async () => {
    await reopen(page);
    await ask(page, "max (largest)");
    await expect(panelCell(page).locator(".service-said-last")).toContainText("Answered. The result is below.");
    await shot(page, "reopened-panel");
    await expect(cards(panelCell(page))).toHaveCount(1);
    await expect(cards(panelCell(page))).toContainText("Largest units");
    await slider(page).focus();
    await page.keyboard.press("ArrowRight");
    await expect(cards(sliderCell(page)).last()).toContainText("units > 3");
    await shot(page, "reopened-slider");
    await expectVerdicts(page.locator(".jp-Notebook"), Array<string>(await cards(page).count()).fill(OWN));
  });

  await test.step("what is saved is what was answered last", async () => {
    await save(page);
    expect(onDisk(NOTEBOOK)).toContain("Largest units");
    expect(onDisk(NOTEBOOK)).not.toContain('Sum of units in sales"');
    expect(onDisk(NOTEBOOK)).toContain("units > 3");
  });

  await test.step("without their kernel words stand in their place, and the last cards as cards", async () => {
    const count = await cards(page).count();
    await closeDocuments(page);
    await page.evaluate(async () => self.jupyterapp.serviceManager.sessions.shutdownAll());
    await openWithoutKernel(page, NOTEBOOK);
    await expect(cards(page)).toHaveCount(count);
    await expectVerdicts(page.locator(".jp-Notebook"), Array<string>(count).fill(OWN));
    await expect(page.locator(".service-panel-words")).toHaveText([/needs its kernel/, /need their kernel/]);
    await expect(page.getByText(/Error (displaying|creating) widget|model not found/i)).toHaveCount(0);
    await page.locator(".service-panel-words").last().scrollIntoViewIfNeeded();
    await shot(page, "reopened-without-kernel");
  });
});

function panelCell(page: LabPage): Locator {
  return page.locator(".jp-Notebook .jp-CodeCell", { hasText: "%service_panel" });
}

function sliderCell(page: LabPage): Locator {
  return page.locator(".jp-Notebook .jp-CodeCell", { hasText: "outcome.widget" });
}

function slider(page: LabPage): Locator {
  return sliderCell(page).locator(".jupyter-widgets .noUi-handle").first();
}

async function ask(page: LabPage, aggregation: string): Promise<void> {
  const form = panelCell(page).locator(".service-panel").getByRole("form", { name: FORM });
  await form.getByLabel("Source", { exact: true }).selectOption({ label: "sales" });
  await form.getByLabel("Compute", { exact: true }).selectOption({ label: aggregation });
  await form.getByLabel("Of", { exact: true }).selectOption({ label: "units · number" });
  await form.getByRole("button", { name: "Run" }).first().click();
}

/** Saves the notebook, closes it, and opens it again; its kernel stays. */
async function reopen(page: LabPage): Promise<void> {
  await save(page);
  await closeDocuments(page);
  await open(page, NOTEBOOK);
  await idle(page);
  await expect(panelCell(page).locator(".service-panel")).toBeVisible();
}
