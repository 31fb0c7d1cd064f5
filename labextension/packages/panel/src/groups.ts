import type { Field } from "@service-nb/client";
import { type Maker, Picker, Row } from "./elements.js";
import { fill } from "./words.js";

const MOST = 16; // that a question may hold

/** The columns that an answer is grouped by: those that are chosen, and a list to choose one more. */
export class Groups {
  readonly element: HTMLElement;
  readonly #maker: Maker;
  readonly #more: Picker<string>;
  readonly #chips: HTMLUListElement;
  readonly #changed: () => void;
  #fields: readonly Field[] = [];
  #chosen: readonly string[] = [];

  constructor(maker: Maker, changed: () => void) {
    this.#maker = maker;
    this.#changed = changed;
    this.#chips = maker.make("ul", { class: "service-chips", "aria-label": maker.say("Grouped by") });
    this.#more = new Picker(maker, () => {
      this.#add();
    });
    this.element = new Row(maker, maker.say("By"), this.#more.element).element;
    this.element.append(this.#chips);
    this.#draw();
  }

  get names(): readonly string[] {
    return this.#chosen;
  }

  /** Offer these columns; what was chosen and is no longer there is dropped. */
  offer(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#chosen = this.#chosen.filter((name) => fields.some((field) => field.name === name));
    this.#draw();
  }

  #add(): void {
    const name = this.#more.value;
    if (name === null) return;
    this.#chosen = [...this.#chosen, name];
    this.#draw();
    this.#changed();
  }

  #remove(name: string): void {
    this.#chosen = this.#chosen.filter((each) => each !== name);
    this.#draw();
    this.#more.element.focus();
    this.#changed();
  }

  #draw(): void {
    const { say } = this.#maker;
    const left = this.#fields.filter(({ name }) => !this.#chosen.includes(name));
    const choices = left.map(({ name, type }) => ({ value: name, label: `${name} · ${type}` }));
    const empty = this.#chosen.length === 0 ? say("nothing: one value for all rows") : say("one more column …");
    this.#more.offer(this.#chosen.length < MOST ? choices : [], null, empty);
    this.#chips.replaceChildren(...this.#chosen.map((name) => this.#chip(name)));
    this.#chips.hidden = this.#chosen.length === 0;
  }

  #chip(name: string): HTMLLIElement {
    const button = this.#maker.button("×", "service-remove", () => {
      this.#remove(name);
    });
    button.setAttribute("aria-label", fill(this.#maker.say("Group by {0} no longer"), name));
    return this.#maker.make("li", { class: "service-chip" }, this.#maker.make("span", {}, name), button);
  }
}
