/** The exact text of a cell on demand: under the pointer, under the cursor, and in what is copied. */

import type { Table } from "../blocks.js";
import { shown } from "../dom/element.js";
import { cellAt } from "./cursor.js";
import { create, type Grid } from "./grid.js";
import { guarded } from "./guard.js";
import type { Say } from "./words.js";

/** Show the exact text of the cell that is looked at, where it differs from what the cell shows. */
export function showExact(grid: Grid, table: Table, readout: HTMLElement, say: Say): void {
  const find = finder(grid, table);
  const show = (element: EventTarget | null): void => {
    const cell = cellAt(element);
    const exact = cell === null ? null : find(cell);
    if (exact === null || exact === cell?.textContent) readout.replaceChildren();
    else tell(readout, say("exact"), shown(exact));
  };
  const focused = (): Element | null =>
    grid.element.matches(":focus-within") ? grid.element.querySelector(":focus") : null;
  grid.element.addEventListener("focusin", (event) => {
    show(event.target);
  });
  grid.element.addEventListener("mouseover", (event) => {
    show(event.target);
  });
  grid.element.addEventListener("mouseleave", () => {
    show(focused());
  });
  grid.element.addEventListener("focusout", () => {
    show(null);
  });
  grid.element.addEventListener("copy", (event) => {
    copyExact(event, grid, find);
  });
}

type Find = (cell: HTMLTableCellElement) => string | null;

function finder(grid: Grid, table: Table): Find {
  const indices = new Map(grid.rows.map((row, index) => [row, index]));
  return (cell) => {
    const row = cell.closest("tr");
    const index = row === null ? undefined : indices.get(row);
    return index === undefined ? null : (table.exact[index]?.[cell.cellIndex] ?? null);
  };
}

function tell(readout: HTMLElement, label: string, text: string): void {
  const name = create("span", "service-exact-label");
  name.textContent = `${label} `;
  const exact = create("span", "service-exact-text");
  exact.textContent = text;
  readout.replaceChildren(name, exact);
}

/** Copy exact texts for a cell under the cursor, and for cells that are selected. */
function copyExact(event: ClipboardEvent, grid: Grid, find: Find): void {
  const selection = globalThis.getSelection();
  const text =
    selection === null || selection.isCollapsed ? ofCursor(event.target, find) : ofSelection(selection, grid, find);
  if (text === null || event.clipboardData === null) return;
  event.clipboardData.setData("text/plain", text);
  event.preventDefault();
  event.stopPropagation();
}

function ofCursor(element: EventTarget | null, find: Find): string | null {
  const cell = cellAt(element);
  return cell === null ? null : find(cell);
}

/** Whole cells become fields between tabs. A part of a single cell is copied as it was selected. */
function ofSelection(selection: Selection, grid: Grid, find: Find): string | null {
  const lines = Array.from(grid.element.rows, (row) =>
    row.hidden ? [] : Array.from(row.cells).filter((cell) => selection.containsNode(cell, true)),
  ).filter((cells) => cells.length > 0);
  const [only, another] = lines.flat();
  if (only === undefined) return null;
  if (another === undefined) return selection.toString().trim() === only.textContent.trim() ? find(only) : null;
  const field = (cell: HTMLTableCellElement): string => (isHead(cell) ? cell.textContent : (find(cell) ?? ""));
  return lines.map((cells) => cells.map((cell) => pasted(field(cell), cell)).join("\t")).join("\n");
}

function isHead(cell: HTMLTableCellElement): boolean {
  return cell.scope === "col";
}

/** A field that a spreadsheet may be given: nothing in it begins another cell or a formula. */
function pasted(text: string, cell: HTMLTableCellElement): string {
  const isNumber = cell.classList.contains("service-number") && !isHead(cell);
  return isNumber ? text : guarded(text.replace(/[\t\r\n]+/g, " "));
}
