/** The exact text of a cell on demand: under the pointer, under the cursor, and in what is copied. */

import type { Rows } from "../blocks.js";
import { shown } from "../dom/element.js";
import { cellAt, create, type Grid } from "./grid.js";
import { guarded } from "./guard.js";
import type { Say } from "./words.js";

/** Show the exact text of the cell that is looked at, where it differs from what the cell shows. */
export function showExact(grid: Grid, rows: () => Rows, readout: HTMLElement, say: Say): void {
  const find: Find = (cell) => {
    const row = grid.rowOf(cell);
    return row === null ? null : rows().exact(row, cell.cellIndex);
  };
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
    copyExact(event, grid, rows(), find);
  });
}

type Find = (cell: HTMLTableCellElement) => string | null;

function tell(readout: HTMLElement, label: string, text: string): void {
  const name = create("span", "service-exact-label");
  name.textContent = `${label} `;
  const exact = create("span", "service-exact-text");
  exact.textContent = text;
  readout.replaceChildren(name, exact);
}

/** Copy exact texts for a cell under the cursor, and for cells that are selected. */
function copyExact(event: ClipboardEvent, grid: Grid, rows: Rows, find: Find): void {
  const selection = globalThis.getSelection();
  const text =
    selection === null || selection.isCollapsed
      ? ofCursor(event.target, find)
      : ofSelection(selection, grid, rows, find);
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
function ofSelection(selection: Selection, grid: Grid, rows: Rows, find: Find): string | null {
  const lines: string[] = [];
  const met: HTMLTableCellElement[] = [];
  let next = 0; // the position of the row that follows
  for (const line of grid.element.rows) {
    if (grid.isBlank(line)) {
      // Rows that are selected and not in the page are copied like those that are.
      const end = grid.positionAfter(line);
      if (selection.containsNode(line, true)) lines.push(...wholeLines(grid, rows, next, end));
      next = end;
      continue;
    }
    const cells = Array.from(line.cells).filter((cell) => selection.containsNode(cell, true));
    met.push(...cells);
    if (cells.length > 0) lines.push(cells.map((cell) => fieldOf(cell, find)).join("\t"));
    next = (grid.placeOf(line.cells[0] ?? null)?.position ?? -1) + 1;
  }
  const [only, another] = met;
  if (only === undefined) return null;
  if (another === undefined) return selection.toString().trim() === only.textContent.trim() ? find(only) : null;
  return lines.join("\n");
}

function wholeLines(grid: Grid, rows: Rows, from: number, to: number): string[] {
  return Array.from({ length: Math.max(to - from, 0) }, (_, at) =>
    grid.heads
      .map((head, column) => pasted(rows.exact(grid.rowAt(from + at) ?? 0, column) ?? "", isNumeric(head)))
      .join("\t"),
  );
}

function fieldOf(cell: HTMLTableCellElement, find: Find): string {
  return isHead(cell) ? pasted(cell.textContent, false) : pasted(find(cell) ?? "", isNumeric(cell));
}

function isHead(cell: HTMLTableCellElement): boolean {
  return cell.scope === "col";
}

function isNumeric(cell: HTMLTableCellElement): boolean {
  return cell.classList.contains("service-number");
}

/** A field that a spreadsheet may be given: nothing in it begins another cell or a formula. */
function pasted(text: string, isNumber: boolean): string {
  return isNumber ? text : guarded(text.replace(/[\t\r\n]+/g, " "));
}
