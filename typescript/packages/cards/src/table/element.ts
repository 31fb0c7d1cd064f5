/** A table of a card as a real `table`: what is shown is read, what is exact sorts, filters and is copied. */

import type { Recorded, Rows, Table } from "../blocks.js";
import type { Loader } from "./all-rows.js";
import { save } from "../dom/save.js";
import type { ResultKeeper } from "../environment.js";
import { count, NULL, whole } from "../format.js";
import { csvText } from "./csv.js";
import { walk } from "./cursor.js";
import { fileName, isWhole, type TextFormat } from "./download.js";
import { showExact } from "./exact.js";
import { filterRows } from "./filter.js";
import { create, directionAfter, Grid, markSorted } from "./grid.js";
import { workButton } from "./loading.js";
import { markdownText } from "./markdown.js";
import { type Direction, Ordering } from "./order.js";
import { asAnswered, rowsAtHand, writtenOut } from "./rows.js";
import { copyButton, downloadMenu, filterBox, saveButton } from "./tools.js";
import { told } from "./words.js";

const FILTERED_FROM = 6; // rows; fewer are seen at a glance
const LOOKED_FOR_NULLS = 1_000; // rows

/** What a table needs of the page around it. */
export interface TableEnvironment {
  say(text: string): string;
  copy(text: string): Promise<void>;
  readonly results?: ResultKeeper | undefined;
}

/** Told after rows were sorted, filtered or loaded: the table as it is shown now, written out when it is asked for. */
export const ORDER_EVENT = "service-order";

export interface OrderDetail {
  readonly table: () => Table;
}

/** Told after the rows that the card does not hold were loaded. */
export const LOAD_EVENT = "service-load";

export interface LoadDetail {
  readonly name: Recorded["name"];
  readonly text: string;
}

/** A table in the page. */
export interface ShownTable {
  readonly element: HTMLElement;
  /** The rows as they are shown now, written out. */
  readonly shown: () => Table;
}

/** Build the table with its caption, its filter and what copies it. */
export function tableElement(table: Table, environment: TableEnvironment): HTMLElement {
  return new TableView(table, environment).element;
}

/** As `tableElement`, with what says what is shown. */
export function shownTable(table: Table, environment: TableEnvironment): ShownTable {
  return new TableView(table, environment);
}

const CSV: TextFormat = { name: "CSV", ending: "csv", type: "text/csv;charset=utf-8", text: csvText };
const MARKDOWN: TextFormat = {
  name: "Markdown",
  ending: "md",
  type: "text/markdown;charset=utf-8",
  text: markdownText,
};

class TableView implements ShownTable {
  readonly element = create("div", "service-data");
  readonly #readout = create("div", "service-exact");
  readonly #caption = create("span", "service-caption");
  readonly #grid: Grid;
  readonly #table: Table;
  readonly #environment: TableEnvironment;
  readonly #loader: Loader | undefined;
  #rows: Rows;
  #text: string | undefined; // of all rows
  #ordering: Ordering;
  #sorted: { readonly column: number; readonly direction: Direction } | undefined;
  #order: Uint32Array;
  #marked: Uint8Array | null = null; // a mark for each row that passes the filter; null where nothing is filtered
  #refilter: () => void = () => undefined;

  constructor(table: Table, environment: TableEnvironment) {
    this.#table = table;
    this.#environment = environment;
    this.#rows = rowsAtHand(table);
    this.#text = table.recorded?.text;
    this.#ordering = new Ordering(this.#rows);
    this.#order = asAnswered(this.#rows);
    this.#loader = this.#loaderOf();
    this.#readout.setAttribute("aria-live", "polite");
    this.#grid = new Grid(table, this.#rows, (column) => {
      this.#sort(column);
    });
    walk(this.#grid);
    showExact(this.#grid, () => this.#rows, this.#readout, this.#say);
    this.#grid.scroll.setAttribute(
      "aria-label",
      told(this.#say, "Table: %1", table.heads.map((head) => head.text).join(", ")),
    );
    const filter = Math.max(this.#rows.size, table.total ?? 0) < FILTERED_FROM ? [] : [this.#filter()];
    this.element.append(...filter, this.#grid.scroll, this.#foot());
    this.#describe();
  }

  readonly shown = (): Table => writtenOut({ ...this.#table, caption: this.#words() }, this.#rows, this.#passing());

  readonly #say = (text: string): string => this.#environment.say(text);

  #loaderOf(): Loader | undefined {
    const { recorded, total } = this.#table;
    if (recorded === undefined || total === undefined) return undefined;
    return { recorded, total, say: this.#say, keeper: () => this.#environment.results };
  }

  #passing(): Uint32Array {
    const marked = this.#marked;
    return marked === null ? this.#order : this.#order.filter((row) => marked[row] === 1);
  }

  #filter(): HTMLElement {
    const { heads } = this.#table;
    const box = filterBox(this.#table, this.#say, (text, column) => {
      const found = text.trim() === "" ? null : filterRows(heads, this.#rows, text, column, this.#say);
      this.#marked = found?.kind === "rows" ? found.rows : null;
      const passing = this.#passing();
      this.#grid.show(passing);
      box.say(found?.kind === "invalid" ? found.why : this.#counted(passing.length), found?.kind === "invalid");
      this.#changed();
    });
    this.#refilter = box.again;
    return box.element;
  }

  #counted(passing: number): string {
    if (this.#marked === null) return "";
    const counts = [whole(passing), whole(this.#rows.size)];
    const text = isWhole(this.#rows, this.#table) ? "%1 of %2 rows" : "%1 of %2 rows shown, of those kept in this card";
    return told(this.#say, text, ...counts);
  }

  #sort(column: number): void {
    const direction = directionAfter(this.#grid, column);
    this.#sorted = { column, direction };
    this.#reorder();
    markSorted(this.#grid, column, direction);
    const text = { ascending: "Sorted by %1, ascending", descending: "Sorted by %1, descending", none: "As answered" };
    this.#readout.textContent = told(this.#say, text[direction], this.#table.heads[column]?.text ?? "");
    this.#grid.show(this.#passing());
    this.#changed();
  }

  #reorder(): void {
    const { column, direction } = this.#sorted ?? { column: 0, direction: "none" as const };
    this.#order = this.#ordering.by(column, this.#table.heads[column]?.type === "number", direction);
  }

  /** Has all rows from now on, sorted and filtered as those were that were there before. */
  #take({ rows, text }: { rows: Rows; text: string }): void {
    this.#rows = rows;
    this.#text = text;
    this.#ordering = new Ordering(rows);
    this.#marked = null;
    this.#reorder();
    this.#grid.take(rows);
    this.#grid.show(this.#order);
    this.#describe();
    this.#refilter();
    this.#changed();
  }

  #changed(): void {
    const detail: OrderDetail = { table: this.shown };
    this.element.dispatchEvent(new CustomEvent(ORDER_EVENT, { bubbles: true, detail }));
  }

  #describe(): void {
    this.#caption.textContent = this.#words();
    this.#grid.caption = this.#words();
  }

  /** How many rows there are: those of the card in its own words as long as it shows them all. */
  #words(): string {
    const { caption, exact, total, recorded } = this.#table;
    if (total === undefined || exact.length >= total || recorded === undefined) return caption;
    const said = isWhole(this.#rows, this.#table)
      ? count(total)
      : told(this.#say, "%1 of %2 kept", whole(this.#rows.size), count(total));
    return said + (this.#hasNull() ? ` · ${told(this.#say, "%1 is null", NULL)}` : "");
  }

  #hasNull(): boolean {
    const looked = Math.min(this.#rows.size, LOOKED_FOR_NULLS);
    return this.#table.heads.some((_, column) =>
      Array.from({ length: looked }, (__, row) => row).some((row) => this.#rows.exact(row, column) === null),
    );
  }

  #foot(): HTMLElement {
    const foot = create("div", "service-foot");
    this.#caption.setAttribute("aria-hidden", "true"); // it is the table's own caption, said there
    const tools = create("span", "service-tools");
    const copies = [CSV, MARKDOWN].map((format) => {
      return copyButton(
        { label: this.#say(`Copy ${format.name}`), name: format.name, text: (table) => format.text(table) },
        this.shown,
        this.#environment,
        this.#readout,
      );
    });
    tools.append(
      ...copies,
      downloadMenu(this.#say, () => this.#downloads()),
    );
    foot.append(this.#caption, ...this.#loading(), this.#readout, tools);
    return foot;
  }

  #loading(): readonly HTMLElement[] {
    const loader = this.#loader;
    if (loader === undefined || isWhole(this.#rows, this.#table)) return [];
    const button = workButton(this.#say("Load all"), this.#say, this.#readout, async (loading) => {
      const { loadAll } = await import("./all-rows.js");
      const loaded = await loadAll(loader, loading);
      this.#take(loaded);
      const detail: LoadDetail = { name: loader.recorded.name, text: loaded.text };
      this.element.dispatchEvent(new CustomEvent(LOAD_EVENT, { bubbles: true, detail }));
      const hadFocus = button === button.ownerDocument.activeElement;
      button.remove();
      if (hadFocus) this.#grid.moveTo({ position: -1, column: 0 })?.focus();
      return told(this.#say, "%1 loaded; they have the hash of this card", count(loaded.rows.size));
    });
    button.classList.add("service-load");
    return [button];
  }

  #downloads(): readonly HTMLElement[] {
    const loader = this.#loader;
    const readout = this.#readout;
    const name = (isAll: boolean, ending: string): string => fileName(this.#table.recorded, isAll, ending);
    const texts = [CSV, MARKDOWN].map((format) =>
      saveButton(format.name, this.#say, readout, () => {
        const table = this.shown();
        const isAll = table.rows.length >= (this.#table.total ?? this.#rows.size);
        save(name(isAll, format.ending), format.type, format.text(table));
        return table.rows.length;
      }),
    );
    if (loader === undefined) return texts;
    const { recorded } = loader;
    const json = workButton("JSON", this.#say, readout, async (loading) => {
      const { jsonText, loadAll } = await import("./all-rows.js");
      const text = this.#text ?? (await loadAll(loader, loading)).text;
      save(name(true, "json"), "application/json", jsonText(recorded, text));
      return told(this.#say, "The whole result saved as %1", "JSON");
    });
    if (recorded.name === "value") return [...texts, json];
    const parquet = workButton("Parquet", this.#say, readout, async (loading) => {
      const { loadParquet } = await import("./all-rows.js");
      save(name(true, "parquet"), "application/vnd.apache.parquet", await loadParquet(loader, loading));
      return told(this.#say, "The whole result saved as %1", "Parquet");
    });
    return [...texts, json, parquet];
  }
}
