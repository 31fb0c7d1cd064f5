import type { AskCheck, Client, Source } from "@service-nb/link";
import { ConditionList, OF_GROUPS, OF_ROWS } from "./conditions.js";
import { Maker, Picker, Row } from "./elements.js";
import type { FormOptions, OpenForm } from "./form.js";
import { Groups } from "./groups.js";
import { type Judgement, Live, spoken, type Way } from "./live.js";
import { Measures } from "./measures.js";
import { OrderPicker } from "./order-picker.js";
import { AGGREGATION_NAMES, type Fault, type Question, specOf, type Subject } from "./question.js";
import { fill } from "./words.js";

/**
 * A form that builds a question. Each list holds what is valid, and what the kernel makes of it stands below.
 *
 * It is made within `host`, and asks the client for the sources at once.
 */
export function askForm(host: HTMLElement, options: FormOptions): OpenForm {
  return new AskForm(host, options);
}

class AskForm implements OpenForm {
  readonly #client: Client;
  readonly #maker: Maker;
  readonly #live: Live;
  readonly #form: HTMLFormElement;
  readonly #empty: HTMLElement;
  readonly #source: Picker<string>;
  readonly #about: HTMLElement;
  readonly #measures: Measures;
  readonly #groups: Groups;
  readonly #where: ConditionList;
  readonly #having: ConditionList;
  readonly #order: OrderPicker;
  readonly #limit: HTMLInputElement;
  readonly #limitRow: Row;
  #sources: readonly Source[] = [];
  #values = new Map<string, Promise<readonly string[]>>();

  constructor(host: HTMLElement, { client, actions, say }: FormOptions) {
    const maker = new Maker(host.ownerDocument, say);
    const changed = (): void => {
      this.#changed();
    };
    this.#client = client;
    this.#maker = maker;
    this.#live = new Live(maker, actions);
    this.#about = maker.make("p", { class: "service-about" });
    this.#source = new Picker(maker, () => {
      this.#sourceChosen();
    });
    this.#measures = new Measures(maker, changed);
    this.#groups = new Groups(maker, changed);
    this.#where = this.#makeConditions(
      OF_ROWS,
      () => this.#columns,
      (field) => this.#valuesOf(field),
    );
    this.#having = this.#makeConditions(
      OF_GROUPS,
      () => this.#measures.subjects,
      () => Promise.resolve([]),
    );
    this.#order = new OrderPicker(maker, changed);
    this.#limit = maker.make("input", {
      class: "service-input",
      type: "text",
      inputmode: "numeric",
      autocomplete: "off",
    });
    this.#limit.placeholder = maker.say("all");
    this.#limit.addEventListener("input", changed);
    this.#limitRow = new Row(maker, maker.say("At most"), this.#limit);
    this.#empty = maker.make("p", { class: "service-empty", hidden: true });
    this.#form = maker.make("form", {
      class: "service-form",
      novalidate: true,
      "aria-label": maker.say("Ask a source"),
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#live.submit();
    });
    this.#form.append(this.#empty, ...this.#sections(), this.#live.element);
    host.append(this.#form);
    this.#offerSources();
    void this.refresh();
  }

  async refresh(): Promise<void> {
    this.#live.show({ state: "checking" });
    try {
      const { sources } = await this.#client.ask("sources", {});
      // Without its columns nothing can be asked of one: it is for a cell to connect.
      this.#sources = sources.filter(({ connected, fields }) => connected !== false || fields.length > 0);
    } catch (error) {
      this.#live.show({ state: "silent", reason: spoken(error, this.#maker.say) });
      return;
    }
    this.#values = new Map();
    this.#offerSources();
    this.#changed();
  }

  async open(name: string): Promise<void> {
    if (!this.#sources.some((source) => source.name === name)) await this.refresh();
    this.#source.value = name;
    this.#sourceChosen();
  }

  hold(reason: string | null): void {
    this.#live.hold(reason);
  }

  dispose(): void {
    this.#live.cancel();
    this.#form.remove();
  }

  #sections(): HTMLElement[] {
    const { say } = this.#maker;
    const maker = this.#maker;
    const what = [new Row(maker, say("Source"), this.#source.element, this.#about).element, ...this.#measures.first];
    const how = [
      this.#groups.element,
      new Row(maker, say("Order"), this.#order.element).element,
      this.#limitRow.element,
    ];
    return [
      maker.make("div", { class: "service-columns" }, ...what),
      this.#measures.more,
      maker.make("div", { class: "service-columns" }, ...how),
      this.#where.element,
      this.#having.element,
    ];
  }

  #makeConditions(
    words: typeof OF_ROWS,
    subjects: () => readonly Subject[],
    values: (subject: string) => Promise<readonly string[]>,
  ): ConditionList {
    const changed = (): void => {
      this.#changed();
    };
    return new ConditionList(this.#maker, {
      words,
      get subjects() {
        return subjects();
      },
      values,
      changed,
    });
  }

  get #columns(): readonly Subject[] {
    return (this.#chosen?.fields ?? []).map((field) => ({ ...field, label: `${field.name} · ${field.type}` }));
  }

  get #chosen(): Source | null {
    return this.#sources.find(({ name }) => name === this.#source.value) ?? null;
  }

  get #question(): Question {
    return {
      source: this.#source.value,
      measures: this.#measures.measures,
      groups: this.#groups.keys,
      where: this.#where.branch,
      having: this.#having.branch,
      compared: this.#measures.subjects,
      order: this.#order.order,
      limit: this.#limit.value,
    };
  }

  #offerSources(): void {
    const { say } = this.#maker;
    const choices = this.#sources.map(({ name, connected }) => ({
      value: name,
      label: connected === false ? `${name} · ${say("not connected")}` : name,
    }));
    const [only] = this.#sources;
    const chosen = this.#source.value ?? (this.#sources.length === 1 && only !== undefined ? only.name : null);
    this.#source.offer(choices, chosen, say("choose a source …"));
    this.#empty.hidden = this.#sources.length > 0;
    const line = this.#maker.make("code", { class: "service-code" }, "%service_connect sales data/sales.csv");
    this.#empty.replaceChildren(say("No source is connected. Connect one in a cell:"), " ", line);
    this.#offerColumns();
  }

  #sourceChosen(): void {
    this.#where.clear();
    this.#having.clear();
    this.#offerColumns();
    this.#changed();
  }

  #offerColumns(): void {
    const source = this.#chosen;
    this.#about.textContent =
      source === null
        ? ""
        : fill(this.#maker.say("{0} rows, {1} columns"), source.row_count.toLocaleString("en"), source.fields.length);
    this.#measures.offer(source?.fields ?? []);
    this.#groups.offer(source?.fields ?? []);
    this.#where.offer();
  }

  #valuesOf(field: string): Promise<readonly string[]> {
    const source = this.#source.value;
    if (source === null) return Promise.resolve([]);
    const key = JSON.stringify([source, field]);
    const known = this.#values.get(key) ?? this.#client.ask("values", { source, field }).then(({ values }) => values);
    this.#values.set(key, known);
    return known;
  }

  #changed(): void {
    const { say } = this.#maker;
    for (const row of this.#where.rows) row.offerOperators();
    this.#measures.refresh();
    this.#having.offer();
    this.#having.element.hidden = this.#groups.keys.length === 0; // of one group there is nothing to keep
    this.#order.offer(this.#measures.measures, this.#groups.keys);
    const question = this.#question;
    const { spec, faults } = specOf(question, this.#chosen);
    this.#blame(faults);
    const missing =
      this.#sources.length === 0
        ? say("No source is connected")
        : question.source === null
          ? say("Choose a source")
          : question.measures[0]?.aggregation === null
            ? say("Choose what to compute")
            : faults.length > 0
              ? say("Complete the marked fields above")
              : null;
    if (missing === null) this.#live.check(async () => this.#judged(await this.#client.ask("check_ask", { spec })));
    else this.#live.show({ state: "incomplete", reason: missing });
  }

  #blame(faults: readonly Fault[]): void {
    const at = (part: Fault["part"]) => (place: number) =>
      faults.find((fault) => fault.part === part && fault.place === place)?.message ?? null;
    this.#measures.blame(at("measure"), at("percent"));
    this.#groups.blame(at("group"));
    this.#where.rows.forEach((row, place) => {
      row.blame(at("condition")(place));
    });
    this.#having.rows.forEach((row, place) => {
      row.blame(at("having")(place));
    });
    this.#limitRow.blame(at("limit")(0));
  }

  #judged({ status, line, plan, reason, candidates }: AskCheck): Judgement {
    if (status === "ok") return { state: "ok", line, steps: plan };
    const ways = candidates.map(({ slot, name, ask }) => ({ label: name, line: ask, take: this.#taking(slot, name) }));
    return { state: status === "rejected" ? "rejected" : "unclear", line, reason, ways };
  }

  /** What chooses a candidate in the form, for the places of a question that hold one name. */
  #taking(slot: string, name: string): Way["take"] {
    if (slot === "source_name")
      return () => {
        void this.open(name);
      };
    if (this.#measures.measures.length > 1) return null; // which of them is meant, the line says
    const aggregation = AGGREGATION_NAMES.find((each) => each === name);
    const chosen =
      slot === "metric"
        ? { metric: name }
        : slot === "percent"
          ? { percent: name }
          : aggregation && slot === "aggregation" && { aggregation };
    if (!chosen) return null;
    return () => {
      this.#measures.choose(chosen);
      this.#changed();
    };
  }
}
