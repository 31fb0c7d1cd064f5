/** One cell of a table is in the order of Tab; the arrow keys move it, as the grid pattern of WAI-ARIA has it. */

import type { Grid } from "./grid.js";

const PAGE = 10; // rows that PageUp and PageDown go by

/** Where the cursor is, and what moves it. */
export interface Cursor {
  /** After rows have moved or gone: the cursor stays on a cell that can be seen. */
  refresh(): void;
}

/** Walk through the cells of a table by keyboard. */
export function walk(grid: Grid): Cursor {
  let current = firstStop(grid);
  if (current !== undefined) current.tabIndex = 0;

  const take = (cell: HTMLElement): void => {
    if (current !== undefined) current.tabIndex = -1;
    current = cell;
    cell.tabIndex = 0;
  };
  grid.element.addEventListener("focusin", (event) => {
    const cell = stopOf(event.target);
    if (cell !== null) take(cell);
  });
  grid.element.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.shiftKey || current === undefined) return;
    const cell = target(grid, current, event);
    if (cell === undefined) return;
    // Neither the page scrolls by this key, nor does a notebook go to its next cell.
    event.preventDefault();
    event.stopPropagation();
    cell.focus();
  });
  return {
    refresh: () => {
      const first = firstStop(grid);
      if (first !== undefined && current?.closest("tr")?.hidden === true) take(first);
    },
  };
}

/** The cell of a table that an element is in. */
export function cellAt(element: EventTarget | null): HTMLTableCellElement | null {
  return element instanceof Element ? element.closest<HTMLTableCellElement>("td, th") : null;
}

function stopOf(element: EventTarget | null): HTMLElement | null {
  const cell = cellAt(element);
  return cell === null ? null : stopIn(cell);
}

/** What takes the focus in a cell: its button, or the cell. */
function stopIn(cell: HTMLTableCellElement): HTMLElement {
  return cell.querySelector("button") ?? cell;
}

function firstStop(grid: Grid): HTMLElement | undefined {
  return stopAt(shownRows(grid), 0, 0);
}

function shownRows(grid: Grid): HTMLTableRowElement[] {
  return Array.from(grid.element.rows).filter((row) => !row.hidden);
}

function stopAt(rows: readonly HTMLTableRowElement[], row: number, column: number): HTMLElement | undefined {
  const cell = rows[row]?.cells[column];
  return cell === undefined ? undefined : stopIn(cell);
}

/** Where a key leads from a cell, or undefined where the key is none of ours. */
function target(grid: Grid, from: HTMLElement, event: KeyboardEvent): HTMLElement | undefined {
  const cell = cellAt(from);
  const rows = shownRows(grid);
  const row = rows.findIndex((each) => each === cell?.parentElement);
  const column = cell?.cellIndex ?? 0;
  const lastRow = rows.length - 1;
  const lastColumn = (rows[0]?.cells.length ?? 1) - 1;
  const at = (toRow: number, toColumn: number): HTMLElement | undefined =>
    stopAt(rows, clamp(toRow, lastRow), clamp(toColumn, lastColumn));
  switch (`${event.ctrlKey ? "Ctrl+" : ""}${event.key}`) {
    case "ArrowLeft":
      return at(row, column - 1);
    case "ArrowRight":
      return at(row, column + 1);
    case "ArrowUp":
      return at(row - 1, column);
    case "ArrowDown":
      return at(row + 1, column);
    case "PageUp":
      return at(row - PAGE, column);
    case "PageDown":
      return at(row + PAGE, column);
    case "Home":
      return at(row, 0);
    case "End":
      return at(row, lastColumn);
    case "Ctrl+Home":
      return at(0, 0);
    case "Ctrl+End":
      return at(lastRow, lastColumn);
    default:
      return undefined;
  }
}

function clamp(index: number, last: number): number {
  return Math.min(Math.max(index, 0), last);
}
