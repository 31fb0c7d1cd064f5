import { join } from "node:path";
import {
  cards,
  closeAll,
  expect,
  expectVerdicts,
  idle,
  open,
  openWithoutKernel,
  OWN,
  PROJECT,
  run,
  save,
  shot,
  test,
  verdicts,
  writeToDisk,
} from "./lab.js";
import { wear } from "./reading.js";

const EDITED = /^Not checkable here: the cell was edited since this result$/;
const FACE = /^Altered: another form of this output/;

test("each state of a card is told apart, on the card and in the sidebar, without configuration", async ({ page }) => {
  await open(page, "states.ipynb");
  await expect(cards(page)).toHaveCount(7); // of the eight one was taken out
  await expect.poll(async () => (await verdicts(page))[0]).toBe(OWN);
  const told = await verdicts(page);
  expect(told[1]).toMatch(EDITED);
  expect(told[2]).toMatch(FACE);
  expect(told[3]).toMatch(FACE);
  expect(told[4]).toMatch(/^Altered: /);
  expect(told[5]).toBe("Consistent, unsigned: anyone can have made it");
  expect(told[6]).toMatch(/^Unaltered · signed by an unknown key [0-9a-f]{8}…$/);

  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "evidence" }));
  const sidebar = page.locator(".service-sidebar");
  await expect(sidebar.getByRole("row")).toHaveCount(8);
  const labels = sidebar.locator(".service-side-row-verdict");
  await expect(labels).toHaveText([
    OWN,
    EDITED,
    FACE,
    FACE,
    /^Altered: a card that was there is gone$/,
    /^Altered: /,
    "Consistent, unsigned: anyone can have made it",
    /^Unaltered · signed by an unknown key/,
  ]);
  await expect(sidebar.locator(".service-side-summary").last()).toHaveText(
    "1 verified, 1 unaltered, 1 consistent, unsigned, 1 not checkable here, 4 altered",
  );
  await expect(sidebar.locator(".service-side-row-place").first()).toContainText("cell 2");
  await expect(sidebar.locator(".service-side-row-place").nth(1)).toContainText("[1]");

  for (const theme of ["JupyterLab Light", "JupyterLab Dark"] as const) {
    await wear(page, theme);
    await shot(page, `states-${theme.endsWith("Dark") ? "dark" : "light"}`);
  }

  await test.step("only problems are listed where that is asked for: a stranger's key is none", async () => {
    await sidebar.getByLabel("Only problems").check();
    await expect(sidebar.locator(".service-side-row:not([hidden])")).toHaveCount(5);
    await sidebar.getByLabel("Only problems").uncheck();
  });

  await test.step("the report is the one that the command writes", async () => {
    await save(page); // Jupyter notes the kernel in the notebook as soon as it has one
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      sidebar.getByRole("button", { name: "Export report" }).click(),
    ]);
    await download.saveAs(join(PROJECT, "states.audit.html"));
  });
});

test("an own result is verified as soon as it is there, and says when its cell was edited", async ({ page }) => {
  const empty = { cell_type: "code", id: "a", metadata: {}, source: "", execution_count: null, outputs: [] };
  const kernel = { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } };
  writeToDisk("live.ipynb", JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: kernel, cells: [empty] }));
  await open(page, "live.ipynb");
  await idle(page);
  await run(page, "%load_ext service_nb\n%service_connect sales sales.csv");
  const cell = await run(page, "%service_ask sum revenue by region from sales");
  await expectVerdicts(cell, [OWN]);
  await expect(cell.getByRole("button", { name: "Replay" })).toBeVisible();
  await cell.locator(".cm-content").click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(" limit 1");
  await expectVerdicts(cell, [EDITED]);
  // Not by undo, which takes back all that was typed within half a second, the question too.
  for (let typed = " limit 1".length; typed > 0; typed--) await page.keyboard.press("Backspace");
  await expectVerdicts(cell, [OWN]);
  await page.keyboard.insertText(" limit 1");
  await save(page);
  await closeAll(page);
  await openWithoutKernel(page, "live.ipynb");
  await expectVerdicts(page, [EDITED]);
});
