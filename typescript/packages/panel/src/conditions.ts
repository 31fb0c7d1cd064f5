import { ConditionRow, type ConditionHost } from "./condition-row.js";
import { type Maker, Picker } from "./elements.js";
import type { ConditionBranch, Joiner } from "./question.js";
import { fill } from "./words.js";

/** What conditions are about. */
export type ConditionsHost = Pick<ConditionHost, "subjects" | "values" | "changed"> & { readonly words: ListWords };

/** What a list of conditions and its parts are called. */
interface ListWords extends NonNullable<ConditionHost["words"]> {
  readonly list: string;
  readonly one: string; // with its place
  readonly group: string;
  readonly add: string;
  readonly addGroup: string;
}

export const OF_ROWS: ListWords = {
  list: "Where",
  one: "Condition {0}",
  group: "Group {0}",
  add: "Add a condition",
  addGroup: "Add a group of conditions",
  subject: "Column",
  choose: "column …",
};

export const OF_GROUPS: ListWords = {
  list: "Having",
  one: "Condition on groups {0}",
  group: "Group of conditions on groups {0}",
  add: "Add a condition on groups",
  addGroup: "Add a group of conditions on groups",
  subject: "Measure",
  choose: "measure …",
};

type Member = ConditionRow | ConditionList;

/** Conditions of which all have to hold, or any; among them lists of the same kind, which hold conditions alone. */
export class ConditionList {
  readonly element: HTMLFieldSetElement;
  readonly #maker: Maker;
  readonly #host: ConditionsHost;
  readonly #removed: (() => void) | null;
  readonly #legend: HTMLLegendElement;
  readonly #joiner: Picker<Joiner>;
  readonly #list: HTMLElement;
  readonly #add: HTMLButtonElement;
  readonly #addList: HTMLButtonElement;
  #members: readonly Member[] = [];
  #place = ""; // of this list in the one that holds it: "2."

  /** With `removed`, a list in another one. */
  constructor(maker: Maker, host: ConditionsHost, joiner: Joiner = "all", removed: (() => void) | null = null) {
    const { say } = maker;
    this.#maker = maker;
    this.#host = host;
    this.#removed = removed;
    this.#joiner = new Picker(maker, () => {
      host.changed();
    });
    this.#joiner.element.setAttribute("aria-label", say("How these conditions are joined"));
    this.#joiner.element.classList.add("service-joiner");
    const choices = [
      { value: "all", label: say("all of these hold") },
      { value: "any", label: say("any of these holds") },
    ] as const;
    this.#joiner.offer(choices, joiner, null);
    this.#list = maker.make("div", { class: "service-conditions" });
    this.#add = maker.button(say(host.words.add), "service-quiet", () => {
      this.add();
    });
    this.#addList = maker.button(say(host.words.addGroup), "service-quiet", () => {
      this.#addInner();
    });
    const label = removed === null ? "service-label" : "service-hidden";
    this.#legend = maker.make("legend", { class: label }, say(host.words.list));
    const buttons = maker.make("div", { class: "service-adds" }, this.#add, removed === null ? this.#addList : null);
    const kind = removed === null ? "service-group" : "service-group service-inner";
    this.element = maker.make("fieldset", { class: kind }, this.#legend, this.#joiner.element, this.#list, buttons);
    this.#draw();
  }

  get branch(): ConditionBranch {
    const parts = this.#members.map((each) => (each instanceof ConditionRow ? each.condition : each.branch));
    return { joiner: this.#joiner.value ?? "all", parts };
  }

  /** All rows, depth first. */
  get rows(): readonly ConditionRow[] {
    return this.#members.flatMap((each) => (each instanceof ConditionRow ? [each] : each.rows));
  }

  name(label: string, place: string): void {
    this.#legend.textContent = label;
    this.#place = `${place}.`;
    this.#number();
  }

  focus(): void {
    this.#add.focus();
  }

  /** Take all conditions out. */
  clear(): void {
    this.#members = [];
    this.#joiner.value = "all";
    this.#draw();
  }

  /** Offer the columns, or measures, as they are now. */
  offer(): void {
    for (const row of this.rows) row.offer();
    this.#add.disabled = this.#addList.disabled = this.#host.subjects.length === 0;
  }

  add(): void {
    const host = this.#host;
    const row = new ConditionRow(this.#maker, {
      words: host.words,
      get subjects() {
        return host.subjects;
      },
      values: (subject) => host.values(subject),
      takesPeriod: (one) => this.#takesPeriod(one),
      changed: () => {
        host.changed();
      },
      removed: (gone) => {
        this.#remove(gone);
      },
    });
    this.#put(row);
    row.focus();
    host.changed();
  }

  /** A question has at most one period, and never as one of several alternatives. */
  #takesPeriod(row: ConditionRow): boolean {
    const isAlone = this.#members.length < 2;
    const hasOne = this.#members.some(
      (each) => each !== row && each instanceof ConditionRow && each.condition.operator === "during",
    );
    return (
      this.#removed === null && this.#host.words === OF_ROWS && (isAlone || this.#joiner.value === "all") && !hasOne
    );
  }

  #addInner(): void {
    const other = this.#joiner.value === "any" ? "all" : "any";
    const inner: ConditionList = new ConditionList(this.#maker, this.#host, other, () => {
      this.#remove(inner);
    });
    this.#put(inner);
    inner.offer();
    inner.add();
  }

  #put(member: Member): void {
    this.#members = [...this.#members, member];
    this.#list.append(member.element);
    this.#draw();
  }

  #remove(member: Member): void {
    this.#members = this.#members.filter((each) => each !== member);
    if (this.#members.length === 0 && this.#removed !== null) {
      this.#removed();
      return;
    }
    this.#draw();
    this.focus();
    this.#host.changed();
  }

  /** Take what is gone out of the page; what stays keeps its focus. */
  #draw(): void {
    const elements = new Set<Element>(this.#members.map(({ element }) => element));
    for (const child of [...this.#list.children]) if (!elements.has(child)) child.remove();
    this.#joiner.element.hidden = this.#members.length < 2 && this.#removed === null;
    this.#addList.hidden = this.#members.length === 0;
    this.#number();
  }

  #number(): void {
    const { say } = this.#maker;
    this.#members.forEach((each, index) => {
      const place = `${this.#place}${String(index + 1)}`;
      if (each instanceof ConditionRow) each.name(fill(say(this.#host.words.one), place));
      else each.name(fill(say(this.#host.words.group), place), place);
    });
  }
}
