import { env } from "node:process";
import { expect, type LabPage, open, run, shot, test, writeToDisk } from "./lab.js";
import { THEMES, violations, wear } from "./reading.js";

const OUTPUTS = [".jp-OutputArea-child"];
const NOTEBOOK = "outputs.ipynb";
const EACH = env["E2E_ALL"] === "1"; // else the widest page in light, and the narrowest in dark
const LOOKS = EACH
  ? [1280, 640, 320].flatMap((width) => THEMES.map((theme) => ({ width, theme })))
  : [
      { width: 1280, theme: THEMES[0] },
      { width: 320, theme: THEMES[1] },
    ];

/** A line for each kind of output that a magic returns: answers, refusals, errors, pages, logs. */
const LINES = [
  "%load_ext service_nb",
  "%service_connect sales sales.csv",
  "%service_help",
  "%service_help finance.npv",
  "%service_sources",
  "%service_preview sales",
  "%service_profile sales",
  "%service_ask sum revenue from sales",
  "%service_ask sum revenue, avg units, count by region from sales where units >= 1 order by region asc",
  "%service_ask sum revenue by nowhere from sales",
  "%service_ask sum revenue from sales where region = 'Nroth'",
  "%service_ask revenue",
  "%service_search net present value",
  "%service_compute finance.npv rate=0.1 cashflows=[-1000,300,420,560,680]",
  "%service_compute finance.npv rate=-2 cashflows=[-1000,300]",
  "%service_policy",
  "%service_log",
  "%service_verify",
  "%service_replay",
  "%service_login",
] as const;

test("every kind of output can be read by all, light and dark, on wide and on narrow pages", async ({ page }) => {
  test.setTimeout(600_000);
  const empty = { cell_type: "code", id: "first", execution_count: null, metadata: {}, outputs: [], source: "" };
  const metadata = { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } };
  writeToDisk(NOTEBOOK, JSON.stringify({ cells: [empty], metadata, nbformat: 4, nbformat_minor: 5 }));
  await open(page, NOTEBOOK);
  for (const line of LINES) await run(page, line);
  await page.evaluate(() => self.jupyterapp.commands.execute("application:toggle-left-area"));
  for (const { width, theme } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await wear(page, theme);
    if (EACH) await shotEach(page, `output-${String(width)}-${theme.split(" ")[1] ?? ""}`);
    expect.soft(await violations(page, OUTPUTS), `${theme}, ${String(width)} px`).toEqual([]);
    expect.soft(await overflowing(page), `${theme}, ${String(width)} px`).toEqual([]);
  }
});

async function shotEach(page: LabPage, name: string): Promise<void> {
  const outputs = page.locator(".jp-Notebook .jp-Cell");
  for (let at = 0; at < LINES.length; at += 1) {
    await outputs.nth(at).screenshot({ path: `build/screenshots/${name}-${String(at).padStart(2, "0")}.png` });
  }
  await shot(page, name);
}

/** Outputs that are wider than their place and cannot be scrolled. */
async function overflowing(page: LabPage): Promise<string[]> {
  return page.evaluate(() =>
    [...self.document.querySelectorAll(".jp-OutputArea-output *")]
      .filter((node) => {
        const place = node.closest(".jp-OutputArea-output")?.getBoundingClientRect();
        if (place === undefined || node.getBoundingClientRect().right <= place.right + 1) return false;
        for (let at = node.parentElement; at !== null && !at.matches(".jp-OutputArea-output"); at = at.parentElement)
          if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(at).overflowX)) return false;
        return true;
      })
      .map((node) => `${node.localName}.${node.className}: ${node.textContent.slice(0, 60)}`),
  );
}
