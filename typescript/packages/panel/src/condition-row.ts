import type { Field } from "@service-nb/link";
import { freshId, type Maker, Picker } from "./elements.js";
import { type OperandInput, operandInput } from "./operand-input.js";
import { arity, type Condition, type Operator, operators } from "./question.js";
import { OPERATOR_WORDS } from "./words.js";

export interface ConditionHost {
  readonly fields: readonly Field[];
  /** The values of a column of few, or none; asked once for each column. */
  values(field: string): Promise<readonly string[]>;
  /** Whether this row may hold the period of the question. */
  takesPeriod(row: ConditionRow): boolean;
  changed(): void;
  removed(row: ConditionRow): void;
}

/** One condition: a column, a comparison that its type has, and what it is compared with. */
export class ConditionRow {
  readonly element: HTMLFieldSetElement;
  readonly #maker: Maker;
  readonly #host: ConditionHost;
  readonly #column: Picker<string>;
  readonly #operator: Picker<Operator>;
  readonly #operands: HTMLElement;
  readonly #fault: HTMLElement;
  readonly #legend: HTMLLegendElement;
  #input: OperandInput | null = null;
  #known: readonly string[] = [];

  constructor(maker: Maker, host: ConditionHost) {
    this.#maker = maker;
    this.#host = host;
    const { say } = maker;
    this.#column = new Picker(maker, () => {
      this.#columnChosen();
    });
    this.#column.element.setAttribute("aria-label", say("Column"));
    this.#operator = new Picker(maker, () => {
      this.#operatorChosen();
    });
    this.#operator.element.setAttribute("aria-label", say("Comparison"));
    this.#operands = maker.make("div", { class: "service-operands" });
    this.#fault = maker.make("p", { class: "service-fault", id: freshId(), hidden: true });
    this.#legend = maker.make("legend", { class: "service-hidden" });
    const remove = maker.button("×", "service-remove", () => {
      host.removed(this);
    });
    remove.setAttribute("aria-label", say("Remove this condition"));
    const attributes = { class: "service-condition", "aria-describedby": this.#fault.id };
    const controls = [this.#column.element, this.#operator.element, this.#operands, remove];
    this.element = maker.make("fieldset", attributes, this.#legend, ...controls, this.#fault);
    this.offer();
  }

  get condition(): Condition {
    const operands = this.#input?.texts() ?? [];
    return { column: this.#column.value, operator: this.#operator.value, operands };
  }

  get #field(): Field | undefined {
    return this.#host.fields.find(({ name }) => name === this.#column.value);
  }

  name(label: string): void {
    this.#legend.textContent = label;
  }

  focus(): void {
    this.#column.element.focus();
  }

  blame(message: string | null): void {
    this.#fault.textContent = message ?? "";
    this.#fault.hidden = message === null;
  }

  /** Offer the columns as they are now. */
  offer(): void {
    const choices = this.#host.fields.map(({ name, type }) => ({ value: name, label: `${name} · ${type}` }));
    this.#column.offer(choices, this.#column.value, this.#maker.say("column …"));
    this.offerOperators();
  }

  /** Offer the comparisons that the column's type has. */
  offerOperators(): void {
    const field = this.#field;
    const fitting = field === undefined ? [] : operators(field);
    const all = fitting.filter((operator) => operator !== "during" || this.#host.takesPeriod(this));
    const choices = all.map((value) => ({ value, label: this.#maker.say(OPERATOR_WORDS[value]) }));
    const before = this.#operator.value;
    this.#operator.offer(choices, before ?? (field === undefined ? null : "eq"), this.#maker.say("comparison …"));
    this.#operator.element.disabled = field === undefined;
    if (this.#operator.value !== before || field === undefined) this.#offerOperands();
  }

  #columnChosen(): void {
    const chosen = this.#column.value;
    this.#known = [];
    this.offerOperators();
    this.#offerOperands();
    this.#host.changed();
    if (chosen === null || this.#field?.type !== "string") return;
    this.#host.values(chosen).then(
      (values) => {
        if (this.#column.value !== chosen || values.length === 0) return;
        const untouched = this.#input === null || this.#input.texts().every((text) => text === "");
        this.#known = values;
        if (untouched) this.#offerOperands();
      },
      // Without the list the value is typed; that the kernel is gone is said by the line below the form.
      () => {
        this.#known = [];
      },
    );
  }

  #operatorChosen(): void {
    this.#offerOperands();
    this.#host.changed();
  }

  #offerOperands(): void {
    const [field, operator] = [this.#field, this.#operator.value];
    const kind = field === undefined || operator === null ? "none" : arity(operator);
    // Part of a text is typed even where the whole ones are known.
    const known = operator === "eq" || operator === "ne" || kind === "many" ? this.#known : [];
    this.#input =
      field === undefined
        ? null
        : operandInput(this.#maker, field, kind, known, () => {
            this.#host.changed();
          });
    this.#operands.replaceChildren(...(this.#input === null ? [] : [this.#input.element]));
    this.#operands.hidden = this.#input === null;
  }
}
