import type { ICellModel } from "@jupyterlab/cells";
import { sha256Hex } from "@service-nb/verify";
import type { StatedPlace } from "./stated-place.js";

type Cell = Pick<ICellModel, "id" | "contentChanged" | "sharedModel">;

/** The cells of a notebook that is open. */
export interface Cells extends Iterable<Cell> {
  readonly length: number;
}

const digests = new WeakMap<object, string>(); // of the sources of cells, until they are edited
const watched = new WeakSet();

/**
 * Whether what gave a card is still in the cell that shows it, or in the one whose id the statement names; where no cell
 * has that id, in any. A value that one cell made is often shown by another.
 */
export function isSaidIn(cells: Cells, shown: Cell | undefined, { source, cell: id }: StatedPlace): boolean {
  if (shown !== undefined && (digestOf(shown) === source || shown.id === id)) return digestOf(shown) === source;
  const named = [...cells].filter((each) => each.id === id);
  return (named.length > 0 ? named : [...cells]).some((each) => digestOf(each) === source);
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
