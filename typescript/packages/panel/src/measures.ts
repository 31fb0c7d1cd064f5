import type { Field } from "@service-nb/link";
import { AGGREGATIONS } from "./aggregations.js";
import { freshId, type Maker, Picker, Row } from "./elements.js";
import {
  type Aggregation,
  AGGREGATION_NAMES,
  type Measure,
  type MeasureSubject,
  suits,
  takesPercent,
} from "./question.js";
import { fill, spellMeasure } from "./words.js";

const MOST = 16; // that a question may hold

/** What is asked for: one aggregation of one column, and more of them where a reader adds them. */
export class Measures {
  readonly first: readonly HTMLElement[];
  readonly more: HTMLElement;
  readonly #maker: Maker;
  readonly #changed: () => void;
  readonly #add: HTMLButtonElement;
  readonly #list: HTMLElement;
  readonly #lead: MeasurePair;
  readonly #leadRow: Row;
  readonly #percentRow: Row;
  #added: readonly AddedMeasure[] = [];
  #fields: readonly Field[] = [];

  constructor(maker: Maker, changed: () => void) {
    const { say } = maker;
    this.#maker = maker;
    this.#changed = changed;
    this.#lead = new MeasurePair(maker, changed);
    this.#leadRow = new Row(maker, say("Of"), this.#lead.metric.element);
    this.#percentRow = new Row(maker, say("Compute"), this.#lead.aggregation.element, null, this.#lead.percent);
    this.first = [this.#percentRow.element, this.#leadRow.element];
    this.#list = maker.make("div", { class: "service-measures" });
    this.#add = maker.button(say("Add a measure"), "service-quiet", () => {
      this.#addOne();
    });
    this.more = maker.make("div", { class: "service-group" }, this.#list, this.#add);
  }

  get measures(): readonly Measure[] {
    return [this.#lead.measure, ...this.#added.map(({ pair }) => pair.measure)];
  }

  /** The measures that conditions on groups can be on; the count of rows always is one. */
  get subjects(): readonly MeasureSubject[] {
    const { say } = this.#maker;
    const found = [this.#lead, ...this.#added.map(({ pair }) => pair)].flatMap((pair) => pair.subject ?? []);
    const rows = { aggregation: "count", metric: null } as const;
    if (found.some(({ measure }) => measure.aggregation === "count" && measure.metric === null)) return found;
    const label = spellMeasure(rows, say);
    return [...found, { name: "rows", label, type: "number", nullable: false, measure: rows }];
  }

  /** Choose the first aggregation, its percent or its column; a column that does not fit is dropped. */
  choose(chosen: Partial<Measure>): void {
    if (chosen.aggregation !== undefined) this.#lead.aggregation.value = chosen.aggregation;
    if (chosen.metric !== undefined) this.#lead.metric.value = chosen.metric;
    if (chosen.percent !== undefined) this.#lead.percent.value = chosen.percent;
    this.#lead.offer(this.#fields);
    (chosen.percent === undefined ? this.#lead.metric.element : this.#lead.percent).focus();
  }

  /** Offer these columns. */
  offer(fields: readonly Field[]): void {
    this.#fields = fields;
    this.#lead.offer(fields);
    for (const { pair } of this.#added) pair.offer(fields);
    this.refresh();
  }

  /** Offer one more where the first is chosen. */
  refresh(): void {
    this.#add.disabled = this.#lead.measure.aggregation === null || this.#added.length + 1 >= MOST;
  }

  /** Say what is wrong with a measure or its percent, by its place, or that nothing is. */
  blame(messageAt: (place: number) => string | null, percentAt: (place: number) => string | null): void {
    this.#leadRow.blame(messageAt(0));
    this.#percentRow.blame(percentAt(0));
    this.#lead.mark(percentAt(0));
    this.#added.forEach((each, index) => {
      each.blame(messageAt(index + 1) ?? percentAt(index + 1));
      each.pair.mark(percentAt(index + 1));
    });
  }

  #addOne(): void {
    const one: AddedMeasure = new AddedMeasure(this.#maker, this.#changed, () => {
      this.#remove(one);
    });
    one.pair.offer(this.#fields);
    this.#added = [...this.#added, one];
    this.#list.append(one.element);
    this.#number();
    one.pair.aggregation.element.focus();
    this.#changed();
  }

  #remove(one: AddedMeasure): void {
    this.#added = this.#added.filter((each) => each !== one);
    one.element.remove();
    this.#number();
    this.#add.focus();
    this.#changed();
  }

  #number(): void {
    this.#added.forEach((each, index) => {
      each.name(fill(this.#maker.say("Measure {0}"), index + 2));
    });
    this.refresh();
  }
}

/** The two lists of a measure: the columns offered are those that the aggregation takes. A percentile has a percent. */
class MeasurePair {
  readonly aggregation: Picker<Aggregation>;
  readonly percent: HTMLInputElement;
  readonly metric: Picker<string>;
  readonly #name = freshId();
  readonly #maker: Maker;
  #fields: readonly Field[] = [];

  constructor(maker: Maker, changed: () => void) {
    this.#maker = maker;
    this.aggregation = new Picker(maker, () => {
      this.#offerMetrics();
      changed();
    });
    this.percent = maker.make("input", {
      class: "service-input service-percent",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      placeholder: "90",
      "aria-label": maker.say("Percent"),
      hidden: true,
    });
    this.percent.addEventListener("input", changed);
    this.metric = new Picker(maker, changed);
  }

  get measure(): Measure {
    const { value: aggregation } = this.aggregation;
    const chosen = { aggregation, metric: this.metric.value };
    return takesPercent(aggregation) ? { ...chosen, percent: this.percent.value } : chosen;
  }

  /** What a condition on groups can be on, once it is chosen. It stays the same one whatever is chosen later. */
  get subject(): MeasureSubject | null {
    const { measure } = this;
    const { aggregation, metric } = measure;
    const field = this.#fields.find(({ name }) => name === metric);
    if (aggregation === null || (field === undefined && aggregation !== "count")) return null;
    const { held } = AGGREGATIONS[aggregation];
    const type = held === "as column" ? (field?.type ?? "number") : "number";
    const label = spellMeasure(measure, this.#maker.say);
    // A group of one value has no deviation: what is held as another type than its column may be missing.
    const nullable = held !== "int64" && (held === "float64" || field?.nullable === true);
    return { name: this.#name, label, type, nullable, measure };
  }

  /** Mark the percent as wrong, or as right. */
  mark(message: string | null): void {
    if (message === null) this.percent.removeAttribute("aria-invalid");
    else this.percent.setAttribute("aria-invalid", "true");
  }

  offer(fields: readonly Field[]): void {
    const { say } = this.#maker;
    this.#fields = fields;
    const choices = AGGREGATION_NAMES.map((name) => ({ value: name, label: say(AGGREGATIONS[name].label) }));
    this.aggregation.offer(choices, this.aggregation.value, say("choose …"));
    this.#offerMetrics();
  }

  #offerMetrics(): void {
    const { say } = this.#maker;
    const { aggregation, metric } = this.measure;
    const fitting = this.#fields.filter((field) => suits(aggregation, field));
    const choices = fitting.map(({ name, type }) => ({ value: name, label: `${name} · ${type}` }));
    this.metric.offer(choices, metric, aggregation === "count" ? say("rows") : say("choose a column …"));
    this.metric.element.disabled = aggregation === null;
    this.percent.hidden = !takesPercent(aggregation);
  }
}

/** A measure after the first, on a line of its own. */
class AddedMeasure {
  readonly element: HTMLFieldSetElement;
  readonly pair: MeasurePair;
  readonly #legend: HTMLLegendElement;
  readonly #fault: HTMLElement;

  constructor(maker: Maker, changed: () => void, removed: () => void) {
    const { say } = maker;
    this.pair = new MeasurePair(maker, changed);
    this.pair.aggregation.element.setAttribute("aria-label", say("Aggregation"));
    this.pair.metric.element.setAttribute("aria-label", say("Column to compute it of"));
    const remove = maker.button("×", "service-remove", removed);
    remove.setAttribute("aria-label", say("Remove this measure"));
    this.#legend = maker.make("legend", { class: "service-hidden" });
    this.#fault = maker.make("p", { class: "service-fault", id: freshId(), hidden: true });
    const what = maker.make("div", { class: "service-beside" }, this.pair.aggregation.element, this.pair.percent);
    this.pair.percent.setAttribute("aria-describedby", this.#fault.id);
    const controls = [what, this.pair.metric.element, remove];
    const attributes = { class: "service-measure", "aria-describedby": this.#fault.id };
    this.element = maker.make("fieldset", attributes, this.#legend, ...controls, this.#fault);
  }

  name(label: string): void {
    this.#legend.textContent = label;
  }

  blame(message: string | null): void {
    this.#fault.textContent = message ?? "";
    this.#fault.hidden = message === null;
  }
}
