/** What a reader finds in a page, and presses. */

export function one(host: ParentNode, selector: string): HTMLElement {
  const found = host.querySelector<HTMLElement>(selector);
  if (found === null) throw new Error(`nothing is ${selector}`);
  return found;
}

export function pressed(host: ParentNode, name: string): void {
  const found = [...host.querySelectorAll("button")].find((each) => nameOf(each) === name);
  if (found === undefined) throw new Error(`no button is named ${name}`);
  found.click();
}

export function nameOf(button: Element): string {
  return button.getAttribute("aria-label") ?? button.textContent;
}
