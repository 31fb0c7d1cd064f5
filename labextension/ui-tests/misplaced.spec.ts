import type { Page } from "@playwright/test";
import { type LabPage, onDisk, openWithoutKernel, test, writeToDisk } from "./lab.js";

const PATIENCE_MS = 10_000;

/** What a reader sees of a notebook: its text, once all that is folded was unfolded, and what its cards say. */
interface Seen {
  readonly text: string;
  readonly verdicts: readonly string[];
}

test("what JupyterLab shows of each notebook is told", async ({ page }) => {
  const names = JSON.parse(onDisk("misplaced.json")) as string[];
  test.setTimeout(60_000 + names.length * 15_000);
  // Else what is out of sight has no text.
  await page.addStyleTag({ content: ".service-card { content-visibility: visible !important; }" });
  const seen: Record<string, Seen> = {};
  for (const name of names) {
    await test.step(name, async () => {
      seen[name] = await look(page, name);
    });
    writeToDisk("misplaced.seen.json", JSON.stringify(seen)); // a run that is stopped has looked at some
  }
});

async function look(page: LabPage, name: string): Promise<Seen> {
  if (!(await isServed(page, name))) return NOTHING; // JupyterLab says that it cannot open it
  await openWithoutKernel(page, name);
  const seen = (await opened(page, name)) ? await read(page) : NOTHING;
  await page.evaluate(() => {
    for (const widget of [...self.jupyterapp.shell.widgets("main")]) widget.dispose();
  });
  return seen;
}

const NOTHING: Seen = { text: "", verdicts: [] };

/** Whether the server hands a notebook to JupyterLab, as what it takes it for. */
async function isServed(page: Page, name: string): Promise<boolean> {
  return page.evaluate(async (path) => {
    const { ok } = await fetch(new URL(`api/contents/${path}?type=notebook&content=1`, `${self.location.origin}/`));
    return ok;
  }, name);
}

/** Waits until a notebook is shown, or JupyterLab has said that it cannot be; accepts what it says on the way. */
async function opened(page: Page, name: string): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const told = await answered(page);
    const isShown = await page.evaluate((path) => {
      interface Cell {
        model: { outputs?: { length: number } };
        outputArea?: { widgets: { node: HTMLElement }[] };
        node: HTMLElement;
      }
      interface Panel {
        context?: { path: string; isReady: boolean };
        content?: { widgets?: Cell[] };
      }
      const panel = self.jupyterapp.shell.currentWidget as unknown as Panel | null;
      if (panel?.context?.path !== path || !panel.context.isReady) return false;
      return (panel.content?.widgets ?? []).every(({ model, outputArea, node }) => {
        const due = model.outputs?.length ?? 0;
        return node.isConnected && (due === 0 || (outputArea?.widgets.some((each) => each.node.isConnected) ?? false));
      });
    }, name);
    if (told === "" && isShown) return true;
    await page.waitForTimeout(told === "" ? 50 : 200);
  }
  return false;
}

/** Closes what JupyterLab asks or says, saving nothing; returns its text, empty where it says nothing. */
async function answered(page: Page): Promise<string> {
  return page.evaluate(() => {
    const dialog = self.document.querySelector<HTMLElement>(".jp-Dialog");
    const buttons = [...(dialog?.querySelectorAll<HTMLElement>(".jp-Dialog-button") ?? [])];
    (buttons.find((button) => button.matches(".jp-mod-warn")) ?? buttons.at(-1))?.click();
    return dialog?.innerText ?? "";
  });
}

async function read(page: Page): Promise<Seen> {
  const until = Date.now() + PATIENCE_MS; // what is no card has no verdict to wait for
  while (Date.now() < until && !(await isSettled(page))) await page.waitForTimeout(50);
  return page.evaluate(() => {
    for (const folded of self.document.querySelectorAll<HTMLElement>(".jp-Notebook .jp-Placeholder-content"))
      folded.click();
    const text = self.document.querySelector<HTMLElement>(".jp-Notebook")?.innerText ?? "";
    const lines = self.document.querySelectorAll(".jp-Notebook .service-verdict-line");
    return { text, verdicts: Array.from(lines, (line) => line.textContent) };
  });
}

async function isSettled(page: Page): Promise<boolean> {
  return page.evaluate(
    () =>
      self.document.querySelectorAll(".jp-Notebook .service-is-pending").length === 0 &&
      [...self.document.querySelectorAll(".jp-Notebook .service-output")].every(
        (each) => each.querySelector(".service-verdict-line") !== null,
      ),
  );
}
