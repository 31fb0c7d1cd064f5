import type { AskCheck, Client, Source } from "@service-nb/client";
import { ConditionRow } from "./condition-row.js";
import { Maker, Picker, Row } from "./elements.js";
import type { FormOptions, OpenForm } from "./form.js";
import { Groups } from "./groups.js";
import { type Judgement, Live, spoken, type Way } from "./live.js";
import { AGGREGATIONS } from "./aggregations.js";
import { type Aggregation, AGGREGATION_NAMES, type Question, specOf, suits } from "./question.js";
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
  readonly #aggregation: Picker<Aggregation>;
  readonly #metric: Picker<string>;
  readonly #groups: Groups;
  readonly #rows: HTMLElement;
  readonly #add: HTMLButtonElement;
  readonly #order: Picker<"desc" | "asc">;
  readonly #limit: HTMLInputElement;
  readonly #limitRow: Row;
  #sources: readonly Source[] = [];
  #conditions: readonly ConditionRow[] = [];
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
    this.#aggregation = new Picker(maker, () => {
      this.#aggregationChosen();
    });
    this.#metric = new Picker(maker, changed);
    this.#groups = new Groups(maker, changed);
    this.#rows = maker.make("div", { class: "service-conditions" });
    this.#add = maker.button(maker.say("Add a condition"), "service-quiet", () => {
      this.#addCondition();
    });
    this.#order = new Picker(maker, changed);
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
    const what = [
      new Row(maker, say("Source"), this.#source.element, this.#about).element,
      new Row(maker, say("Compute"), this.#aggregation.element).element,
      new Row(maker, say("Of"), this.#metric.element).element,
      this.#groups.element,
      new Row(maker, say("Order"), this.#order.element).element,
      this.#limitRow.element,
    ];
    return [
      maker.make("div", { class: "service-columns" }, ...what),
      maker.make(
        "fieldset",
        { class: "service-group" },
        maker.make("legend", { class: "service-label" }, say("Where")),
        this.#rows,
        this.#add,
      ),
    ];
  }

  get #chosen(): Source | null {
    return this.#sources.find(({ name }) => name === this.#source.value) ?? null;
  }

  get #question(): Question {
    return {
      source: this.#source.value,
      aggregation: this.#aggregation.value,
      metric: this.#metric.value,
      groups: this.#groups.names,
      conditions: this.#conditions.map(({ condition }) => condition),
      order: this.#order.value ?? "desc",
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
    this.#aggregation.offer(
      AGGREGATION_NAMES.map((name) => ({ value: name, label: say(AGGREGATIONS[name].label) })),
      this.#aggregation.value,
      say("choose …"),
    );
    this.#offerColumns();
  }

  #sourceChosen(): void {
    this.#conditions = [];
    this.#offerColumns();
    this.#changed();
  }

  #aggregationChosen(): void {
    this.#offerMetrics();
    this.#changed();
  }

  #offerColumns(): void {
    const source = this.#chosen;
    this.#about.textContent =
      source === null
        ? ""
        : fill(this.#maker.say("{0} rows, {1} columns"), source.row_count.toLocaleString("en"), source.fields.length);
    this.#offerMetrics();
    this.#groups.offer(source?.fields ?? []);
    for (const row of this.#conditions) row.offer();
    this.#add.disabled = source === null;
    this.#draw();
  }

  #offerMetrics(): void {
    const { say } = this.#maker;
    const aggregation = this.#aggregation.value;
    const fitting = (this.#chosen?.fields ?? []).filter((field) => suits(aggregation, field));
    const choices = fitting.map(({ name, type }) => ({ value: name, label: `${name} · ${type}` }));
    this.#metric.offer(choices, this.#metric.value, aggregation === "count" ? say("rows") : say("choose a column …"));
    this.#metric.element.disabled = aggregation === null;
    const largest = aggregation === "count" ? say("most first") : say("largest first");
    const smallest = aggregation === "count" ? say("fewest first") : say("smallest first");
    const orders = [
      { value: "desc", label: largest },
      { value: "asc", label: smallest },
    ] as const;
    this.#order.offer(orders, this.#order.value ?? "desc", null);
  }

  #addCondition(): void {
    const rows = (): readonly ConditionRow[] => this.#conditions;
    const fields = (): Source["fields"] => this.#chosen?.fields ?? [];
    const row = new ConditionRow(this.#maker, {
      get fields() {
        return fields();
      },
      values: (field) => this.#valuesOf(field),
      hasPeriod: (other) => rows().some((each) => each !== other && each.condition.operator === "during"),
      changed: () => {
        this.#changed();
      },
      removed: (gone) => {
        this.#removeCondition(gone);
      },
    });
    this.#conditions = [...this.#conditions, row];
    this.#draw();
    row.focus();
    this.#changed();
  }

  #removeCondition(row: ConditionRow): void {
    this.#conditions = this.#conditions.filter((each) => each !== row);
    this.#draw();
    this.#add.focus();
    this.#changed();
  }

  /** Put what is new into the page, and take out what is gone; what stays keeps its focus. */
  #draw(): void {
    const elements = new Set<Element>(this.#conditions.map(({ element }) => element));
    for (const child of [...this.#rows.children]) if (!elements.has(child)) child.remove();
    this.#conditions.forEach((row, index) => {
      row.name(fill(this.#maker.say("Condition {0}"), index + 1));
      if (row.element.parentNode === null) this.#rows.append(row.element);
    });
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
    for (const row of this.#conditions) row.offerOperators();
    const question = this.#question;
    const { spec, faults } = specOf(question, this.#chosen);
    this.#conditions.forEach((row, place) => {
      row.blame(faults.find((fault) => fault.place === place)?.message ?? null);
    });
    this.#limitRow.blame(faults.find(({ place }) => place === "limit")?.message ?? null);
    const missing =
      this.#sources.length === 0
        ? say("No source is connected")
        : question.source === null
          ? say("Choose a source")
          : question.aggregation === null
            ? say("Choose what to compute")
            : faults.length > 0
              ? say("Something is missing above")
              : null;
    if (missing === null) this.#live.check(async () => this.#judged(await this.#client.ask("check_ask", { spec })));
    else this.#live.show({ state: "incomplete", reason: missing });
  }

  #judged({ status, line, plan, reason, candidates }: AskCheck): Judgement {
    if (status === "ok") return { state: "ok", line, steps: plan };
    const ways = candidates.map(({ slot, name, ask }) => ({ label: name, line: ask, take: this.#taking(slot, name) }));
    return { state: status === "rejected" ? "rejected" : "unclear", line, reason, ways };
  }

  /** What chooses a candidate in the form, for the places of a question that hold one name. */
  #taking(slot: string, name: string): Way["take"] {
    const known = AGGREGATION_NAMES.find((aggregation) => aggregation === name);
    switch (slot) {
      case "source_name":
        return () => {
          void this.open(name);
        };
      case "aggregation":
        return known === undefined
          ? null
          : () => {
              this.#take(() => {
                this.#aggregation.value = known;
              });
            };
      case "metric":
        return () => {
          this.#take(() => {
            this.#metric.value = name;
          });
        };
      default:
        return null;
    }
  }

  #take(choose: () => void): void {
    choose();
    this.#aggregationChosen();
    this.#metric.element.focus();
  }
}
