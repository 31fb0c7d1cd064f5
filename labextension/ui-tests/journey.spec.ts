import type { Locator } from "@playwright/test";
import { expectSourcesOfADeployment } from "./deployment.js";
import { colourViolations, THEMES, violations, wear } from "./reading.js";
import {
  cards,
  closeAll,
  expect,
  expectVerdicts,
  idle,
  type LabPage,
  lastCell,
  onDisk,
  open,
  openWithoutKernel,
  OWN,
  ran,
  run,
  save,
  shot,
  shotPath,
  test,
  writeToDisk,
} from "./lab.js";

const NOTEBOOK = "journey.ipynb";
const MIME = "application/vnd.service-nb.card.v1+json";
const PANEL_WORDS = /needs its kernel.*Run this cell/;

interface Card {
  kind: string;
  canonical: Record<string, string>;
  digests: Record<string, string>;
  view: { rows?: (string | null)[][] };
}
interface Notebook {
  cells: { outputs?: { data?: Record<string, Card> }[] }[];
}

test("from a file to a notebook that proves its numbers to whoever opens it", async ({ page }) => {
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));
  await open(page, NOTEBOOK);

  await test.step("the extension is loaded and a file connected", async () => {
    const loaded = await run(page, "%load_ext service_nb");
    await expect(loaded.locator(".jp-OutputArea-output")).toContainText("service_nb");
    const connected = await run(page, "%service_connect sales sales.csv");
    await expect(connected.locator(".jp-OutputArea-output").first()).toContainText("revenue");
  });

  await test.step("a question is completed by Tab, and answered", async () => {
    const cell = await lastCell(page);
    await idle(page);
    await cell.locator(".cm-content").click();
    await page.keyboard.insertText("%service_ask sum re");
    await page.keyboard.press("Tab");
    await chooseOffered(page, "revenue");
    await expect(cell.locator(".cm-content")).toContainText("%service_ask sum revenue");
    await page.keyboard.insertText(" by region from sales");
    await page.keyboard.press("Shift+Enter");
    await ran(cell);
    await expect(cell.locator(".service-table")).toContainText("1,234.5");
    await expectVerdicts(cell, [OWN]);
  });

  await test.step("a computation is filled in where the sidebar found it, and run", async () => {
    const form = await openCapability(page, "net present value", "finance.npv");
    const insertAndRun = form.getByRole("button", { name: "Insert and run", exact: true });
    await form.getByRole("textbox", { name: /^rate\b/ }).fill("0.x");
    await form.getByRole("textbox", { name: /^cashflows\b/ }).fill("-1000, 300, 420");
    await expect(form.locator(".service-fault:visible")).toHaveCount(1); // beside the rate
    await expect(insertAndRun).toBeDisabled();
    await form.getByRole("textbox", { name: /^rate\b/ }).fill("0.1");
    await expect(form.getByRole("status").last()).toContainText("Ready to run");
    await insertAndRun.click();
    const computed = page.locator(".jp-Notebook .jp-CodeCell", { hasText: "%service_compute finance.npv" });
    await expect(computed).toHaveCount(1);
    await ran(computed);
    await expect(computed.locator(".cm-content")).toHaveText(
      "%service_compute finance.npv rate=0.1 cashflows=[-1000, 300, 420]",
    );
    await expect(computed.locator(".service-value")).toHaveText("-380.165");
    await expectVerdicts(computed, [OWN]);
    await page.evaluate(() => self.jupyterapp.commands.execute("notebook:insert-cell-below"));
  });

  await test.step("a question is refused, another asked back, and what was answered replayed", async () => {
    const refused = await run(page, "%service_ask sum region from sales");
    await expect(refused.locator(".service-status")).toContainText("Rejected");
    const asked = await run(page, "%service_ask sum uni from sales");
    await expect(asked.locator(".service-command").first()).toContainText("%service_ask sum units from sales");
    const replayed = await run(page, "%service_replay all");
    await expect(replayed.locator(".jp-OutputArea-output").last()).toContainText(/identical/i);
  });

  await test.step("the panel asks", async () => {
    const cell = await run(page, "%service_panel");
    const panel = cell.locator(".service-panel");
    const form = panel.getByRole("form", { name: "Ask a source" });
    await form.getByLabel("Source", { exact: true }).selectOption({ label: "sales" });
    await form.getByLabel("Compute", { exact: true }).selectOption({ index: 1 });
    await form.getByLabel("Of", { exact: true }).selectOption({ label: "units · number" });
    await form.getByRole("button", { name: "Run" }).first().click();
    await expect(cards(cell)).toHaveCount(1);
    await expectVerdicts(cell, [OWN]);
  });

  await test.step("the panel asks for a percentile of the groups that a condition on them keeps", async () => {
    const form = page.locator(".service-panel").getByRole("form", { name: "Ask a source" });
    await expect(form.getByRole("button", { name: "Add a condition on groups" })).toBeHidden();
    await form.getByLabel("Compute", { exact: true }).selectOption({ label: "percentile (of a percent)" });
    await form.getByRole("button", { name: "90", exact: true }).click(); // of the percents that could be meant
    await expect(form.getByRole("textbox", { name: "Percent" })).toHaveValue("90");
    await form.getByLabel("By", { exact: true }).selectOption({ label: "region · string" });
    await form.getByRole("button", { name: "Add a condition on groups" }).click();
    const condition = form.getByRole("group", { name: "Condition on groups 1" });
    await condition.getByLabel("Measure").selectOption({ label: "count rows" });
    await condition.getByLabel("Comparison").selectOption({ label: "is at least" });
    await condition.getByLabel("Value").fill("1");
    await form.getByRole("button", { name: "Run" }).first().click();
    const cell = page.locator(".jp-Notebook .jp-CodeCell", { hasText: "%service_panel" });
    await expect(cards(cell)).toHaveCount(1);
    await expect(cards(cell)).toContainText("Percentile 90 of units by region");
    await expectVerdicts(cell, [OWN]);
  });

  await test.step("all can read the forms of the panel and of the sidebar, what is wrong in them too", async () => {
    const panel = page.locator(".service-panel");
    await openFaultyCall(panel);
    for (const [theme, look] of [
      [THEMES[1], colourViolations],
      [THEMES[0], violations],
    ] as const) {
      await wear(page, theme);
      for (const name of ["Ask", "Compute"]) {
        await panel.getByRole("tab", { name }).click();
        expect(await look(page, [".service-panel"])).toEqual([]);
        await panel.screenshot({ path: shotPath(`panel-${name}-${theme.split(" ")[1] ?? ""}`) });
      }
      expect(await look(page, [".service-sidebar"])).toEqual([]);
    }
    await (await lastCell(page)).locator(".cm-content").click(); // keys of a form's buttons are the form's alone
  });

  await test.step("what a deployment has and the session is not connected to", async () => {
    await expectSourcesOfADeployment(page);
  });

  let count = 0;
  await test.step("saved and opened again by its author, without kernel, words stand where the panels were", async () => {
    await save(page);
    count = await cards(page).count();
    expect(count).toBe(6); // three answers, a value, two refusals
    await closeAll(page);
    await openWithoutKernel(page, NOTEBOOK);
    await expect(cards(page)).toHaveCount(count);
    expect(await help(page)).toEqual({ kernel: null, trusted: true });
    await expectWordsForPanels(page);
    await closeAll(page);
  });

  await test.step("opened without kernel and without trust, every card says Verified, and who signed it", async () => {
    writeToDisk(NOTEBOOK, received(onDisk(NOTEBOOK)));
    await openWithoutKernel(page, NOTEBOOK);
    await expect(cards(page)).toHaveCount(count);
    expect(await help(page)).toEqual({ kernel: null, trusted: false });
    await expectWordsForPanels(page);
    await expectVerdicts(page, Array<string>(count).fill(OWN));
    await shot(page, "journey-reopened");
    await closeAll(page);
  });

  for (const { what, change, says } of FORGERIES) {
    await test.step(`${what}: it says Altered, and which check`, async () => {
      const genuine = onDisk(NOTEBOOK);
      writeToDisk(NOTEBOOK, forged(genuine, change));
      await openWithoutKernel(page, NOTEBOOK);
      await expect(cards(page)).toHaveCount(count);
      await expect(page.locator(".service-verdict-line").filter({ hasText: OWN })).toHaveCount(count - 1);
      const bad = page.locator("section.service-is-altered");
      await expect(bad).toHaveCount(1);
      await expect(bad.locator(".service-verdict")).toContainText(/^Altered: /);
      await expect(bad.locator(".service-failure")).toContainText(says);
      await expect(bad.locator(".service-table")).toBeVisible(); // greyed, not hidden
      await shot(page, `journey-forged-${what.replaceAll(/\W+/g, "-")}`);
      await closeAll(page);
      writeToDisk(NOTEBOOK, genuine);
    });
  }
});

const FORGERIES: { what: string; change: (card: Card) => void; says: RegExp }[] = [
  {
    what: "a number that is shown",
    change: ({ view }) => {
      const first = view.rows?.[0];
      if (first) first[1] = "9999.5";
    },
    says: /rows/i,
  },
  {
    what: "a number of the hashed result",
    change: ({ canonical }) => {
      canonical["result"] = canonical["result"]?.replace("1234.5", "9234.5") ?? "";
    },
    says: /result/i,
  },
  {
    what: "a digest",
    change: ({ digests }) => {
      digests["plan_hash"] = "0".repeat(64);
    },
    says: /plan/i,
  },
];

/** The notebook as another reader has it, whose Jupyter has not signed it. */
function received(text: string): string {
  const notebook = JSON.parse(text) as Notebook & { metadata: Record<string, unknown> };
  return JSON.stringify({ ...notebook, metadata: { ...notebook.metadata, received: "by mail" } }, null, 1);
}

/** The text of a notebook with its first answer changed. */
function forged(text: string, change: (card: Card) => void): string {
  const notebook = JSON.parse(text) as Notebook;
  const outputs = notebook.cells.flatMap((cell) => cell.outputs ?? []);
  const card = outputs.map(({ data }) => data?.[MIME]).find((each) => each?.kind === "query");
  if (card === undefined) throw new Error("the notebook has no answer");
  const before = JSON.stringify(card);
  change(card);
  expect(JSON.stringify(card)).not.toBe(before);
  return JSON.stringify(notebook, null, 1);
}

/** Opens the page of a capability in the sidebar by a search for words, and returns the form of its arguments. */
async function openCapability(page: LabPage, words: string, name: string): Promise<Locator> {
  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "capabilities" }));
  const sidebar = page.locator(".service-sidebar");
  await sidebar.getByRole("searchbox").fill(words);
  const hit = sidebar.locator(".service-side-hit", { has: page.getByText(name, { exact: true }) });
  await hit.click();
  await expect(sidebar.getByRole("heading", { name })).toBeFocused();
  return sidebar.getByRole("form", { name: "Call a capability" });
}

/** Leaves the panel's second form with an argument that does not fit. */
async function openFaultyCall(panel: Locator): Promise<void> {
  await panel.getByRole("tab", { name: "Compute" }).click();
  await panel.getByRole("searchbox").fill("finance.npv");
  await panel.getByRole("button", { name: /^finance\.npv\b/ }).click();
  await panel.getByRole("button", { name: "Use all examples" }).click();
  await panel.getByRole("textbox", { name: /^rate\b/ }).fill("0.x");
  await expect(panel.locator(".service-fault:visible")).toHaveCount(1);
}

async function chooseOffered(page: LabPage, name: string): Promise<void> {
  const offered = page.locator(".jp-Completer-item").filter({ hasText: name }).first();
  await expect(offered).toContainText("number"); // the column's type stands beside it
  await offered.click();
}

/** Where a panel was it is said what to run; its cards stand below. */
async function expectWordsForPanels(page: LabPage): Promise<void> {
  await expect(page.locator(".service-panel-words")).toHaveText([PANEL_WORDS, PANEL_WORDS]);
  await expect(page.locator(".jp-Notebook .service-panel")).toHaveCount(0);
  await expect(page.locator(".jp-Notebook")).not.toContainText("model not found");
  await page.locator(".service-panel-words").first().scrollIntoViewIfNeeded();
  await shot(page, "journey-panel-words");
}

/** The kernel that runs for the notebook, and whether somebody has trusted what it holds. */
async function help(page: LabPage): Promise<{ kernel: unknown; trusted: boolean }> {
  return page.evaluate(() => {
    interface Panel {
      sessionContext: { session: unknown };
      content: { widgets: { model: { type: string; trusted: boolean } }[] };
    }
    const panel = self.jupyterapp.shell.currentWidget as unknown as Panel;
    const code = panel.content.widgets.filter(({ model }) => model.type === "code");
    return { kernel: panel.sessionContext.session, trusted: code.some(({ model }) => model.trusted) };
  });
}
