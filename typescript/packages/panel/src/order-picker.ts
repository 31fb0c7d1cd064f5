import { type Choice, type Maker, Picker } from "./elements.js";
import type { GroupKey, Measure, Order } from "./question.js";
import { fill, spellMeasure } from "./words.js";

const BY_THE_ANSWER: Order = { by: "measure", place: 0, direction: "desc" };

/** What an answer is ordered by: one of its measures or groups, from either end. */
export class OrderPicker {
  readonly #maker: Maker;
  readonly #picker: Picker<string>;
  #orders = new Map<string, Order>();
  #isChosen = false;

  constructor(maker: Maker, changed: () => void) {
    this.#maker = maker;
    this.#picker = new Picker(maker, () => {
      this.#isChosen = true;
      changed();
    });
    this.offer([{ aggregation: null, metric: null }], []);
  }

  get element(): HTMLSelectElement {
    return this.#picker.element;
  }

  get order(): Order {
    return this.#orders.get(this.#picker.value ?? "") ?? BY_THE_ANSWER;
  }

  /**
   * Offer the columns of the answer. What was chosen stays chosen while it is one, wherever it stands now. Else a first
   * group of periods or bins orders the answer, as it orders a question without an order.
   */
  offer(measures: readonly Measure[], groups: readonly GroupKey[]): void {
    this.#orders = new Map();
    const isAlone = measures.length === 1;
    const choices = [
      ...measures.flatMap((measure, place) => this.#ofMeasure(measure, place, isAlone)),
      ...groups.flatMap((group, place) => this.#ofGroup(group, place)),
    ];
    const kept = this.#isChosen ? choices.find(({ value }) => value === this.#picker.value) : undefined;
    const [first] = groups;
    const isSeries = first?.unit !== undefined || first?.width !== undefined;
    const chosen = kept ?? (isSeries ? choices[2 * measures.length] : choices[0]);
    this.#picker.offer(choices, chosen?.value ?? null, null);
  }

  #ofMeasure(measure: Measure, place: number, isAlone: boolean): readonly Choice<string>[] {
    const { say } = this.#maker;
    const { aggregation, metric, percent } = measure;
    const ends =
      aggregation === "count"
        ? ([say("most first"), say("fewest first")] as const)
        : ([say("largest first"), say("smallest first")] as const);
    const key = isAlone || place === 0 ? "first" : [aggregation, metric, percent ?? null];
    return (["desc", "asc"] as const).map((direction, end) => {
      const label = isAlone ? (ends[end] ?? "") : `${spellMeasure(measure, say)}: ${ends[end] ?? ""}`;
      return this.#choice(key, { by: "measure", place, direction }, label);
    });
  }

  #ofGroup(group: GroupKey, place: number): readonly Choice<string>[] {
    const { say } = this.#maker;
    const name =
      group.unit === undefined
        ? group.width === undefined
          ? group.column
          : fill(say("{0} in bins"), group.column)
        : fill(say("{0} of {1}"), say(group.unit), group.column);
    return [
      this.#choice([group.column], { by: "group", place, direction: "asc" }, `${name}: ${say("ascending")}`),
      this.#choice([group.column], { by: "group", place, direction: "desc" }, `${name}: ${say("descending")}`),
    ];
  }

  #choice(key: unknown, order: Order, label: string): Choice<string> {
    const value = JSON.stringify([order.by, key, order.direction]);
    this.#orders.set(value, this.#orders.get(value) ?? order);
    return { value, label };
  }
}
