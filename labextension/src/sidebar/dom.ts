// Names come from notebooks and kernels of others: they enter as text and as attributes that are none of the page's own.

type Attributes = Readonly<Record<string, string | boolean | undefined>>;
export type Child = Node | string | null;

/** Makes an element. A value of `true` sets an attribute without value; `false` and `undefined` set none. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = globalThis.document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A button with words. */
export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = make("button", { type: "button", class: "service-side-button", ...attributes }, label);
  element.addEventListener("click", () => {
    if (element.getAttribute("aria-disabled") !== "true") onClick();
  });
  return element;
}

/**
 * Says whether a button can be used, and why not. It stays reachable by keyboard, so that the reason can be read: a
 * `disabled` button is skipped.
 */
export function allow(element: HTMLButtonElement, reason: string | null): void {
  if (reason === null) {
    element.removeAttribute("aria-disabled");
    element.removeAttribute("title");
    return;
  }
  element.setAttribute("aria-disabled", "true");
  element.setAttribute("title", reason);
}

let ids = 0;

/** An id that no data has a say in. */
export function freshId(part: string): string {
  ids += 1;
  return `service-sidebar-${part}-${String(ids)}`;
}

/** Sets text only where it changed: a live region repeats what is written into it again. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** A dotted name that may break where its parts do, and not within them. */
export function breakable(name: string): DocumentFragment {
  const fragment = globalThis.document.createDocumentFragment();
  for (const part of name.split(/(?<=[._(,])/)) fragment.append(part, make("wbr"));
  return fragment;
}
