import type { TranslationBundle } from "@jupyterlab/translation";
import { type Capability, type Client, ClientError, type Hit } from "@service-nb/link";
import { CapabilityPage, type PageActions } from "./capability-page.js";
import { breakable, button, freshId, make, setText } from "./dom.js";
import { failureNotice, keyOf, notice, type NoticeActions } from "./notice.js";
import type { Situation } from "./state.js";

export type CapabilityActions = NoticeActions & PageActions;

const QUIET_MS = 200; // between the last key and the question
const MOST_CHARS = 200;

/** A search over what can be computed, and a page for each. */
export class CapabilitiesView {
  readonly node: HTMLElement;
  readonly #trans: TranslationBundle;
  readonly #actions: CapabilityActions;
  readonly #most: () => number;
  readonly #query: HTMLInputElement;
  readonly #status = make("p", { class: "service-side-summary", role: "status" });
  readonly #hits = make("ul", { class: "service-side-hits" });
  readonly #search: HTMLElement;
  readonly #told = make("div", {});
  readonly #page = make("div", { class: "service-side-page", hidden: true });
  #situation: Situation = { panel: null, link: { is: "no_notebook" }, isBusy: false };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #toldKey = "";
  #opening: Hit | undefined;
  #opened: { readonly page: CapabilityPage; readonly from: HTMLElement | null } | null = null;

  constructor(actions: CapabilityActions, most: () => number, trans: TranslationBundle) {
    this.#actions = actions;
    this.#most = most;
    this.#trans = trans;
    const id = freshId("search");
    this.#query = make("input", {
      type: "search",
      id,
      class: "service-side-search",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.#query.maxLength = MOST_CHARS;
    this.#query.placeholder = trans.__("net present value");
    this.#query.addEventListener("input", () => {
      this.#soon();
    });
    this.#query.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.#hits.querySelector("button")?.focus();
    });
    this.#hits.addEventListener("keydown", (event) => {
      this.#walk(event);
    });
    const label = make("label", { for: id, class: "service-side-label" }, trans.__("Search what can be computed"));
    this.#search = make(
      "div",
      {},
      make("div", { class: "service-side-head" }, label, this.#query, this.#status),
      this.#hits,
    );
    this.node = make("div", {}, this.#told, this.#search, this.#page);
  }

  situate(situation: Situation): void {
    const before = this.#situation.link;
    this.#situation = situation;
    const { link } = situation;
    const key = keyOf(situation);
    if (key !== this.#toldKey) {
      this.#toldKey = key;
      const told = notice(situation, this.#actions, this.#trans);
      this.#told.replaceChildren(...(told === null ? [] : [told]));
    }
    const isReady = link.is === "ready";
    this.#search.hidden = !isReady || this.#opened !== null;
    this.#page.hidden = !isReady || this.#opened === null;
    if (!isReady || (before.is === "ready" && before.client === link.client)) return;
    this.#close();
    void this.#ask(link.client);
  }

  /** Puts the cursor where a search is written. */
  focus(): void {
    this.#query.focus();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { link } = this.#situation;
      if (link.is === "ready") void this.#ask(link.client);
    }, QUIET_MS);
  }

  async #ask(client: Client): Promise<void> {
    const trans = this.#trans;
    const query = this.#query.value.trim();
    this.#asked += 1;
    const asked = this.#asked;
    const { link } = this.#situation;
    if (query === "") {
      this.#hits.replaceChildren();
      const count = link.is === "ready" ? link.hello.capabilities : 0;
      setText(this.#status, trans.__("%1 capabilities", count.toLocaleString("en-US")));
      return;
    }
    setText(this.#status, this.#situation.isBusy ? trans.__("Waiting for the running cell…") : trans.__("Searching…"));
    try {
      const { hits, count } = await client.ask("search", { query, limit: this.#most() });
      if (asked !== this.#asked) return; // the reader has gone on writing
      this.#showHits(hits, count);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (asked !== this.#asked) return;
      setText(this.#status, "");
      this.#hits.replaceChildren(make("li", {}, failureNotice(error, trans)));
    }
  }

  #showHits(hits: readonly Hit[], count: number): void {
    const trans = this.#trans;
    const found =
      hits.length === 0
        ? trans.__("Nothing fits. Other words may: a quantity, a test, a method.")
        : count > hits.length
          ? trans.__("First %1 of %2", String(hits.length), count.toLocaleString("en-US"))
          : trans._n("%1 hit", "%1 hits", hits.length);
    setText(this.#status, found);
    this.#hits.replaceChildren(...hits.map((hit) => this.#hit(hit)));
  }

  #hit(hit: Hit): HTMLElement {
    const open = make("button", { type: "button", class: "service-side-hit" });
    open.append(
      make(
        "span",
        { class: "service-side-hit-head" },
        make("span", { class: "service-side-name" }, breakable(hit.name)),
        make("span", { class: "service-side-tier" }, `${hit.tier} · ${hit.grade}`),
      ),
      make("span", { class: "service-side-hit-summary" }, hit.summary),
      make("code", { class: "service-side-signature" }, breakable(shortSignature(hit))),
    );
    open.addEventListener("click", () => void this.#open(hit, open));
    return make("li", {}, open);
  }

  #walk(event: KeyboardEvent): void {
    const buttons = [...this.#hits.querySelectorAll("button")];
    const at = buttons.findIndex((each) => each === event.target);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    if (next < 0) this.#query.focus();
    else buttons[next]?.focus();
  }

  async #open(hit: Hit, from: HTMLElement): Promise<void> {
    const { link } = this.#situation;
    if (link.is !== "ready") return;
    setText(this.#status, this.#trans.__("Opening %1…", hit.name));
    this.#opening = hit;
    // The reader may have chosen another meanwhile, and the kernel may be another one.
    const isPassed = (): boolean => this.#opening !== hit || this.#situation.link !== link;
    let capability: Capability;
    try {
      capability = await link.client.ask("capability", { name: hit.name });
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (isPassed()) return;
      setText(this.#status, this.#trans.__("%1 was not opened (%2). %3", hit.name, error.code, error.message));
      return;
    }
    if (isPassed()) return;
    setText(this.#status, "");
    const page = new CapabilityPage(capability, link.client, this.#actions, this.#trans);
    this.#opened?.page.dispose();
    this.#opened = { page, from };
    const back = button(this.#trans.__("← All hits"), () => {
      this.#close();
    });
    this.#page.replaceChildren(back, page.node);
    this.#page.hidden = false;
    this.#search.hidden = true;
    page.heading.focus();
  }

  #close(): void {
    const opened = this.#opened;
    if (opened === null) return;
    this.#opened = null;
    opened.page.dispose();
    this.#page.replaceChildren();
    this.#page.hidden = true;
    this.#search.hidden = this.#situation.link.is !== "ready";
    opened.from?.focus();
  }
}

/** A signature without the name that stands above it. */
function shortSignature({ name, signature }: Hit): string {
  return signature.startsWith(`${name}(`) ? signature.slice(name.length) : signature;
}
