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
import { sha256Hex } from "@service-nb/verify";

/** The cell in which a card is shown. */
export interface LiveCell {
  source(): string;
  /** Calls back when the source was edited; returns how to stop. */
  onEdit(edited: () => void): () => void;
}

/** Hex SHA-256 of what the cell said when a card was made, by its signed statement; null where that does not say. */
export function statedSource(value: unknown): string | null {
  try {
    const { envelope } = decodeReceipt(decodeCard(value).receipt);
    const payload = decodeBase64(envelope.payload);
    if (payload === undefined) return null;
    const { place } = decodeStatement(parseJson(payload, { integers: "exact" })).predicate;
    const stated = isObject(place) ? own(place, "source") : null;
    return typeof stated === "string" ? stated : null;
  } catch (error) {
    if (error instanceof ShapeError || error instanceof JsonError) return null; // the verdict says so
    throw error;
  }
}

/** The check `cell` of a card that states what its cell said, in a cell that says `digest` now. */
export function cellCheck(stated: string, digest: string): Check {
  if (stated === digest) return passed("cell");
  return notCheckable("cell", "cell_edited", "The cell was edited since this result.");
}

/** A card's verdict in its cell, whose source is hashed only where the card states what it was. */
export function verdictIn(met: Verdict, stated: string | null, digest: () => string): Verdict {
  if (stated === null || met.checks[0]?.status !== "passed") return met;
  return verdict(met.subject, [...met.checks, cellCheck(stated, digest())]);
}

/** As a statement has it. */
export function digestOf(source: string): string {
  return sha256Hex(source);
}
