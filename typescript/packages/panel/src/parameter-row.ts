import type { Parameter, Source } from "@service-nb/link";
import { argumentText, columnsFor, type Kind, kindOf, typedExample } from "./argument.js";
import { type Maker, Picker, Row } from "./elements.js";
import { fill } from "./words.js";

type Typed = HTMLInputElement | HTMLTextAreaElement;

/** One parameter: what it is called and means, a control of its type, and what is wrong with what was given. */
export class ParameterRow {
  readonly name: string;
  readonly element: HTMLElement;
  readonly #maker: Maker;
  readonly #kind: Kind;
  readonly #parameter: Parameter;
  readonly #row: Row;
  readonly #control: Typed | Picker<string>;
  readonly #columns: Picker<string> | null;

  constructor(maker: Maker, parameter: Parameter, sources: readonly Source[], changed: () => void) {
    this.name = parameter.name;
    this.#maker = maker;
    this.#parameter = parameter;
    this.#kind = kindOf(parameter);
    this.#control = this.#makeControl(changed);
    this.#columns = this.#makeColumns(sources, changed);
    const control = this.#control instanceof Picker ? this.#control.element : this.#control;
    this.#row = new Row(maker, this.#label(), control, this.#about());
    this.element = this.#row.element;
    if (this.#columns !== null) control.after(this.#columns.element);
    const example = this.#exampleButton(changed);
    if (example !== null) this.element.append(example);
  }

  /** The argument as it stands in a compute line; empty when none is given. */
  get text(): string {
    if (!(this.#control instanceof Picker)) return argumentText(this.#control.value, this.#kind);
    return this.#control.value === null ? "" : argumentText(this.#control.value, this.#kind);
  }

  /** Whether a value has to be given here. */
  get isNeeded(): boolean {
    return this.#parameter.default === undefined;
  }

  get hasExample(): boolean {
    return this.#parameter.example !== null;
  }

  takeExample(): void {
    if (this.#parameter.example === null) return;
    const typed = typedExample(this.#parameter.example, this.#kind);
    if (this.#control instanceof Picker) this.#control.value = typed;
    else this.#control.value = typed;
    if (this.#columns !== null) this.#columns.value = null;
  }

  blame(message: string | null): void {
    this.#row.blame(message);
  }

  #label(): HTMLElement {
    const { name, symbol, unit, type } = this.#parameter;
    const maker = this.#maker;
    const parts = [
      symbol === null || symbol === name ? null : maker.make("span", { class: "service-symbol" }, symbol),
      maker.make("span", { class: "service-type" }, type),
      unit === "1" || unit === ""
        ? null
        : maker.make("span", { class: "service-unit" }, fill(maker.say("in {0}"), unit)),
    ];
    return maker.make(
      "span",
      { class: "service-name-line" },
      maker.make("span", { class: "service-name" }, name),
      ...parts,
    );
  }

  #about(): HTMLElement {
    const { about, domain } = this.#parameter;
    const isEverything = domain === null || domain === "(-inf, inf)";
    const where = isEverything ? null : this.#maker.make("span", { class: "service-domain" }, domain);
    return this.#maker.make("p", { class: "service-about" }, about, isEverything ? null : " ", where);
  }

  #makeControl(changed: () => void): Typed | Picker<string> {
    const { choices, example } = this.#parameter;
    const preset =
      this.#parameter.default === undefined ? undefined : typedExample(this.#parameter.default, this.#kind);
    const { scalar, rank } = this.#kind;
    if (rank === 0 && (choices.length > 0 || scalar === "boolean")) {
      const picker = new Picker<string>(this.#maker, changed);
      const offered = choices.length > 0 ? choices : ["true", "false"];
      picker.offer(
        offered.map((value) => ({ value, label: value })),
        null,
        preset === undefined ? this.#maker.say("choose …") : fill(this.#maker.say("default: {0}"), preset),
      );
      return picker;
    }
    const shared = { class: "service-input", autocomplete: "off", spellcheck: "false" };
    const control =
      rank === 0
        ? this.#maker.make("input", { ...shared, type: "text", inputmode: scalar === "number" ? "decimal" : undefined })
        : this.#maker.make("textarea", { ...shared, rows: rank === 1 ? "2" : "4" });
    if (preset !== undefined) control.placeholder = fill(this.#maker.say("default: {0}"), preset);
    else if (example !== null) control.placeholder = typedExample(example, this.#kind);
    control.addEventListener("input", () => {
      if (this.#columns !== null) this.#columns.value = control.value.trim();
      changed();
    });
    return control;
  }

  /** A list of columns that a list of values may be read from: what is chosen is written into the control. */
  #makeColumns(sources: readonly Source[], changed: () => void): Picker<string> | null {
    const control = this.#control;
    const columns = this.#kind.rank === 1 ? columnsFor(sources, this.#kind) : [];
    if (columns.length === 0 || control instanceof Picker) return null;
    const picker = new Picker<string>(this.#maker, () => {
      control.value = picker.value ?? "";
      changed();
    });
    picker.element.setAttribute("aria-label", fill(this.#maker.say("A column for {0}"), this.name));
    const choices = columns.map(({ text, label }) => ({ value: text, label }));
    picker.offer(choices, null, this.#maker.say("or a column of a source …"));
    return picker;
  }

  #exampleButton(changed: () => void): HTMLButtonElement | null {
    if (!this.hasExample) return null;
    const button = this.#maker.button(this.#maker.say("use example"), "service-link", () => {
      this.takeExample();
      changed();
    });
    button.setAttribute("aria-label", fill(this.#maker.say("Use the example for {0}"), this.name));
    return button;
  }
}
