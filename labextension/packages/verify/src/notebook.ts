import { isObject, ShapeError, type Verdict } from "@service-nb/records";
import { refused, verifyCardAt } from "./card.js";
import { cardsIn, metadataOf, type PlacedCard } from "./cards-in.js";
import type { VerifyOptions } from "./options.js";
import { verifySeal } from "./seal.js";
import { decoded } from "./shape.js";

/**
 * Verifies each card of a parsed notebook, and the index that seals it where it has one. A notebook without cards and
 * without an index has no verdicts.
 */
export function verifyNotebook(notebook: unknown, options: VerifyOptions = {}): Verdict[] {
  const read = decoded(readNotebook, notebook);
  if (read instanceof ShapeError) return [refused("document", "malformed_notebook", read.message)];
  const verdicts = read.cards.map(({ cell, output, card }) =>
    verifyCardAt(`cell ${String(cell)}, output ${String(output)}`, card, options),
  );
  if (Object.hasOwn(read.metadata, "service_nb")) {
    verdicts.push(verifySeal(read.metadata["service_nb"], read.cards, options));
  }
  return verdicts;
}

interface Notebook {
  readonly cards: readonly PlacedCard[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

function readNotebook(value: unknown): Notebook {
  if (!isObject(value)) throw new ShapeError("The notebook", "an object");
  return { cards: cardsIn(value), metadata: metadataOf(value) };
}
