import type { Field } from "@service-nb/link";
import { freshId, type Maker, Picker, Row } from "./elements.js";
import { type GroupKey, type Unit, UNITS } from "./question.js";
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
  #chosen: readonly GroupChip[] = [];

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

  get keys(): readonly GroupKey[] {
    return this.#chosen.map(({ key }) => key);
  }

  /** Offer these columns; what was chosen and is no longer there as it was is dropped. */
  offer(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#chosen = this.#chosen.filter(({ field: { name, type } }) =>
      fields.some((field) => field.name === name && field.type === type),
    );
    this.#draw();
  }

  /** Say what is wrong with a group, by its place, or that nothing is. */
  blame(messageAt: (place: number) => string | null): void {
    this.#chosen.forEach((chip, place) => {
      chip.blame(messageAt(place));
    });
  }

  #add(): void {
    const field = this.#fields.find(({ name }) => name === this.#more.value);
    if (field === undefined) return;
    const chip: GroupChip = new GroupChip(this.#maker, field, this.#changed, () => {
      this.#remove(chip);
    });
    this.#chosen = [...this.#chosen, chip];
    this.#draw();
    this.#changed();
  }

  #remove(chip: GroupChip): void {
    this.#chosen = this.#chosen.filter((each) => each !== chip);
    this.#draw();
    this.#more.element.focus();
    this.#changed();
  }

  #draw(): void {
    const { say } = this.#maker;
    const left = this.#fields.filter((field) => !this.#chosen.some((chip) => chip.field.name === field.name));
    const choices = left.map(({ name, type }) => ({ value: name, label: `${name} · ${type}` }));
    const empty = this.#chosen.length === 0 ? say("all rows together") : say("one more column …");
    this.#more.offer(this.#chosen.length < MOST ? choices : [], null, empty);
    this.#chips.replaceChildren(...this.#chosen.map(({ element }) => element));
    this.#chips.hidden = this.#chosen.length === 0;
  }
}

/** One column: of a date the period, of a number the width of bins can be chosen. */
class GroupChip {
  readonly element: HTMLLIElement;
  readonly field: Field;
  readonly #maker: Maker;
  readonly #changed: () => void;
  readonly #fault: HTMLElement;
  #unit: Picker<Unit> | null = null;
  #bins: Picker<"bins"> | null = null;
  #width: HTMLInputElement | null = null;

  constructor(maker: Maker, field: Field, changed: () => void, removed: () => void) {
    this.#maker = maker;
    this.#changed = changed;
    this.field = field;
    this.#fault = maker.make("p", { class: "service-fault", id: freshId(), hidden: true });
    const remove = maker.button("×", "service-remove", removed);
    remove.setAttribute("aria-label", fill(maker.say("Group by {0} no longer"), field.name));
    const name = maker.make("span", { class: "service-chip-name" }, field.name);
    this.element = maker.make("li", { class: "service-chip" }, name, ...this.#controls(), remove, this.#fault);
  }

  get key(): GroupKey {
    const column = this.field.name;
    const unit = this.#unit?.value ?? undefined;
    if (unit !== undefined) return { column, unit };
    return this.#bins?.value === "bins" ? { column, width: this.#width?.value ?? "" } : { column };
  }

  blame(message: string | null): void {
    this.#fault.textContent = message ?? "";
    this.#fault.hidden = message === null;
    if (message === null) this.#width?.removeAttribute("aria-invalid");
    else this.#width?.setAttribute("aria-invalid", "true");
  }

  #controls(): readonly HTMLElement[] {
    const { say } = this.#maker;
    switch (this.field.type) {
      case "date":
      case "datetime": {
        const units = UNITS.map((value) => ({ value, label: say(value) }));
        this.#unit = this.#picker(say("Period of {0}"), units, this.#changed);
        return [this.#unit.element];
      }
      case "number": {
        const width = this.#widthInput();
        this.#bins = this.#picker(say("Values of {0}"), [{ value: "bins", label: say("bins of") }], () => {
          width.hidden = this.#bins?.value !== "bins";
          if (!width.hidden) width.focus();
          this.#changed();
        });
        this.#width = width;
        return [this.#bins.element, width];
      }
      default:
        return [];
    }
  }

  #picker<T>(label: string, choices: readonly { value: T; label: string }[], changed: () => void): Picker<T> {
    const picker = new Picker<T>(this.#maker, changed);
    picker.element.setAttribute("aria-label", fill(label, this.field.name));
    picker.offer(choices, null, this.#maker.say("each value"));
    return picker;
  }

  #widthInput(): HTMLInputElement {
    const width = this.#maker.make("input", {
      class: "service-input service-width",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      placeholder: "10",
      "aria-label": fill(this.#maker.say("Width of the bins of {0}"), this.field.name),
      "aria-describedby": this.#fault.id,
      hidden: true,
    });
    width.addEventListener("input", this.#changed);
    return width;
  }
}
