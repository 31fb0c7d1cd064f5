import type { Locator } from "@playwright/test";
import {
  cards,
  expect,
  expectVerdicts,
  idle,
  type LabPage,
  lastCell,
  open,
  OWN,
  ran,
  run,
  test,
  writeToDisk,
} from "./lab.js";

const NOTEBOOK = "kernel.ipynb";

// Galata's own keeper of kernels answers a restart with what JupyterLab takes for an error.
test.use({ kernels: null, sessions: null });

test("what needs the kernel is done by it, waits while it is busy, and comes back after a restart", async ({
  page,
}) => {
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));
  await open(page, NOTEBOOK);
  await run(page, "%load_ext service_nb\n%service_connect sales sales.csv");
  await run(page, "%service_ask sum revenue by region from sales");
  await run(page, "%service_ask max units from sales");
  await run(page, "%service_compute finance.npv rate=0.1 cashflows=[-1000,300,420]");
  await expect(cards(page)).toHaveCount(3);

  const sidebar = await show(page, "evidence");
  await test.step("all are replayed", async () => {
    await sidebar.getByRole("button", { name: "Replay all" }).click();
    await expect(sidebar.getByText("Replay: 3 identical, 0 differ, 0 not replayed")).toBeVisible();
    await expect(sidebar.getByText("= Replay: identical")).toHaveCount(3);
  });

  await test.step("while a cell runs, a search says that it waits, and is answered after it", async () => {
    await show(page, "capabilities");
    const cell = await start(page, "import time; time.sleep(6)");
    await sidebar.getByRole("searchbox").fill("net present value");
    await expect(sidebar.getByText("Waiting for the running cell…")).toBeVisible();
    await ran(cell);
    await expect(sidebar.locator(".service-side-hit").first()).toBeVisible();
    await expect(sidebar.getByText("Waiting for the running cell…")).toHaveCount(0);
  });

  await test.step("a kernel that restarts has nothing loaded, which is said, with a way out", async () => {
    await restart(page);
    await expect(sidebar.getByText("service_nb is not loaded").filter({ visible: true })).toHaveCount(1);
    await expect(sidebar.getByRole("searchbox")).toBeHidden();
    await show(page, "evidence");
    await expect(sidebar.getByRole("button", { name: "Replay all" })).toHaveAttribute("aria-disabled", "true");
    await expectVerdicts(page.locator(".jp-Notebook"), [OWN, OWN, OWN]); // they need no kernel
    await idle(page);
    await sidebar.getByRole("button", { name: "Load service_nb" }).click();
    await show(page, "capabilities");
    await expect(sidebar.getByRole("searchbox")).toBeVisible();
    await sidebar.getByRole("searchbox").fill("median");
    await expect(sidebar.locator(".service-side-hit").first()).toContainText("median");
  });

  await test.step("a kernel that dies while it is asked leaves the list of cards as it was", async () => {
    await show(page, "evidence");
    await page.evaluate(async () => self.jupyterapp.serviceManager.sessions.shutdownAll());
    await expect(sidebar.getByText(/Replay is off: /)).toBeVisible();
    await expect(sidebar.getByRole("row")).toHaveCount(3);
    await expectVerdicts(page.locator(".jp-Notebook"), [OWN, OWN, OWN]);
  });
});

async function show(page: LabPage, section: string): Promise<Locator> {
  await page.evaluate(
    (name) => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: name }),
    section,
  );
  return page.locator(".service-sidebar");
}

/** Runs a cell at the end, and does not wait for it. */
async function start(page: LabPage, code: string): Promise<Locator> {
  const cell = await lastCell(page);
  await idle(page);
  await cell.locator(".cm-content").click();
  await page.keyboard.insertText(code);
  await page.keyboard.press("Shift+Enter");
  await expect(cell.locator(".jp-InputPrompt")).toHaveText("[*]:");
  return cell;
}

async function restart(page: LabPage): Promise<void> {
  await page.evaluate(async () => {
    interface Panel {
      sessionContext: { session: { kernel: { restart(): Promise<void> } } };
    }
    await (self.jupyterapp.shell.currentWidget as unknown as Panel).sessionContext.session.kernel.restart();
  });
}
