import type { CallCheck, Capability, Client, Source } from "@service-nb/link";
import { CapabilitySearch } from "./capability-search.js";
import { Maker } from "./elements.js";
import type { ComputeOptions, OpenForm } from "./form.js";
import { type Judgement, Live, spoken } from "./live.js";
import { ParameterRow } from "./parameter-row.js";
import { fill } from "./words.js";

const SEED = {
  name: "seed",
  type: "int",
  unit: "1",
  domain: null,
  symbol: null,
  shape: [],
  choices: [],
  example: "7",
} as const;

/**
 * A form that finds a capability and builds a call of it, with a row for each parameter.
 *
 * It is made within `host`, and begins with the search, or with nothing where only arguments are asked for.
 */
export function computeForm(host: HTMLElement, options: ComputeOptions): OpenForm {
  return new ComputeForm(host, options);
}

class ComputeForm implements OpenForm {
  readonly #client: Client;
  readonly #maker: Maker;
  readonly #live: Live;
  readonly #form: HTMLFormElement;
  readonly #search: CapabilitySearch;
  readonly #page: HTMLElement;
  readonly #note: HTMLElement;
  #capability: Capability | null = null;
  readonly #argumentsOnly: boolean;
  #rows: readonly ParameterRow[] = [];
  #opened = 0;

  constructor(host: HTMLElement, { client, actions, say, argumentsOnly = false }: ComputeOptions) {
    const maker = new Maker(host.ownerDocument, say);
    this.#client = client;
    this.#argumentsOnly = argumentsOnly;
    this.#maker = maker;
    this.#live = new Live(maker, actions);
    this.#live.element.hidden = true;
    this.#page = maker.make("div", { class: "service-capability", hidden: true });
    this.#note = maker.make("p", { class: "service-fault", role: "status", hidden: true });
    this.#search = new CapabilitySearch(client, maker, (name) => void this.open(name));
    this.#form = maker.make("form", {
      class: "service-form",
      novalidate: true,
      "aria-label": maker.say("Call a capability"),
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#live.submit();
    });
    if (!argumentsOnly) this.#form.append(this.#search.element);
    this.#form.append(this.#note, this.#page, this.#live.element);
    host.append(this.#form);
    void this.refresh();
  }

  async refresh(): Promise<void> {
    if (this.#capability !== null) this.#changed();
    else if (!this.#argumentsOnly) await this.#search.search();
  }

  async open(name: string): Promise<void> {
    const opened = ++this.#opened;
    try {
      const capability = await this.#client.ask("capability", { name });
      const { sources } = await this.#client.ask("sources", {});
      if (opened === this.#opened) this.#show(capability, sources);
    } catch (error) {
      if (opened !== this.#opened) return;
      this.#note.textContent = spoken(error, this.#maker.say);
      this.#note.hidden = false;
    }
  }

  hold(reason: string | null): void {
    this.#live.hold(reason);
  }

  dispose(): void {
    this.#opened += 1;
    this.#search.dispose();
    this.#live.cancel();
    this.#form.remove();
  }

  #show(capability: Capability, sources: readonly Source[]): void {
    const { say } = this.#maker;
    const changed = (): void => {
      this.#changed();
    };
    const seed = { ...SEED, about: say("A simulation: the same seed gives the same value.") };
    const parameters = capability.needs_seed ? [...capability.params, seed] : capability.params;
    this.#capability = capability;
    this.#rows = parameters.map((parameter) => new ParameterRow(this.#maker, parameter, sources, changed));
    const said = this.#argumentsOnly ? [] : [...this.#heading(capability), ...this.#meaning(capability)];
    this.#page.replaceChildren(...said, this.#parameters());
    this.#note.hidden = true;
    this.#turn(true);
    this.#page.querySelector("h3")?.focus();
    this.#changed();
  }

  /** Show the capability, or the search again. */
  #turn(isOpen: boolean): void {
    this.#search.element.hidden = isOpen;
    this.#page.hidden = !isOpen;
    this.#live.element.hidden = !isOpen;
  }

  #back(): void {
    this.#capability = null;
    this.#live.cancel();
    this.#turn(false);
    this.#search.focus();
  }

  #heading({ name, summary, tier }: Capability): HTMLElement[] {
    const maker = this.#maker;
    const back = maker.button(maker.say("← All capabilities"), "service-link service-back", () => {
      this.#back();
    });
    const title = maker.make("h3", { class: "service-title", tabindex: "-1" }, name);
    const kind = maker.make("span", { class: "service-tier" }, tier);
    return [
      back,
      maker.make("div", { class: "service-title-line" }, title, kind),
      maker.make("p", { class: "service-summary" }, summary),
    ];
  }

  #meaning({ formula, latex, result, source }: Capability): HTMLElement[] {
    const maker = this.#maker;
    const written = formula ?? latex;
    const unit = result.unit === "1" || result.unit === "" ? "" : ` ${fill(maker.say("in {0}"), result.unit)}`;
    const facts = [
      ...(written === null ? [] : [this.#fact(maker.say("Formula"), maker.make("code", {}, written))]),
      this.#fact(maker.say("Result"), `${result.about === "" ? result.type : result.about}${unit}`),
      this.#fact(maker.say("Source"), source),
    ];
    return [maker.make("dl", { class: "service-meaning" }, ...facts.flat())];
  }

  #fact(label: string, text: Node | string): [HTMLElement, HTMLElement] {
    return [this.#maker.make("dt", {}, label), this.#maker.make("dd", {}, text)];
  }

  #parameters(): HTMLElement {
    const maker = this.#maker;
    const legend = maker.make("legend", { class: "service-label" }, maker.say("Arguments"));
    const all = maker.button(maker.say("Use all examples"), "service-link", () => {
      for (const row of this.#rows) row.takeExample();
      this.#changed();
    });
    const offered = this.#rows.some((row) => row.hasExample) && this.#rows.length > 1 ? all : null;
    const rows = this.#rows.map(({ element }) => element);
    return maker.make("fieldset", { class: "service-group" }, legend, offered, ...rows);
  }

  #changed(): void {
    const capability = this.#capability;
    if (capability === null) return;
    const texts = this.#rows.map(({ name, text }) => [name, text] as const).filter(([, text]) => text !== "");
    const given = Object.fromEntries(texts);
    this.#live.check(async () => {
      const check = await this.#client.ask("check_call", { name: capability.name, arguments: given });
      return this.#judged(check, given);
    });
  }

  /** Faults of what was given stand beside it; what was not given yet is no fault, and is told below. */
  #judged({ status, line, faults }: CallCheck, given: Readonly<Record<string, string>>): Judgement {
    const { say } = this.#maker;
    const missing = this.#rows.map(({ name }) => name).filter((name) => !Object.hasOwn(given, name));
    for (const row of this.#rows) {
      const fault = faults.find(({ parameter }) => parameter === row.name);
      row.blame(fault === undefined || missing.includes(row.name) ? null : fault.message);
    }
    if (status === "ok") return { state: "ok", line, steps: [] };
    const known = new Set(this.#rows.map(({ name }) => name));
    const general = faults.find(({ parameter }) => parameter === null || !known.has(parameter));
    if (general !== undefined) return { state: "rejected", line: null, reason: general.message, ways: [] };
    const needed = this.#rows
      .filter(({ name, isNeeded }) => isNeeded && missing.includes(name))
      .map(({ name }) => name);
    if (needed.length > 0) return { state: "incomplete", reason: fill(say("Missing: {0}"), needed.join(", ")) };
    return { state: "incomplete", reason: say("Correct the marked fields above") };
  }
}
