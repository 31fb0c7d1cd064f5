import { isObject, notCheckable, own, type Verdict, verdict } from "@service-nb/records";
import { refused, verifyCardAt } from "./card.js";
import { cardsIn } from "./cards-in.js";
import type { VerifyOptions } from "./options.js";
import { verifySeal } from "./seal.js";

/** Verifies each card of a parsed notebook, and the index that seals it where it has one. */
export function verifyNotebook(notebook: unknown, options: VerifyOptions = {}): Verdict[] {
  if (!isObject(notebook) || !Array.isArray(own(notebook, "cells"))) {
    return [refused("notebook", "malformed_notebook", "It has no list of cells.")];
  }
  const cards = cardsIn(notebook);
  const verdicts = cards.map(({ cell, output, card }) =>
    verifyCardAt(`cell ${String(cell)}, output ${String(output)}`, card, options),
  );
  const metadata = own(notebook, "metadata");
  if (isObject(metadata) && Object.hasOwn(metadata, "service_nb")) {
    verdicts.push(verifySeal(metadata["service_nb"], cards, options));
  }
  return verdicts.length > 0 ? verdicts : [withoutCards()];
}

function withoutCards(): Verdict {
  return verdict("notebook", [notCheckable("form", "no_cards", "The notebook holds no card.")]);
}
