import { freshId, type Maker } from "./elements.js";

export interface Tab {
  readonly label: string;
  readonly body: HTMLElement;
}

/** A list of tabs, of which one shows its body: arrows go from one to the next, as do Home and End. */
export class Tabs {
  readonly element: HTMLElement;
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #bodies: readonly HTMLElement[];

  constructor(maker: Maker, label: string, tabs: readonly Tab[]) {
    this.#bodies = tabs.map(({ body }) => body);
    this.#buttons = tabs.map((tab, index) => this.#button(maker, tab, index));
    const list = maker.make("div", { role: "tablist", class: "service-tabs", "aria-label": label }, ...this.#buttons);
    list.addEventListener("keydown", (event) => {
      this.#move(event);
    });
    this.element = maker.make("div", { class: "service-tabbed" }, list, ...this.#bodies);
    this.show(0);
  }

  show(shown: number): void {
    this.#buttons.forEach((button, index) => {
      button.setAttribute("aria-selected", String(index === shown));
      button.tabIndex = index === shown ? 0 : -1;
    });
    this.#bodies.forEach((body, index) => {
      body.hidden = index !== shown;
    });
  }

  #button(maker: Maker, { label, body }: Tab, index: number): HTMLButtonElement {
    const button = maker.button(label, "service-tab", () => {
      this.show(index);
    });
    button.id = freshId();
    body.id = freshId();
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", body.id);
    body.setAttribute("role", "tabpanel");
    body.setAttribute("aria-labelledby", button.id);
    return button;
  }

  #move(event: KeyboardEvent): void {
    const place = this.#buttons.findIndex((button) => button === event.target);
    const last = this.#buttons.length - 1;
    const next: Readonly<Record<string, number>> = {
      ArrowRight: place === last ? 0 : place + 1,
      ArrowLeft: place === 0 ? last : place - 1,
      Home: 0,
      End: last,
    };
    const target = next[event.key];
    if (place < 0 || target === undefined) return;
    event.preventDefault();
    this.show(target);
    this.#buttons[target]?.focus();
  }
}
