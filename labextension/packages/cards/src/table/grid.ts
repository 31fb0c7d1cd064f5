/** The `table` itself, built once: sorting moves its rows, filtering hides them. */

import type { Head, Table } from "../blocks.js";
import { nextDirection, type Direction } from "./order.js";
import { blanksOf } from "./pad.js";

const LONG = 40; // a longer number is broken into lines where it has to be

/** A table in the page, with what there is to find in it. */
export interface Grid {
  readonly element: HTMLTableElement;
  readonly rows: readonly HTMLTableRowElement[]; // as answered
  readonly heads: readonly HTMLTableCellElement[];
}

/** Build the table. Heads are buttons where there is something to sort. */
export function gridOf(table: Table, onSort: (column: number) => void): Grid {
  const element = create("table", "service-table");
  // Cells can be walked through, and the rows are still those of a table.
  element.setAttribute("role", "grid");
  element.createCaption().textContent = table.caption;
  const heads = table.heads.map((head, column) =>
    headOf(
      head,
      table.rows.length > 1
        ? () => {
            onSort(column);
          }
        : null,
    ),
  );
  const line = element.createTHead().insertRow();
  line.className = "service-heads";
  line.append(...heads);
  const rows = rowsOf(table);
  element.createTBody().append(...rows);
  return { element, rows, heads };
}

/** Mark the column by which the rows are sorted now. */
export function markSorted(grid: Grid, column: number, direction: Direction): void {
  grid.heads.forEach((head, index) => {
    if (index === column && direction !== "none") head.setAttribute("aria-sort", direction);
    else head.removeAttribute("aria-sort");
  });
}

/** How a column will be sorted when its head is pressed. */
export function directionAfter(grid: Grid, column: number): Direction {
  const now = grid.heads[column]?.getAttribute("aria-sort");
  return nextDirection(now === "ascending" || now === "descending" ? now : "none");
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

function rowsOf(table: Table): HTMLTableRowElement[] {
  const firstOther = table.heads.findIndex((head) => head.role !== "key");
  const keys = firstOther < 0 ? table.heads.length : firstOther;
  const blanks = table.heads.map((head, column) => (head.aligned === "point" ? blanksOf(table, column) : null));
  const times = table.heads.flatMap(({ type }, column) => (type === "date" || type === "datetime" ? column : []));
  return table.rows.map((cells, index) => {
    const row = create("tr", "service-row");
    const made = cells.map((text, column) => cellOf(text, column < keys, blanks[column]?.[index] ?? null));
    for (const column of times) made[column]?.classList.add("service-time");
    row.append(...made);
    return row;
  });
}

function cellOf(text: string, isKey: boolean, blank: string | null): HTMLTableCellElement {
  const cell = create(isKey ? "th" : "td");
  if (isKey) cell.scope = "row";
  if (blank !== null) {
    cell.className = text.length > LONG ? "service-number service-long" : `service-number${blank}`;
  }
  cell.tabIndex = -1;
  cell.textContent = text;
  return cell;
}
