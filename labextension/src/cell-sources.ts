import type { ICellModel } from "@jupyterlab/cells";
import type { Check } from "@service-nb/records";
import { type CellSource, checkCell, sha256Hex, type StatedPlace } from "@service-nb/verify";

type Cell = Pick<ICellModel, "id" | "type" | "contentChanged" | "sharedModel">;

const digests = new WeakMap<object, string>(); // of the sources of cells, until they are edited
const watched = new WeakSet();

/** Whether the cell that shows a card has the source that gave it, in a notebook that is open. */
export function checkCellIn(cells: Iterable<Cell>, shown: Cell, place: StatedPlace): Check {
  return checkCell(place, sourceOf(shown), Array.from(cells, sourceOf));
}

function sourceOf(cell: Cell): CellSource {
  return { id: cell.id, isCode: cell.type === "code", digest: () => digestOf(cell) };
}

/** Hex SHA-256 of a cell's source, as a statement has it. */
function digestOf(cell: Cell): string {
  const known = digests.get(cell);
  if (known !== undefined) return known;
  if (!watched.has(cell)) {
    watched.add(cell);
    cell.contentChanged.connect(forget);
  }
  const digest = sha256Hex(cell.sharedModel.getSource());
  digests.set(cell, digest);
  return digest;
}

function forget(cell: object): void {
  digests.delete(cell);
}
