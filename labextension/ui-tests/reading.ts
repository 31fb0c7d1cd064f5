import { AxeBuilder } from "@axe-core/playwright";
import { expect, type LabPage } from "./lab.js";

export const THEMES = ["JupyterLab Light", "JupyterLab Dark"] as const;

/** Changes the theme, and waits until it is drawn. */
export async function wear(page: LabPage, theme: string): Promise<void> {
  await page.evaluate((name) => self.jupyterapp.commands.execute("apputils:change-theme", { theme: name }), theme);
  await expect(page.locator("body")).toHaveAttribute("data-jp-theme-name", theme);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/** What axe-core finds, in our elements alone: JupyterLab's own are its own. No rule is off. */
export async function violations(page: LabPage, places: readonly string[]): Promise<string[]> {
  return found(page, places, null);
}

/** The same of colours alone, which are all that another theme changes. */
export async function colourViolations(page: LabPage, places: readonly string[]): Promise<string[]> {
  return found(page, places, ["color-contrast"]);
}

async function found(page: LabPage, places: readonly string[], rules: string[] | null): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  for (const place of places) axe.include(place);
  if (rules !== null) axe.withRules(rules);
  const result = await axe.analyze();
  expect(result.passes.length, "rules that were tried").toBeGreaterThanOrEqual(rules?.length ?? 6);
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`),
  );
}
