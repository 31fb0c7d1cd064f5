import { vi } from "vitest";

const page = globalThis.document;

export function host(): HTMLElement {
  const element = page.createElement("div");
  page.body.append(element);
  return element;
}

/** Let the pause of typing pass, and all answers come. */
export async function settled(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1_000);
}

/** The control that a reader finds by its label. */
export function control(root: HTMLElement, label: string): HTMLElement {
  const named = [...root.querySelectorAll<HTMLElement>(":is(input, select, textarea)[aria-label]")].find(
    (element) => element.getAttribute("aria-label") === label,
  );
  const labels = [...root.querySelectorAll("label")].find((element) => element.textContent.startsWith(label));
  const found = named ?? labels?.control;
  if (found === undefined || found === null) throw new Error(`nothing is labelled ${label}`);
  return found;
}

export function list(root: HTMLElement, label: string): HTMLSelectElement {
  return control(root, label) as HTMLSelectElement;
}

export function offered(select: HTMLSelectElement): string[] {
  return [...select.options].map((option) => option.textContent);
}

export function choose(select: HTMLSelectElement, label: string): void {
  const option = [...select.options].find((each) => each.textContent.startsWith(label));
  if (option === undefined) throw new Error(`${label} is not offered: ${offered(select).join(", ")}`);
  select.value = option.value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

export function type(field: HTMLElement, text: string): void {
  (field as HTMLInputElement).value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

export function button(root: HTMLElement, label: string): HTMLButtonElement {
  const found = [...root.querySelectorAll("button")].find((each) => each.textContent === label);
  if (found === undefined) throw new Error(`no button says ${label}`);
  return found;
}
