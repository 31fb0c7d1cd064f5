import type { Client, Hit } from "@service-nb/link";
import { type Maker, Row } from "./elements.js";
import { spoken } from "./live.js";
import { fill } from "./words.js";

const SHOWN = 12;
const COUNTED = 1_000; // that the kernel counts, and no further
const PAUSE_MS = 200;

/** A field for words, and the capabilities that fit them. */
export class CapabilitySearch {
  readonly element: HTMLElement;
  readonly #client: Client;
  readonly #maker: Maker;
  readonly #opened: (name: string) => void;
  readonly #input: HTMLInputElement;
  readonly #status: HTMLElement;
  readonly #hits: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(client: Client, maker: Maker, opened: (name: string) => void) {
    this.#client = client;
    this.#maker = maker;
    this.#opened = opened;
    this.#input = maker.make("input", { class: "service-input", type: "search", autocomplete: "off" });
    this.#input.placeholder = maker.say("net present value, quantile, npv …");
    this.#input.addEventListener("input", () => {
      this.#later();
    });
    this.#input.addEventListener("keydown", (event) => {
      this.#entered(event);
    });
    this.#status = maker.make("p", { class: "service-about", role: "status" });
    this.#hits = maker.make("ul", { class: "service-hits", "aria-label": maker.say("Capabilities found") });
    this.#hits.addEventListener("keydown", (event) => {
      this.#move(event);
    });
    const row = new Row(maker, maker.say("Find a capability"), this.#input).element;
    this.element = maker.make("div", { role: "search", class: "service-search" }, row, this.#status, this.#hits);
  }

  focus(): void {
    this.#input.focus();
  }

  /** Ask now for what fits the words. */
  async search(): Promise<void> {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    const query = this.#input.value.trim();
    try {
      const { hits, count } = await this.#client.ask("search", { query, limit: SHOWN });
      if (asked === this.#asked) this.#show(query, hits, count);
    } catch (error) {
      if (asked === this.#asked) this.#status.textContent = spoken(error, this.#maker.say);
    }
  }

  dispose(): void {
    this.#asked += 1;
    clearTimeout(this.#timer);
  }

  /** From the field, down and Enter go to the first that fits; Enter does not wait for the pause. */
  #entered(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    if (event.key === "ArrowDown") this.#step(null, 1);
    else
      void this.search().then(() => {
        this.#step(null, 1);
      });
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(), PAUSE_MS);
  }

  #show(query: string, hits: readonly Hit[], count: number): void {
    const { say } = this.#maker;
    const of = query === "" ? say("{0} of {1} capabilities, by name") : say("{0} of {1} that fit, the best first");
    const all = count.toLocaleString("en");
    const told = query !== "" && count >= COUNTED ? fill(say("{0} or more"), all) : all;
    this.#status.textContent = hits.length === 0 ? say("No capability found.") : fill(of, hits.length, told);
    this.#hits.replaceChildren(...hits.map((hit) => this.#entry(hit)));
  }

  #entry({ name, summary, signature, tier, grade }: Hit): HTMLLIElement {
    const maker = this.#maker;
    const button = maker.button("", "service-hit", () => {
      this.#opened(name);
    });
    button.append(
      maker.make("span", { class: "service-name" }, name),
      maker.make("span", { class: "service-tier" }, `${tier} · ${grade}`),
      maker.make("span", { class: "service-about" }, summary),
      maker.make("code", { class: "service-code" }, signature),
    );
    return maker.make("li", {}, button);
  }

  #move(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    this.#step(event.target, step);
  }

  /** Go one entry on from `from`; above the first is the field. */
  #step(from: EventTarget | null, step: number): void {
    const buttons = [...this.#hits.querySelectorAll("button")];
    const place = buttons.findIndex((button) => button === from) + step;
    if (place < 0) this.#input.focus();
    else buttons[place]?.focus();
  }
}
