import {
  type Check,
  decodeBase64,
  decodeCard,
  decodeReceipt,
  decodeStatement,
  isObject,
  JsonError,
  notCheckable,
  own,
  parseJson,
  passed,
  ShapeError,
  verdict,
  type Verdict,
} from "@service-nb/records";

/** Where a card was made, as its signed statement says: the hash of the cell's source, and the cell's id. */
export interface StatedPlace {
  readonly source: string; // hex SHA-256
  readonly cell: string | null;
}

/** Whether what gave a card is still said where it was made. */
export type IsSaid = (place: StatedPlace) => boolean;

/** The place that a card's statement states; null where it states none, as of what a widget ran. */
export function statedPlace(card: unknown): StatedPlace | null {
  try {
    const { envelope } = decodeReceipt(decodeCard(card).receipt);
    const payload = decodeBase64(envelope.payload);
    if (payload === undefined) return null;
    const { place } = decodeStatement(parseJson(payload, { integers: "exact" })).predicate;
    const [source, cell] = isObject(place) ? [own(place, "source"), own(place, "cell")] : [];
    return typeof source === "string" ? { source, cell: typeof cell === "string" ? cell : null } : null;
  } catch (error) {
    if (error instanceof ShapeError || error instanceof JsonError) return null; // the verdict says so
    throw error;
  }
}

/** The verdict of a card with the check `cell`, where it states what its cell said. */
export function verdictIn(met: Verdict, place: StatedPlace | null, isSaid: IsSaid): Verdict {
  if (place === null || met.checks[0]?.status !== "passed") return met;
  return verdict(met.subject, [...met.checks, cellCheck(isSaid(place))]);
}

function cellCheck(isSaid: boolean): Check {
  const message = "The source that gave this result is no longer in the notebook.";
  return isSaid ? passed("cell") : notCheckable("cell", "cell_edited", message);
}
