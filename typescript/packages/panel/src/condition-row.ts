import { freshId, type Maker, Picker } from "./elements.js";
import { type OperandInput, operandInput } from "./operand-input.js";
import { arity, type Condition, type Operator, operators, type Subject } from "./question.js";
import { OPERATOR_WORDS } from "./words.js";

export interface ConditionHost {
  /** What a condition is on: the name of the list, and what it says while nothing is chosen. */
  readonly words: { readonly subject: string; readonly choose: string };
  readonly subjects: readonly Subject[];
  /** The values of a column of few, or none; asked once for each column. */
  values(subject: string): Promise<readonly string[]>;
  /** Whether this row may hold the period of the question. */
  takesPeriod(row: ConditionRow): boolean;
  changed(): void;
  removed(row: ConditionRow): void;
}

/** One condition: a column or a measure, a comparison that its type has, and what it is compared with. */
export class ConditionRow {
  readonly element: HTMLFieldSetElement;
  readonly #maker: Maker;
  readonly #host: ConditionHost;
  readonly #subject: Picker<string>;
  readonly #operator: Picker<Operator>;
  readonly #operands: HTMLElement;
  readonly #fault: HTMLElement;
  readonly #legend: HTMLLegendElement;
  #input: OperandInput | null = null;
  #type: string | null = null; // for which its operands are
  #known: readonly string[] = [];

  constructor(maker: Maker, host: ConditionHost) {
    this.#maker = maker;
    this.#host = host;
    const { say } = maker;
    this.#subject = new Picker(maker, () => {
      this.#subjectChosen();
    });
    this.#subject.element.setAttribute("aria-label", say(host.words.subject));
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
    const controls = [this.#subject.element, this.#operator.element, this.#operands, remove];
    this.element = maker.make("fieldset", attributes, this.#legend, ...controls, this.#fault);
    this.offer();
  }

  get condition(): Condition {
    const operands = this.#input?.texts() ?? [];
    return { subject: this.#subject.value, operator: this.#operator.value, operands };
  }

  get #chosen(): Subject | undefined {
    return this.#host.subjects.find(({ name }) => name === this.#subject.value);
  }

  name(label: string): void {
    this.#legend.textContent = label;
  }

  focus(): void {
    this.#subject.element.focus();
  }

  blame(message: string | null): void {
    this.#fault.textContent = message ?? "";
    this.#fault.hidden = message === null;
  }

  /** Offer the columns, or measures, as they are now. */
  offer(): void {
    const choices = this.#host.subjects.map(({ name, label }) => ({ value: name, label }));
    this.#subject.offer(choices, this.#subject.value, this.#maker.say(this.#host.words.choose));
    this.offerOperators();
  }

  /** Offer the comparisons that the type of what is compared has. */
  offerOperators(): void {
    const subject = this.#chosen;
    const fitting = subject === undefined ? [] : operators(subject);
    const all = fitting.filter((operator) => operator !== "during" || this.#host.takesPeriod(this));
    const choices = all.map((value) => ({ value, label: this.#maker.say(OPERATOR_WORDS[value]) }));
    const before = this.#operator.value;
    this.#operator.offer(choices, before ?? (subject === undefined ? null : "eq"), this.#maker.say("comparison …"));
    this.#operator.element.disabled = subject === undefined;
    if (subject === undefined || this.#operator.value !== before || subject.type !== this.#type) this.#offerOperands();
  }

  #subjectChosen(): void {
    const chosen = this.#subject.value;
    this.#known = [];
    this.offerOperators();
    this.#offerOperands();
    this.#host.changed();
    if (chosen === null || this.#chosen?.type !== "string") return;
    this.#host.values(chosen).then(
      (values) => {
        if (this.#subject.value !== chosen || values.length === 0) return;
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
    const [subject, operator] = [this.#chosen, this.#operator.value];
    this.#type = subject?.type ?? null;
    const kind = subject === undefined || operator === null ? "none" : arity(operator);
    // Part of a text is typed even where the whole ones are known.
    const known = operator === "eq" || operator === "ne" || kind === "many" ? this.#known : [];
    this.#input =
      subject === undefined
        ? null
        : operandInput(this.#maker, subject.type, kind, known, () => {
            this.#host.changed();
          });
    this.#operands.replaceChildren(...(this.#input === null ? [] : [this.#input.element]));
    this.#operands.hidden = this.#input === null;
  }
}
