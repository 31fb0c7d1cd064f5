/** One cell of a table is in the order of Tab; the arrow keys move it, as the grid pattern of WAI-ARIA has it. */

import type { Grid, Place } from "./grid.js";

const PAGE = 10; // rows that PageUp and PageDown go by

/** Walk through the cells of a table by keyboard, those that are not in the page included. */
export function walk(grid: Grid): void {
  grid.element.addEventListener("focusin", (event) => {
    const place = grid.placeOf(event.target);
    const { position, column } = grid.cursor;
    if (place !== null && (place.position !== position || place.column !== column)) grid.moveTo(place);
  });
  grid.element.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const place = target(grid, event);
    if (place === undefined) return;
    // Neither the page scrolls by this key, nor does a notebook go to its next cell.
    event.preventDefault();
    event.stopPropagation();
    grid.moveTo(place)?.focus();
  });
}

/** Where a key leads from the cursor, or undefined where the key is none of ours. */
function target({ cursor: { position, column }, count, heads }: Grid, event: KeyboardEvent): Place | undefined {
  const [lastRow, lastColumn] = [count - 1, heads.length - 1];
  const at = (toRow: number, toColumn: number): Place => ({
    position: Math.min(Math.max(toRow, -1), lastRow),
    column: Math.min(Math.max(toColumn, 0), lastColumn),
  });
  switch (`${event.ctrlKey ? "Ctrl+" : ""}${event.key}`) {
    case "ArrowLeft":
      return at(position, column - 1);
    case "ArrowRight":
      return at(position, column + 1);
    case "ArrowUp":
      return at(position - 1, column);
    case "ArrowDown":
      return at(position + 1, column);
    case "PageUp":
      return at(position - PAGE, column);
    case "PageDown":
      return at(position + PAGE, column);
    case "Home":
      return at(position, 0);
    case "End":
      return at(position, lastColumn);
    case "Ctrl+Home":
      return at(-1, 0);
    case "Ctrl+End":
      return at(lastRow, lastColumn);
    default:
      return undefined;
  }
}
