/** The `table` itself. Of a long one only the rows in sight are in the page, and the one with the cursor. */

import type { Head, Rows, Table } from "../blocks.js";
import { shown } from "../dom/element.js";
import { isNumber, separated } from "../format.js";
import { nextDirection, type Direction } from "./order.js";
import { Blanks } from "./pad.js";
import { asAnswered } from "./rows.js";
import { MANY, type Scrolled, standing, topFor } from "./sight.js";

const ROUNDED = "service-rounded";
const LONG = 40; // a longer number is broken into lines where it has to be
const NOTED = 1_000; // rows that make room for their digits before they are in sight
const ROW_PIXELS = 30; // until one was measured, and where nothing is laid out
const SIGHT_PIXELS = 576; // likewise

/** The place of a cell: the position of its row among those that are shown, -1 for the heads; and its column. */
export interface Place {
  readonly position: number;
  readonly column: number;
}

/** A table in the page. */
export class Grid {
  readonly element: HTMLTableElement = create("table", "service-table");
  readonly scroll: HTMLElement = create("div", "service-scroll");
  readonly heads: readonly HTMLTableCellElement[];
  readonly #columns: readonly Head[];
  readonly #keys: number; // columns that head their rows
  readonly #caption = this.element.createCaption();
  readonly #line = this.element.createTHead().insertRow();
  readonly #body = this.element.createTBody();
  readonly #places = new WeakMap<Element, number>(); // rows of the table by their elements
  #blanks: readonly (Blanks | null)[] = [];
  #inPage = new Map<number, HTMLTableRowElement>();
  #rows: Rows;
  #order: ArrayLike<number> = [];
  #cursor: Place = { position: -1, column: 0 };
  #rowPixels = ROW_PIXELS;
  #widths: number[] = [];

  constructor(table: Table, rows: Rows, onSort: (column: number) => void) {
    this.#columns = table.heads;
    const firstOther = table.heads.findIndex((head) => head.role !== "key");
    this.#keys = firstOther < 0 ? table.heads.length : firstOther;
    // Cells can be walked through, and the rows are still those of a table.
    this.element.setAttribute("role", "grid");
    this.#rows = rows;
    const isSorted = Math.max(rows.size, table.total ?? 0) > 1;
    this.heads = table.heads.map((head, column) =>
      headOf(
        head,
        isSorted
          ? () => {
              onSort(column);
            }
          : null,
      ),
    );
    this.#line.className = "service-heads";
    this.#line.append(...this.heads);
    this.scroll.tabIndex = 0;
    this.scroll.setAttribute("role", "group");
    this.scroll.append(this.element);
    this.scroll.addEventListener("scroll", () => {
      if (this.isLong) this.#draw();
    });
    this.#watchSize();
    this.take(rows);
  }

  /** The number of rows that are shown. */
  get count(): number {
    return this.#order.length;
  }

  /** Whether only a part of the rows is in the page. */
  get isLong(): boolean {
    return this.#order.length > MANY;
  }

  set caption(text: string) {
    this.#caption.textContent = text;
  }

  /** Shows other rows, as they were answered. */
  take(rows: Rows): void {
    this.#rows = rows;
    this.#inPage.clear();
    this.#blanks = this.#columns.map((head, column) => {
      if (head.aligned !== "point") return null;
      const blanks = new Blanks();
      for (let row = 0; row < Math.min(rows.size, NOTED); row += 1) blanks.note(rows.shown(row, column));
      return blanks;
    });
    this.#order = [];
    this.show(asAnswered(rows));
  }

  /** Shows these rows in this order; the cursor stays on its row as long as that is shown. */
  show(order: ArrayLike<number>): void {
    const { position, column } = this.#cursor;
    this.#stop()?.setAttribute("tabindex", "-1");
    const row = position < 0 ? undefined : this.#order[position];
    const isOther = order.length !== this.#order.length;
    this.#order = order;
    const at = row === undefined ? -1 : Array.prototype.indexOf.call(order, row);
    this.#cursor = at < 0 && position >= 0 ? { position: -1, column: 0 } : { position: at, column };
    this.element.classList.toggle("service-many", this.isLong);
    if (this.isLong) this.element.setAttribute("aria-rowcount", String(order.length + 1));
    else this.element.removeAttribute("aria-rowcount");
    if (isOther) this.scroll.scrollTop = 0;
    this.#draw();
  }

  /** The cell with the cursor: the one that Tab goes to. */
  get cursor(): Place {
    return this.#cursor;
  }

  /** Moves the cursor, and has its cell in the page. */
  moveTo(place: Place): HTMLElement | null {
    this.#stop()?.setAttribute("tabindex", "-1");
    this.#cursor = place;
    if (this.isLong && place.position >= 0) {
      this.scroll.scrollTop = topFor(place.position, this.count, this.#scrolled());
      this.#draw();
    }
    return this.#markStop();
  }

  /** The place of the cell that an element is in; null where it is in none. */
  placeOf(element: EventTarget | null): Place | null {
    const cell = cellAt(element);
    if (cell === null) return null;
    const column = cell.cellIndex;
    const line = cell.closest("tr");
    if (line === this.#line) return { position: -1, column };
    const row = this.rowOf(cell);
    return row === null ? null : { position: Array.prototype.indexOf.call(this.#order, row), column };
  }

  /** The row of the table that a cell is in; null for a head. */
  rowOf(cell: Element): number | null {
    return this.#places.get(cell.closest("tr") ?? cell) ?? null;
  }

  /** Whether a line stands for rows that are not in the page. */
  isBlank(line: HTMLTableRowElement): boolean {
    return line.parentElement === this.#body && !this.#places.has(line);
  }

  /** The position of the row that follows the rows for which a line stands. */
  positionAfter(line: HTMLTableRowElement): number {
    const after = line.nextElementSibling;
    return after === null ? this.count : (this.placeOf(after.firstElementChild)?.position ?? this.count);
  }

  /** The row at a position. */
  rowAt(position: number): number | undefined {
    return this.#order[position];
  }

  #scrolled(): Scrolled {
    const height = this.scroll.clientHeight - this.#line.offsetHeight;
    return { top: this.scroll.scrollTop, height: height > 0 ? height : SIGHT_PIXELS, row: this.#rowPixels };
  }

  /** Rows that are in the page already stay where they are, so that the focus does. */
  #draw(): void {
    const { position: cursor } = this.#cursor;
    const all = this.isLong
      ? standing(this.count, this.#scrolled(), cursor < 0 ? null : cursor)
      : Array.from({ length: this.count }, (_, position) => ({ position }));
    const before = this.#inPage;
    this.#inPage = new Map();
    const stands = all.map((each) => {
      if ("blank" in each) return blankLine(each.blank, this.#columns.length);
      const row = this.#order[each.position] ?? 0;
      const line = before.get(row) ?? this.#build(row);
      if (this.isLong) line.setAttribute("aria-rowindex", String(each.position + 2));
      else line.removeAttribute("aria-rowindex");
      this.#inPage.set(row, line);
      return line;
    });
    place(this.#body, stands);
    this.#markStop();
    if (this.isLong) this.#keepWidths();
  }

  #build(row: number): HTMLTableRowElement {
    const line = create("tr", "service-row");
    const texts = this.#columns.map((_, column) => shown(this.#rows.shown(row, column)));
    const cells = this.#columns.map((head, column) => {
      const cell = cellOf(texts[column] ?? "", column < this.#keys, this.#blanks[column] ?? null);
      if (head.type === "date" || head.type === "datetime") cell.classList.add("service-time");
      markRounded(cell, texts[column] ?? "", this.#rows.exact(row, column));
      return cell;
    });
    line.append(...cells);
    this.#places.set(line, row);
    const wider = this.#blanks.flatMap((blanks, column) =>
      blanks?.note(texts[column] ?? "") === true ? [column] : [],
    );
    if (wider.length > 0) this.#blank([...this.#inPage.values(), line], wider);
    return line;
  }

  /** A row has more digits than those before it: they get their blanks anew. */
  #blank(lines: readonly HTMLTableRowElement[], columns: readonly number[]): void {
    for (const line of lines) {
      for (const column of columns) {
        const [cell, blanks] = [line.cells[column], this.#blanks[column]];
        if (cell !== undefined && blanks) setBlank(cell, cell.textContent, blanks);
        if (cell?.title) cell.classList.add(ROUNDED);
      }
    }
  }

  /** A column that was wide stays wide, or it would move while it is read. */
  #keepWidths(): void {
    this.#widths = this.heads.map((head, column) => {
      const [width, before] = [head.offsetWidth, this.#widths[column] ?? 0];
      if (width > before) head.setAttribute("width", String(width));
      return Math.max(width, before);
    });
  }

  #watchSize(): void {
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      const [line] = this.#inPage.values();
      const measured = line?.getBoundingClientRect().height ?? 0;
      if (!this.isLong || measured === 0) return;
      this.#rowPixels = measured;
      this.#draw();
    });
    observer.observe(this.scroll);
  }

  #markStop(): HTMLElement | null {
    const stop = this.#stop();
    if (stop !== null) stop.tabIndex = 0;
    return stop;
  }

  /** What takes the focus at the cursor: the button of its cell, or the cell. */
  #stop(): HTMLElement | null {
    const { position, column } = this.#cursor;
    const row = this.#order[position];
    const cell =
      position < 0 ? this.heads[column] : row === undefined ? undefined : this.#inPage.get(row)?.cells[column];
    return cell?.querySelector("button") ?? cell ?? null;
  }
}

/** Mark the column by which the rows are sorted now. */
export function markSorted({ heads }: Grid, column: number, direction: Direction): void {
  heads.forEach((head, index) => {
    if (index === column && direction !== "none") head.setAttribute("aria-sort", direction);
    else head.removeAttribute("aria-sort");
  });
}

/** How a column will be sorted when its head is pressed. */
export function directionAfter({ heads }: Grid, column: number): Direction {
  const now = heads[column]?.getAttribute("aria-sort");
  return nextDirection(now === "ascending" || now === "descending" ? now : "none");
}

/** The cell of a table that an element is in. */
export function cellAt(element: EventTarget | null): HTMLTableCellElement | null {
  return element instanceof Element ? element.closest<HTMLTableCellElement>("td, th") : null;
}

/** An element of a class. */
export function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
): HTMLElementTagNameMap[Name] {
  const element = globalThis.document.createElement(name);
  if (className) element.className = className;
  return element;
}

function headOf(head: Head, sort: (() => void) | null): HTMLTableCellElement {
  const cell = create("th", head.aligned === "point" ? "service-number" : "");
  cell.scope = "col";
  if (sort === null) {
    cell.textContent = head.text;
    cell.tabIndex = -1;
    return cell;
  }
  const button = create("button", "service-sort");
  button.type = "button";
  button.tabIndex = -1;
  button.textContent = head.text;
  button.addEventListener("click", sort);
  cell.append(button);
  return cell;
}

function cellOf(text: string, isKey: boolean, blanks: Blanks | null): HTMLTableCellElement {
  const cell = create(isKey ? "th" : "td");
  if (isKey) cell.scope = "row";
  if (blanks !== null) setBlank(cell, text, blanks);
  cell.tabIndex = -1;
  cell.textContent = text;
  return cell;
}

/** Mark a number that is shown without some of its digits; the exact one is told under the pointer, and copied. */
function markRounded(cell: HTMLElement, text: string, exact: string | null): void {
  if (exact === null || !isNumber(exact) || text === exact || text === separated(exact)) return;
  cell.classList.add(ROUNDED);
  cell.title = exact;
}

function setBlank(cell: HTMLElement, text: string, blanks: Blanks): void {
  cell.className = text.length > LONG ? "service-number service-long" : `service-number${blanks.of(text)}`;
}

/** Stands for rows that are not in the page; nobody hears of it. */
function blankLine(pixels: number, columns: number): HTMLTableRowElement {
  const line = create("tr", "service-blank-line");
  line.setAttribute("aria-hidden", "true");
  const cell = create("td");
  cell.colSpan = columns;
  cell.setAttribute("height", String(Math.round(pixels)));
  line.append(cell);
  return line;
}

/** Puts lines in their order without moving what stands in it already. */
function place(body: HTMLElement, lines: readonly Element[]): void {
  const wanted = new Set(lines);
  for (const line of Array.from(body.children)) if (!wanted.has(line)) line.remove();
  let next = body.firstElementChild;
  for (const line of lines) {
    if (line === next) next = next.nextElementSibling;
    else body.insertBefore(line, next);
  }
}
