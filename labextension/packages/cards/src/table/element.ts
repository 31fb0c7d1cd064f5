/** A table of a card as a real `table`: what is shown is read, what is exact sorts, filters and is copied. */

import type { Table } from "../blocks.js";
import { whole } from "../format.js";
import { csvText } from "./csv.js";
import { walk } from "./cursor.js";
import { showExact } from "./exact.js";
import { filterRows } from "./filter.js";
import { create, directionAfter, gridOf, markSorted, type Grid } from "./grid.js";
import { markdownText } from "./markdown.js";
import { orderBy } from "./order.js";
import { copyButton, filterBox } from "./tools.js";
import { told } from "./words.js";

const FILTERED_FROM = 6; // rows; fewer are seen at a glance

/** What a table needs of the page around it. */
export interface TableEnvironment {
  say(text: string): string;
  copy(text: string): Promise<void>;
}

/** Told after rows were sorted or filtered: the table as it is shown now. */
export const ORDER_EVENT = "service-order";

/** Build the table with its caption, its filter and what copies it. */
export function tableElement(table: Table, environment: TableEnvironment): HTMLElement {
  const view = new TableView(table, environment);
  return view.element;
}

class TableView {
  readonly element = create("div", "service-data");
  private readonly readout = create("div", "service-exact");
  private readonly grid: Grid;
  private readonly cursor: { refresh(): void };
  private order: readonly number[];
  private kept: ReadonlySet<number> | null = null; // null where nothing is filtered

  private readonly table: Table;
  private readonly environment: TableEnvironment;

  constructor(table: Table, environment: TableEnvironment) {
    this.table = table;
    this.environment = environment;
    this.order = Array.from(table.rows.keys());
    this.readout.setAttribute("aria-live", "polite");
    this.grid = gridOf(table, (column) => {
      this.sort(column);
    });
    this.cursor = walk(this.grid);
    showExact(this.grid, table, this.readout, this.say);
    const filter = table.rows.length < FILTERED_FROM ? [] : [this.filter()];
    this.element.append(...filter, this.scroll(), this.foot());
  }

  private readonly say = (text: string): string => this.environment.say(text);

  private readonly shown = (): Table => {
    const rows = this.order.filter((index) => this.kept?.has(index) ?? true);
    const pick = <Row>(all: readonly Row[]): Row[] => rows.flatMap((index) => all.slice(index, index + 1));
    return { ...this.table, rows: pick(this.table.rows), exact: pick(this.table.exact) };
  };

  private scroll(): HTMLElement {
    const scroll = create("div", "service-scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute(
      "aria-label",
      told(this.say, "Table: %1", this.table.heads.map((head) => head.text).join(", ")),
    );
    scroll.append(this.grid.element);
    return scroll;
  }

  private filter(): HTMLElement {
    const box = filterBox(this.table, this.say, (text, column) => {
      const found = text.trim() === "" ? null : filterRows(this.table, text, column, this.say);
      this.kept = found?.kind === "rows" ? found.rows : null;
      this.grid.rows.forEach((row, index) => {
        row.hidden = !(this.kept?.has(index) ?? true);
      });
      box.say(found?.kind === "invalid" ? found.why : this.counted(), found?.kind === "invalid");
      this.changed();
    });
    return box.element;
  }

  private counted(): string {
    if (this.kept === null) return "";
    const counts = [whole(this.kept.size), whole(this.table.rows.length)];
    return told(this.say, "%1 of %2 rows shown, of those kept in this card", ...counts);
  }

  private sort(column: number): void {
    const direction = directionAfter(this.grid, column);
    this.order = orderBy(this.table, column, direction);
    markSorted(this.grid, column, direction);
    const rows = this.order.flatMap((index) => this.grid.rows[index] ?? []);
    this.grid.element.tBodies[0]?.replaceChildren(...rows);
    const text = { ascending: "Sorted by %1, ascending", descending: "Sorted by %1, descending", none: "As answered" };
    this.readout.textContent = told(this.say, text[direction], this.table.heads[column]?.text ?? "");
    this.changed();
  }

  private changed(): void {
    this.cursor.refresh();
    this.element.dispatchEvent(new CustomEvent(ORDER_EVENT, { bubbles: true, detail: { table: this.shown() } }));
  }

  private foot(): HTMLElement {
    const foot = create("div", "service-foot");
    const caption = create("span", "service-caption");
    caption.textContent = this.table.caption;
    caption.setAttribute("aria-hidden", "true"); // it is the table's own caption, said there
    const tools = create("span", "service-tools");
    const csv = { label: this.say("Copy CSV"), name: "CSV", text: csvText };
    const markdown = { label: this.say("Copy Markdown"), name: "Markdown", text: markdownText };
    tools.append(...[csv, markdown].map((kind) => copyButton(kind, this.shown, this.environment, this.readout)));
    foot.append(caption, this.readout, tools);
    return foot;
  }
}
