/**
 * Keys of a grid whose cells hold one button each, as the WAI-ARIA Authoring Practices have a layout grid: the grid is one
 * tab stop, arrows go from cell to cell, Home and End along a row, with Ctrl to the first and the last row.
 */
export function walkable(grid: HTMLElement): void {
  grid.addEventListener("keydown", (event) => {
    const rows = rowsOf(grid);
    const at = placeOf(rows, event.target);
    const next = at === undefined ? undefined : nextOf(event, at, rows);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const row = rows[Math.max(0, Math.min(next.row, rows.length - 1))] ?? [];
    row[Math.max(0, Math.min(next.column, row.length - 1))]?.focus();
  });
  grid.addEventListener("focusin", (event) => {
    if (event.target instanceof HTMLElement && event.target.tagName === "BUTTON") oneStop(grid, event.target);
  });
}

/** Leaves one of the grid's buttons in the order of Tab: the one given, the one that was, or the first. */
export function oneStop(grid: HTMLElement, wanted?: HTMLElement): void {
  const buttons = rowsOf(grid).flat();
  const stop = wanted ?? buttons.find((each) => each.tabIndex === 0) ?? buttons[0];
  for (const each of buttons) {
    const index = each === stop ? 0 : -1;
    if (each.tabIndex !== index) each.tabIndex = index;
  }
}

interface Place {
  readonly row: number;
  readonly column: number;
}

function rowsOf(grid: HTMLElement): HTMLElement[][] {
  return [...grid.querySelectorAll<HTMLElement>("[role=row]")]
    .filter((row) => !row.hidden)
    .map((row) => [...row.querySelectorAll<HTMLElement>("[role=gridcell] > button")].filter((each) => !each.hidden))
    .filter((row) => row.length > 0);
}

function placeOf(rows: readonly HTMLElement[][], target: EventTarget | null): Place | undefined {
  for (const [row, buttons] of rows.entries()) {
    const column = buttons.findIndex((each) => each === target);
    if (column >= 0) return { row, column };
  }
  return undefined;
}

function nextOf(event: KeyboardEvent, { row, column }: Place, rows: readonly HTMLElement[][]): Place | undefined {
  switch (event.key) {
    case "ArrowDown":
      return { row: row + 1, column };
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "Home":
      return { row: event.ctrlKey ? 0 : row, column: 0 };
    case "End":
      return { row: event.ctrlKey ? rows.length - 1 : row, column: Infinity };
    default:
      return undefined;
  }
}
