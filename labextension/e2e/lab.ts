import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, galata, type IJupyterLabPageFixture, test as base } from "@jupyterlab/galata";
import type { ConsoleMessage, Page, Request } from "@playwright/test";

/** Everything that must not happen on a page, in the order in which it happened. A test that leaves one here fails. */
export interface Watch {
  readonly faults: string[];
}

/** The folder that the server serves. */
export const PROJECT = process.env["E2E_PROJECT"] ?? "";

const TRACKER = "@jupyterlab/notebook-extension:tracker";
const OURS = /service[-_]nb|service-card|\/lab\/extensions\/@service-nb\//;

// Lab says these of itself, whatever is shown.
const OF_LAB = [
  /Failed to load resource: the server responded with a status of 404 .*(?:workspaces|settings|custom\.css)/,
];

/**
 * A page of JupyterLab on which nothing may be asked of any other host, no script of a document may run, and nothing of
 * ours may complain. All cells are attached, whether they are in sight or not.
 */
export const test = base.extend<{ watch: Watch }>({
  mockSettings: {
    ...galata.DEFAULT_SETTINGS,
    [TRACKER]: { windowingMode: "none", autoStartDefaultKernel: false },
  },
  watch: [
    async ({ context, baseURL }, use) => {
      const faults: string[] = [];
      const home = new URL(baseURL ?? "").port;
      await context.addInitScript("globalThis.canary = () => console.error('service-nb: a script of a document ran');");
      context.on("request", (request) => {
        if (isForeign(request, home)) faults.push(`asked for ${request.url()}`);
      });
      context.on("console", (message) => {
        if (isFault(message)) faults.push(`said ${message.text()} (${message.location().url})`);
      });
      context.on("dialog", (dialog) => {
        faults.push(`opened a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      context.on("weberror", (error) => {
        faults.push(`threw ${error.error().stack ?? error.error().message}`);
      });
      await use({ faults });
      expect(faults, "what must not happen on a page").toEqual([]);
    },
    { auto: true },
  ],
});

function isForeign(request: Request, port: string): boolean {
  const url = new URL(request.url());
  return !["data:", "blob:", "about:"].includes(url.protocol) && url.port !== port;
}

function isFault(message: ConsoleMessage): boolean {
  if (message.type() !== "error" && message.type() !== "warning") return false;
  const said = `${message.text()} ${message.location().url}`;
  return OURS.test(said) && !OF_LAB.some((known) => known.test(said));
}

/** The text of a file of the project as it is on the disk. */
export function onDisk(name: string): string {
  return readFileSync(join(PROJECT, name), "utf-8");
}

export function writeToDisk(name: string, text: string): void {
  writeFileSync(join(PROJECT, name), text, "utf-8");
}

/** Opens a file of the project, and waits until it is shown. */
export async function open(page: IJupyterLabPageFixture, path: string, factory?: string): Promise<void> {
  await page.evaluate(
    async ([name, viewer]) => {
      await self.jupyterapp.commands.execute(
        "docmanager:open",
        viewer ? { path: name, factory: viewer } : { path: name },
      );
    },
    [path, factory] as const,
  );
  await page.locator(".jp-MainAreaWidget:not(.lm-mod-hidden) .jp-Spinner").waitFor({ state: "detached" });
}

/** Saves the document in front as a user does, and waits until nothing is left to save. */
export async function save(page: IJupyterLabPageFixture): Promise<void> {
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() => {
    const widget = self.jupyterapp.shell.currentWidget as { context?: { model: { dirty: boolean } } } | null;
    return widget?.context?.model.dirty === false;
  });
}

/** The cards that a page shows, in reading order. */
export function cards(page: Page): ReturnType<Page["locator"]> {
  return page.locator(".service-card");
}

export { expect };
export type { IJupyterLabPageFixture as LabPage };
