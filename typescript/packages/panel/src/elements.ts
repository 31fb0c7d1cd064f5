// Names and texts of sources and capabilities come from files of others. They enter as text and as values of controls,
// and never as markup, as an attribute, or as an id.

type Attribute = string | boolean | undefined;
export type Child = Node | string | null;
export type Attributes = Readonly<Record<string, Attribute>>;

const SUPPRESS = "data-lm-suppress-shortcuts";
const KEYED = new Set(["button", "select", "summary"]);

// Two bundles of this package may share a page: the sidebar's and the widget's.
const PAGE = Math.random().toString(36).slice(2, 8);
let made = 0;

/** An id that no other element of the page has. */
export function freshId(): string {
  made += 1;
  return `service-${PAGE}-${String(made)}`;
}

/** Makes elements of one document. */
export class Maker {
  readonly say: (text: string) => string;
  readonly #document: Document;

  constructor(document: Document, say: (text: string) => string = (text) => text) {
    this.#document = document;
    this.say = say;
  }

  make<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    attributes: Attributes = {},
    ...children: readonly Child[]
  ): HTMLElementTagNameMap[K] {
    const element = this.#document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "string") element.setAttribute(name, value);
      else if (value === true) element.setAttribute(name, "");
    }
    // A notebook in command mode takes keys from whatever is not written into: d, d on a list would delete the cell.
    if (KEYED.has(tag) || attributes["type"] === "checkbox") element.setAttribute(SUPPRESS, "true");
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  button(label: string, kind: string, onClick: () => void): HTMLButtonElement {
    const button = this.make("button", { type: "button", class: `service-button ${kind}` }, label);
    button.addEventListener("click", onClick);
    return button;
  }
}

/** A control with its label above it and, below, what it is about and what is wrong with it. */
export class Row {
  readonly element: HTMLElement;
  readonly #fault: HTMLElement;
  readonly #control: HTMLElement;

  /** With `beside`, a control that belongs to the first stands at its end, and shares what is wrong. */
  constructor(
    maker: Maker,
    label: Child,
    control: HTMLElement,
    about: HTMLElement | null = null,
    beside: HTMLElement | null = null,
  ) {
    const ids = { control: freshId(), fault: freshId(), about: freshId() };
    this.#control = control;
    this.#fault = maker.make("p", { class: "service-fault", id: ids.fault, hidden: true });
    control.id = ids.control;
    if (about !== null) about.id = ids.about;
    control.setAttribute("aria-describedby", about === null ? ids.fault : `${ids.about} ${ids.fault}`);
    const head = maker.make("label", { class: "service-label", for: ids.control }, label);
    beside?.setAttribute("aria-describedby", ids.fault);
    const controls = beside === null ? control : maker.make("div", { class: "service-beside" }, control, beside);
    this.element = maker.make("div", { class: "service-field" }, head, about, controls, this.#fault);
  }

  /** Say what is wrong, or with null that nothing is. */
  blame(message: string | null): void {
    this.#fault.textContent = message ?? "";
    this.#fault.hidden = message === null;
    if (message === null) this.#control.removeAttribute("aria-invalid");
    else this.#control.setAttribute("aria-invalid", "true");
  }
}

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
}

/** A list to choose one from. The values of its options are their places, so that no name is ever read as another. */
export class Picker<T> {
  readonly element: HTMLSelectElement;
  readonly #maker: Maker;
  #choices: readonly Choice<T>[] = [];

  constructor(maker: Maker, onChange: () => void) {
    this.#maker = maker;
    this.element = maker.make("select", { class: "service-input" });
    this.element.addEventListener("change", onChange);
  }

  /** Offer these. What was chosen stays chosen while it is offered; else nothing is, and `empty` says so. */
  offer(choices: readonly Choice<T>[], chosen: T | null, empty: string | null): void {
    this.#choices = choices;
    const place = choices.findIndex((choice) => choice.value === chosen);
    const none = empty === null ? [] : [this.#option("", empty)];
    this.element.replaceChildren(...none, ...choices.map(({ label }, index) => this.#option(String(index), label)));
    this.element.value = place < 0 ? "" : String(place);
  }

  get value(): T | null {
    return this.element.value === "" ? null : (this.#choices[Number(this.element.value)]?.value ?? null);
  }

  set value(value: T | null) {
    const place = this.#choices.findIndex((choice) => choice.value === value);
    this.element.value = place < 0 ? "" : String(place);
  }

  #option(value: string, label: string): HTMLOptionElement {
    return this.#maker.make("option", { value }, label);
  }
}
