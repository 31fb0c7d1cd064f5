import type { TranslationBundle } from "@jupyterlab/translation";
import { type Client, ClientError, type ColumnLook, type Field, type Source } from "@service-nb/link";
import { type Evidence, sourcesSeen } from "../evidence.js";
import { askLine, columnLine, connectLine, fitsInLine, nameInLine } from "../lines.js";
import { lookNode } from "./column-look.js";
import { button, make, setText } from "./dom.js";
import { failureNotice, keyOf, notice, type NoticeActions } from "./notice.js";
import type { Situation } from "./state.js";

export interface SourceActions extends NoticeActions {
  /** Writes at the cursor of the active cell. */
  readonly write: (text: string) => void;
  /** Puts a line into a new cell. */
  readonly insert: (line: string) => void;
}

type Looks = ReadonlyMap<string, ColumnLook>;

const NOTHING: Looks = new Map();
const REVISION_CHARS = 12;

/** What a look belongs to: the same data under the same name. */
function keyOfSource({ name, source_id: id }: Source): string {
  return JSON.stringify([name, id]);
}

/** The sources of the kernel with their fields; without a kernel, those that the cards name. */
export class SourcesView {
  readonly node: HTMLElement;
  readonly #trans: TranslationBundle;
  readonly #actions: SourceActions;
  readonly #status = make("p", { class: "service-side-summary", role: "status" });
  readonly #body = make("div", { class: "service-side-list" });
  readonly #open = new Set<string>();
  readonly #looks = new Map<string, Looks>();
  readonly #lists = new Map<string, HTMLElement>();
  #situation: Situation = { panel: null, link: { is: "no_notebook" }, isBusy: false };
  #cards: readonly Evidence[] = [];
  #shown = "";

  constructor(actions: SourceActions, trans: TranslationBundle) {
    this.#actions = actions;
    this.#trans = trans;
    const refresh = button(trans.__("Refresh"), () => {
      this.refresh();
    });
    const head = make("div", { class: "service-side-head service-side-head-row" }, this.#status, refresh);
    this.node = make("div", {}, head, this.#body);
  }

  situate(situation: Situation, cards: readonly Evidence[]): void {
    const before = this.#situation.link;
    const { link } = situation;
    this.#situation = situation;
    this.#cards = cards;
    // Each answer makes a kernel busy and idle again, which is told here: only another link is a reason to ask.
    if (link.is === "ready" && before.is === "ready" && link.client === before.client) return;
    this.refresh();
  }

  /** Asks the kernel anew. */
  refresh(): void {
    const { link } = this.#situation;
    if (link.is === "ready") void this.#ask(link.client);
    else this.#showSeen();
  }

  async #ask(client: Client): Promise<void> {
    if (this.#shown === "") setText(this.#status, this.#trans.__("Asking the kernel…"));
    try {
      const { sources, fault } = await client.ask("sources", {});
      if (this.#isCurrent(client)) this.#showSources(sources, fault);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (!this.#isCurrent(client)) return;
      setText(this.#status, "");
      this.#show(error.message, [failureNotice(error, this.#trans)]);
    }
  }

  #isCurrent(client: Client): boolean {
    const { link } = this.#situation;
    return link.is === "ready" && link.client === client;
  }

  #showSources(sources: readonly Source[], fault: string | undefined): void {
    const trans = this.#trans;
    const waiting = sources.filter((source) => source.connected === false).length;
    const connected = sources.length - waiting;
    const count = trans._n("%1 source in the kernel", "%1 sources in the kernel", connected);
    setText(this.#status, waiting === 0 ? count : `${count} · ${trans.__("%1 not connected", waiting)}`);
    const unknown =
      fault === undefined
        ? []
        : [make("p", { class: "service-side-note" }, trans.__("What the deployment has is not known now. %1", fault))];
    const line = "%service_connect NAME PATH";
    const hint =
      sources.length > 0
        ? []
        : [
            make(
              "div",
              { class: "service-side-notice" },
              make("p", {}, trans.__("Connect a file, and its fields are listed here:")),
              make("code", { class: "service-side-line" }, line),
              button(trans.__("Insert the line"), () => {
                this.#actions.insert("%service_connect ");
              }),
            ),
          ];
    const nodes = [...hint, ...sources.map((source) => this.#source(source)), ...unknown];
    this.#show(JSON.stringify([sources, fault]), nodes);
  }

  #showSeen(): void {
    const trans = this.#trans;
    const told = notice(this.#situation, this.#actions, trans);
    const seen = sourcesSeen(this.#cards);
    setText(
      this.#status,
      seen.length === 0
        ? trans.__("Sources")
        : trans._n("%1 source named by the cards", "%1 sources named by the cards", seen.length),
    );
    const said = make(
      "p",
      { class: "service-side-note" },
      trans.__("What the cards of this notebook say of their sources:"),
    );
    const sources = seen.map((each) => this.#seen(each));
    const nodes = [...(told === null ? [] : [told]), ...(seen.length === 0 ? [] : [said]), ...sources];
    this.#show(JSON.stringify([keyOf(this.#situation), seen]), nodes);
  }

  /** Shows other content only: what is open and what has the focus stays. */
  #show(what: string, nodes: readonly HTMLElement[]): void {
    if (what === this.#shown) return;
    this.#shown = what;
    this.#body.replaceChildren(...nodes);
  }

  #source(source: Source): HTMLElement {
    const trans = this.#trans;
    const fields = make("ul", { class: "service-side-fields", "aria-label": trans.__("Fields of %1", source.name) });
    fields.append(...source.fields.map((field) => this.#field(source, field)));
    this.#lists.set(source.name, fields);
    if (this.#open.has(source.name)) void this.#look(source);
    const ask = button(trans.__("Ask…"), () => {
      this.#actions.insert(askLine(source));
    });
    ask.title = trans.__("Insert a question to begin with");
    if (source.connected === false) return this.#unconnected(source, fields, ask);
    const facts = [
      trans.__("revision %1", source.schema_revision.slice(0, REVISION_CHARS)),
      source.provider === "" ? "" : source.provider,
    ];
    const foot = make("p", { class: "service-side-note" }, facts.filter((fact) => fact !== "").join(" · "));
    foot.title = source.schema_revision;
    return this.#folded(source.name, rowsInWords(source.row_count, trans), [ask, fields, foot], () => {
      void this.#look(source);
    });
  }

  /** A source that its name alone would connect; a question connects what a deployment has, and nothing else. */
  #unconnected(source: Source, fields: HTMLElement, ask: HTMLElement): HTMLElement {
    const trans = this.#trans;
    const connect = button(trans.__("Connect"), () => {
      this.#actions.insert(connectLine(source));
    });
    connect.title = trans.__("Insert the line that connects it");
    const foot = make("p", { class: "service-side-note" }, trans.__("kept in: %1", source.provider));
    const known = source.fields.length > 0;
    return this.#folded(source.name, trans.__("not connected"), [connect, ...(known ? [ask, fields] : []), foot]);
  }

  /** A column: its button inserts a question about it; beside it one that writes its name at the cursor. */
  #field(source: Source, field: Field): HTMLElement {
    const trans = this.#trans;
    const { name, type, physical } = field;
    const looks = this.#looks.get(keyOfSource(source)) ?? NOTHING;
    const look = looks.get(name);
    const ask = make("button", { type: "button", class: "service-side-field-button" });
    ask.append(
      make(
        "span",
        { class: "service-side-field-head" },
        make("span", { class: "service-side-field-name" }, name),
        make("span", { class: "service-side-field-type" }, type),
      ),
      ...(look === undefined ? [] : [lookNode(look, trans)]),
    );
    const line = columnLine(source, field, looks);
    ask.title = fitsInLine(name) ? `${physical} · ${trans.__("Insert: %1", line)}` : physical;
    const write = button("+", () => {
      this.#actions.write(nameInLine(name));
    });
    write.classList.add("service-side-field-write");
    write.title = trans.__("Insert the name %1 at the cursor", name);
    write.setAttribute("aria-label", write.title);
    if (fitsInLine(name) && fitsInLine(source.name)) {
      ask.addEventListener("click", () => {
        this.#actions.insert(line);
      });
    } else {
      for (const each of [ask, write]) each.setAttribute("aria-disabled", "true");
    }
    return make("li", { class: "service-side-field" }, ask, write);
  }

  /** Asks what is known of the columns of a source that is open; of what is not connected nothing is. */
  async #look(source: Source): Promise<void> {
    const { link } = this.#situation;
    const key = keyOfSource(source);
    if (link.is !== "ready" || source.connected === false || this.#looks.has(key)) return;
    this.#looks.set(key, NOTHING);
    try {
      const { columns } = await link.client.ask("look", { source: source.name });
      this.#looks.set(key, new Map(columns.map((each) => [each.name, each])));
      if (this.#isCurrent(link.client)) this.#redrawFields(source);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      this.#looks.delete(key); // the list of fields stands without it
    }
  }

  /** Shows what came of a look; what has the focus keeps it. */
  #redrawFields(source: Source): void {
    const list = this.#lists.get(source.name);
    if (list === undefined) return;
    const focused = [...list.querySelectorAll("button")].indexOf(
      globalThis.document.activeElement as HTMLButtonElement,
    );
    list.replaceChildren(...source.fields.map((field) => this.#field(source, field)));
    if (focused >= 0) list.querySelectorAll("button")[focused]?.focus();
  }

  #seen({ name, rows, revision, fields }: ReturnType<typeof sourcesSeen>[number]): HTMLElement {
    const trans = this.#trans;
    const list = make("ul", { class: "service-side-fields" });
    for (const field of fields) {
      const type = make("span", { class: "service-side-field-type" }, field.type);
      list.append(
        make(
          "li",
          { class: "service-side-field-seen" },
          make("span", { class: "service-side-field-name" }, field.name),
          type,
        ),
      );
    }
    const foot = make(
      "p",
      { class: "service-side-note", title: revision ?? undefined },
      revision === null ? "" : trans.__("revision %1", revision.slice(0, REVISION_CHARS)),
    );
    return this.#folded(name, rows === null ? "" : rowsInWords(rows, trans), [list, foot]);
  }

  #folded(name: string, note: string, children: readonly Node[], onOpen = (): void => undefined): HTMLElement {
    const summary = make(
      "summary",
      {},
      make("span", { class: "service-side-name" }, name),
      make("span", { class: "service-side-note" }, note),
    );
    const details = make("details", { class: "service-side-source", open: this.#open.has(name) }, summary, ...children);
    details.addEventListener("toggle", () => {
      if (details.open) {
        this.#open.add(name);
        onOpen();
      } else this.#open.delete(name);
    });
    return details;
  }
}

function rowsInWords(rows: number, trans: TranslationBundle): string {
  return rows === 1 ? trans.__("1 row") : trans.__("%1 rows", rows.toLocaleString("en-US"));
}
