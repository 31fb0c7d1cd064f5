import { freshId, make } from "./dom.js";

/** A section of the sidebar. */
export interface Section {
  readonly name: string;
  readonly label: string;
  readonly node: HTMLElement;
}

/** Tabs as the WAI-ARIA Authoring Practices have them: one tab stop, arrows move and show, Home and End too. */
export class Tabs {
  readonly node: HTMLElement;
  readonly #sections: readonly (Section & { readonly tab: HTMLButtonElement; readonly count: HTMLElement })[];
  readonly #onShow: (name: string) => void;
  #shown: string;

  constructor(label: string, sections: readonly Section[], onShow: (name: string) => void) {
    this.#onShow = onShow;
    this.#sections = sections.map((section) => ({ ...section, ...tabOf(section) }));
    this.#shown = sections[0]?.name ?? "";
    const list = make("div", { role: "tablist", "aria-label": label, class: "service-side-tabs" });
    for (const { name, tab } of this.#sections) {
      tab.addEventListener("click", () => {
        this.show(name);
      });
      list.append(tab);
    }
    list.addEventListener("keydown", (event) => {
      this.#onKey(event);
    });
    this.node = make("div", { class: "service-side-tabbed" }, list, ...sections.map(({ node }) => node));
    this.#reflect();
  }

  get shown(): string {
    return this.#shown;
  }

  show(name: string, focus: "panel" | "tab" | null = null): void {
    const section = this.#sections.find((each) => each.name === name);
    if (section === undefined) return;
    this.#shown = name;
    this.#reflect();
    if (focus === "tab") section.tab.focus();
    if (focus === "panel") section.node.focus();
    this.#onShow(name);
  }

  /** A short figure beside the label, said in words to those who do not see it. */
  count(name: string, figure: string, words: string): void {
    const section = this.#sections.find((each) => each.name === name);
    if (section === undefined) return;
    section.count.textContent = figure;
    section.tab.setAttribute("aria-label", words === "" ? section.label : `${section.label}, ${words}`);
  }

  #reflect(): void {
    for (const { name, tab, node } of this.#sections) {
      const isShown = name === this.#shown;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      node.hidden = !isShown;
    }
  }

  #onKey(event: KeyboardEvent): void {
    const names = this.#sections.map(({ name }) => name);
    const at = names.indexOf(this.#shown);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + names.length, Home: 0, End: names.length - 1 }[event.key];
    const name = next === undefined ? undefined : names[next % names.length];
    if (name === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.show(name, "tab");
  }
}

function tabOf({ label, node }: Section): { tab: HTMLButtonElement; count: HTMLElement } {
  const id = freshId("tab");
  const count = make("span", { class: "service-side-tab-count", "aria-hidden": "true" });
  const tab = make(
    "button",
    { type: "button", role: "tab", id, class: "service-side-tab" },
    make("span", {}, label),
    count,
  );
  node.id = freshId("section");
  tab.setAttribute("aria-controls", node.id);
  node.setAttribute("role", "tabpanel");
  node.setAttribute("aria-labelledby", id);
  node.tabIndex = 0;
  node.classList.add("service-side-section");
  return { tab, count };
}
