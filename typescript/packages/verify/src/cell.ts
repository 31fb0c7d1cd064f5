import {
  type Card,
  type Check,
  decodeReceipt,
  isObject,
  notCheckable,
  own,
  passed,
  ShapeError,
  type Verdict,
  verdict,
} from "@service-nb/records";
import { decoded } from "./shape.js";
import { readStatement } from "./statement.js";

/** Where a card was made, as its signed statement says: the hash of the cell's source, and the cell's id. */
export interface StatedPlace {
  readonly source: string; // hex SHA-256
  readonly cell: string | null;
}

/** A cell as the check of a card below it needs it. */
export interface CellSource {
  readonly id: string | null;
  readonly isCode: boolean;
  /** Hex SHA-256 of its source; null where it has none. */
  digest(): string | null;
}

/** The place that a card's statement states; null where it states none, as of what a widget ran. */
export function statedPlace({ receipt }: Pick<Card, "receipt">): StatedPlace | null {
  const opened = decoded(decodeReceipt, receipt);
  if (opened instanceof ShapeError) return null; // the verdict says so
  const statement = readStatement(opened.envelope);
  const place = statement instanceof ShapeError ? null : statement.predicate.place;
  const [source, cell] = isObject(place) ? [own(place, "source"), own(place, "cell")] : [];
  return typeof source === "string" ? { source, cell: typeof cell === "string" ? cell : null } : null;
}

/** The verdict of a card with the check `cell`, where its statement is about it and says what its cell said. */
export function verdictIn(met: Verdict, place: StatedPlace | null, check: (place: StatedPlace) => Check): Verdict {
  const isStated = met.checks.some((each) => each.check === "statement" && each.status === "passed");
  return place === null || !isStated ? met : verdict(met.subject, [...met.checks, check(place)]);
}

/** Whether the cell that a card stands below has the source that gave it. */
export function checkCell(place: StatedPlace, shown: CellSource, cells: Iterable<CellSource>): Check {
  if (shown.digest() === place.source) return passed("cell");
  const isIt = shown.id !== null && shown.id === place.cell;
  const other = isIt ? -1 : [...cells].findIndex((cell) => cell.isCode && cell.digest() === place.source);
  if (other < 0) {
    return notCheckable("cell", "cell_edited", "The cell does not have the source that gave this result.");
  }
  const message = `The source of cell ${String(other + 1)} gave this result.`;
  return notCheckable("cell", "card_of_another_cell", message);
}
