import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, galata, type IJupyterLabPageFixture, test as base } from "@jupyterlab/galata";
import type { ConsoleMessage, Locator, Page, Request } from "@playwright/test";

/** Everything that must not happen on a page, in the order in which it happened. A test that leaves one here fails. */
export interface Watch {
  readonly faults: string[];
}

/** The folder that the server serves. */
export const PROJECT = process.env["E2E_PROJECT"] ?? "";

const TRACKER = "@jupyterlab/notebook-extension:tracker";
const OURS = /service[-_]nb|service-card|\/lab\/extensions\/@service-nb\//;

// JupyterLab says these of itself, whatever is shown, and of any plugin on a slow day.
const OF_LAB = [
  /Plugin .* (?:took .* to activate|is taking too long to activate)/,
  /Failed to load resource: the server responded with a status of 404 .*(?:workspaces|settings|custom\.css)/,
];

// The manager of widgets throws where a notebook with a widget has no kernel.
const OF_WIDGETS = "@jupyter-widgets/jupyterlab-manager";

/**
 * A page of JupyterLab on which nothing may be asked of any other host, no script of a document may run, and nothing of
 * ours may complain. All cells are attached, whether they are in sight or not.
 */
export const test = base.extend<{ watch: Watch }>({
  mockSettings: {
    ...galata.DEFAULT_SETTINGS,
    [TRACKER]: { windowingMode: "none", autoStartDefaultKernel: false },
  },
  autoGoto: false,
  // Galata would wait for fifteen seconds, which a machine with more to do may need.
  page: async ({ page, baseURL }, use) => {
    const galatas = page as unknown as { page: Page; hookHelpersUp(): Promise<void> };
    await galatas.page.goto(`${baseURL ?? ""}/lab`);
    await page.waitForFunction(() => typeof self.jupyterapp === "object");
    await page.evaluate(async () => {
      await self.jupyterapp.started;
      await self.jupyterapp.restored;
    });
    await galatas.hookHelpersUp();
    await page.locator("#jupyterlab-splash").waitFor({ state: "detached" });
    await use(page);
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
        const told = error.error().stack ?? error.error().message;
        if (!told.includes(OF_WIDGETS)) faults.push(`threw ${told}`);
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

/** Whether something of ours complains; JupyterLab says a few things of itself. */
export function isFault(message: ConsoleMessage): boolean {
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

/** As above, by JupyterLab's way to open a notebook with no kernel, which is there for those who only read. */
export async function openWithoutKernel(page: IJupyterLabPageFixture, path: string): Promise<void> {
  await page.evaluate(async (name) => {
    interface Manager {
      open(path: string, factory: string, kernel: undefined, options: undefined, preference: unknown): void;
    }
    const manager: unknown = await self.galata.getPlugin("@jupyterlab/docmanager-extension:manager");
    const preference = { shouldStart: false, shouldReuse: false };
    (manager as Manager).open(name, "Notebook", undefined, undefined, preference);
  }, path);
}

/** Closes the documents; their kernels live on. */
export async function closeDocuments(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(async () => {
    await self.jupyterapp.commands.execute("application:close-all");
  });
}

/** Closes the documents, ends their kernels, and leaves nothing unsaved. */
export async function closeAll(page: IJupyterLabPageFixture): Promise<void> {
  await page.evaluate(async () => {
    await self.jupyterapp.commands.execute("application:close-all");
    await self.jupyterapp.serviceManager.sessions.shutdownAll();
  });
}

/** Types a cell at the end of the notebook, runs it, and waits for its end. Returns the cell. */
export async function run(page: IJupyterLabPageFixture, code: string): Promise<Locator> {
  const cell = await lastCell(page);
  await idle(page);
  await cell.locator(".cm-content").click();
  await page.keyboard.insertText(code);
  await page.keyboard.press("Shift+Enter");
  await ran(cell);
  return cell;
}

/** The cell at the end of the notebook, also once others have come after it. */
export async function lastCell(page: Page): Promise<Locator> {
  const all = page.locator(".jp-Notebook .jp-Cell");
  return all.nth((await all.count()) - 1);
}

/** Waits until the kernel of the notebook in front is there and has nothing to do: what is run before is lost. */
export async function idle(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    interface Panel {
      sessionContext?: { session: { kernel: { status: string } | null } | null };
    }
    const panel = self.jupyterapp.shell.currentWidget as unknown as Panel | null;
    return panel?.sessionContext?.session?.kernel?.status === "idle";
  });
}

/** Waits until a cell has run. */
export async function ran(cell: Locator): Promise<void> {
  await expect(cell.locator(".jp-InputPrompt").first()).toHaveText(/\[\d+\]/, { timeout: 60_000 });
}

/** Saves the document in front as a user does, and waits until nothing is left to save. */
export async function save(page: IJupyterLabPageFixture): Promise<void> {
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() => {
    const widget = self.jupyterapp.shell.currentWidget as { context?: { model: { dirty: boolean } } } | null;
    return widget?.context?.model.dirty === false;
  });
}

/** Keeps what is on the screen for people to look at. */
export async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: shotPath(name) });
}

export function shotPath(name: string): string {
  return join(process.env["E2E_SCREENSHOTS"] ?? "build/screenshots", `${name}.png`);
}

/** The cards that our renderer shows, in reading order; the plain face is no `section`, lines to run have no verdict. */
export function cards(place: Page | Locator): Locator {
  return place.locator("section.service-card:has(.service-verdict-line)");
}

/** What a card says that the machine of its reader signed, with everything that it shows compared. */
export const OWN = "Verified · signed by you";

/** Waits until the line of each card says what is expected, in reading order: the server's keys may come after them. */
export async function expectVerdicts(place: Page | Locator, expected: readonly (string | RegExp)[]): Promise<void> {
  await expect(place.locator(".service-verdict-line")).toHaveText([...expected]);
}

/** The lines that say what the verification of each card says, once all have been reached. */
export async function verdicts(place: Page | Locator): Promise<string[]> {
  await expect(place.locator(".service-is-pending")).toHaveCount(0, { timeout: 60_000 });
  return place.locator(".service-verdict-line").allTextContents(); // also of those that are not in sight
}

export { expect };
export type { IJupyterLabPageFixture as LabPage };
