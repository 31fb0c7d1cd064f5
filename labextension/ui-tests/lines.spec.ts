import type { Locator } from "@playwright/test";
import { cards, expect, expectVerdicts, type LabPage, open, OWN, ran, run, shot, test, writeToDisk } from "./lab.js";
import { THEMES, wear } from "./reading.js";

const NOTEBOOK = "lines.ipynb";

test("a file is connected by its menu, a question is coloured, and lines that lead on are run by a button", async ({
  page,
}) => {
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };

  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));

  await test.step("without a notebook, it is said that one is needed", async () => {
    await page.goto();
    await connectByMenu(page, "sales 2024.csv");
    await expect(page.getByText("Open a notebook first: the file is connected in its kernel.")).toBeVisible();
  });
  await open(page, NOTEBOOK);

  await test.step("a file is connected where it lies, and the extension loaded for it", async () => {
    await connectByMenu(page, "sales 2024.csv");
    const cell = page.locator(".jp-Notebook .jp-CodeCell", { hasText: "%service_connect" }).first();
    await ran(cell);
    await expect(cell.locator(".cm-line")).toHaveText([
      "%load_ext service_nb",
      '%service_connect sales_2024 "sales 2024.csv"',
    ]);
    await expect(cell.locator(".jp-OutputArea-output").last()).toContainText("revenue");
    await page.evaluate(() => self.jupyterapp.commands.execute("notebook:insert-cell-below"));
  });

  await test.step("a question is coloured, in light and in dark", async () => {
    const question = "%service_ask sum revenue, count by region from sales_2024 where units >= 1 and region = 'North'";
    const cell = await run(page, question);
    await expect(cell.locator(".service-ask-aggregation")).toHaveText(["sum", "count"]);
    await expect(cell.locator(".service-ask-keyword")).toHaveText(["by", "from", "where", "and"]);
    await expect(cell.locator(".service-ask-string")).toHaveText("'North'");
    await expectVerdicts(cell, [OWN]);
    const colour = (kind: string): Promise<string> =>
      cell
        .locator(`.service-ask-${kind}`)
        .first()
        .evaluate((node) => getComputedStyle(node).color);
    for (const theme of [THEMES[1], THEMES[0]]) {
      await wear(page, theme);
      const kinds = ["aggregation", "keyword", "string", "number", "name"];
      expect(new Set(await Promise.all(kinds.map(colour))).size).toBeGreaterThanOrEqual(4);
      await shot(page, `question-${theme.split(" ")[1] ?? ""}`);
    }
  });

  await test.step("the line below an error is run", async () => {
    const failed = await run(page, "%service_connect sales sales2024.csv");
    await shot(page, "lines-error");
    const led = await press(page, failed, '%service_connect sales "sales 2024.csv"');
    await expect(led.locator(".jp-OutputArea-output").last()).toContainText("revenue");
  });

  await test.step("the candidate of a refusal is run", async () => {
    await page.evaluate(() => self.jupyterapp.commands.execute("notebook:insert-cell-below"));
    const refused = await run(page, "%service_ask sum uni from sales_2024");
    await expect(cards(refused)).toHaveCount(1);
    await shot(page, "lines-refusal");
    const led = await press(page, refused, "%service_ask sum units from sales_2024");
    await expectVerdicts(led, [OWN]);
  });
});

/** Chooses the command in the menu of a file. */
async function connectByMenu(page: LabPage, name: string): Promise<void> {
  await page.evaluate(() => self.jupyterapp.commands.execute("filebrowser:activate"));
  const file = page.locator(".jp-DirListing-item", { hasText: name });
  await expect(file).toBeVisible();
  const menu = page.locator(".lm-Menu");
  await expect(async () => {
    if (await menu.isVisible()) await page.keyboard.press("Escape"); // it stays where the list is drawn anew meanwhile
    await file.click({ button: "right" });
    await page.getByRole("menuitem", { name: "Connect to service_nb" }).click();
    await expect(menu).toBeHidden({ timeout: 2_000 });
  }).toPass({ timeout: 30_000 });
}

/** Presses Run beside a line of an output; returns the cell in which the line ran. */
async function press(page: LabPage, from: Locator, line: string): Promise<Locator> {
  await from
    .getByRole("button", { name: `Run ${line}`, exact: true })
    .first()
    .click();
  const cell = page.locator(".jp-Notebook .jp-CodeCell", { has: page.locator(".cm-line", { hasText: line }) });
  await expect(cell).toHaveCount(1);
  await ran(cell);
  return cell;
}
