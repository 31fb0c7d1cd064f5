import type { Locator } from "@playwright/test";
import { cards, expect, expectVerdicts, type LabPage, OWN, run, shot, shotPath, test } from "./lab.js";
import { violations } from "./reading.js";

/**
 * From here on the notebook is a client of a deployment, which has two sources that no session is connected to. What
 * connects it stands in files of the project: one names a deployment that is not there.
 */
export async function expectSourcesOfADeployment(page: LabPage): Promise<void> {
  await page.evaluate(() => self.jupyterapp.commands.execute("service-nb:open-sidebar", { section: "sources" }));
  const sidebar = page.locator(".service-sidebar");
  const status = sidebar.getByRole("status").filter({ visible: true });

  await test.step("the sidebar says that a deployment is away", async () => {
    await become(page, "away.json");
    await expect(status).toHaveText("0 sources in the kernel");
    await expect(sidebar).toContainText("What the deployment has is not known now.");
    expect(await violations(page, [".service-sidebar"])).toEqual([]);
    await shot(page, "deployment-away");
  });

  const items = sidebar.locator(".service-side-source", { hasText: "items" });
  const orders = sidebar.locator(".service-side-source", { hasText: "orders" });
  await test.step("the sidebar names what a deployment has, with its columns, as not connected", async () => {
    await become(page, "deployment.json");
    // What a deployment says too late for one answer is there for the next.
    await expect(async () => {
      await sidebar.getByRole("button", { name: "Refresh" }).click();
      await expect(status).toHaveText("0 sources in the kernel · 2 not connected", { timeout: 2_000 });
    }).toPass();
    await expect(items.locator("summary")).toHaveText("itemsnot connected");
    await items.locator("summary").click();
    await expect(items).toContainText("kept in: deployment");
    await expect(items.getByRole("list", { name: "Fields of items" }).getByRole("listitem")).toHaveText([
      "regionstring+",
      "revenuenumber+",
    ]);
    expect(await violations(page, [".service-sidebar"])).toEqual([]);
    await shot(page, "deployment-sources");
  });

  await test.step("Connect inserts the line that connects it, and runs nothing; once it ran, it is connected", async () => {
    await items.getByRole("button", { name: "Connect" }).click();
    const inserted = page.locator(".jp-Notebook .jp-CodeCell", { hasText: "%service_connect items" });
    await expect(inserted.locator(".jp-InputPrompt")).toHaveText("[ ]:");
    await expect(inserted.locator(".cm-content")).toBeFocused();
    await expect(status).toHaveText("0 sources in the kernel · 2 not connected");
    await page.keyboard.press("Shift+Enter");
    await expect(items.locator("summary")).toHaveText("items3 rows");
    await expect(status).toHaveText("1 source in the kernel · 1 not connected");
    await expect(orders.locator("summary")).toHaveText("ordersnot connected");
  });

  await test.step("the panel offers what is not connected as such, and a run of it connects it", async () => {
    const cell = await run(page, "%service_panel");
    const panel = cell.locator(".service-panel");
    await ask(panel);
    await expect(cards(cell)).toHaveCount(1);
    await expectVerdicts(cell, [OWN]);
    await expect(cards(cell).locator(".service-value")).toHaveText("0.6");
    await panel.screenshot({ path: shotPath("deployment-panel") });
    await sidebar.getByRole("button", { name: "Refresh" }).click();
    await expect(status).toHaveText("2 sources in the kernel");
  });
}

async function ask(panel: Locator): Promise<void> {
  const form = panel.getByRole("form", { name: "Ask a source" });
  await form.getByLabel("Source", { exact: true }).selectOption({ label: "orders · not connected" });
  await form.getByLabel("Compute", { exact: true }).selectOption({ label: "sum (total)" });
  await form.getByLabel("Of", { exact: true }).selectOption({ label: "revenue · number" });
  await form.getByRole("button", { name: "Run" }).click();
}

/** Has the magics ask the deployment that a file names. The key stands in no cell. */
async function become(page: LabPage, file: string): Promise<void> {
  const code = [
    "import json, os, service_nb.notebook",
    `os.environ |= json.load(open("${file}"))`,
    "service_nb.notebook.use(service_nb.create_service())",
  ];
  const cell = await run(page, code.join("; "));
  await expect(cell.locator(".jp-OutputArea-output")).toHaveCount(0);
}
