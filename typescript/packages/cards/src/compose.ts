import type { Card } from "@service-nb/records";
import type { Block } from "./blocks.js";
import { composeComputation } from "./compose/computation.js";
import { composeError } from "./compose/error.js";
import { composeQuery } from "./compose/query.js";
import { composeRefusal } from "./compose/refusal.js";
import { composeReplay } from "./compose/replay.js";
import type { Digits } from "./digits.js";

/**
 * What is said of a card, and in which order: what was asked, the answer, a line of status, details. The digits are those
 * that numbers are shown with; nothing else depends on them.
 *
 * The words are those of `service_nb/cards/card_blocks.py`. A view is untrusted and may have any shape: what cannot be read
 * is left out, and the card says that it is.
 */
export function compose(card: Card, digits?: Digits): Block[] {
  switch (card.kind) {
    case "query":
      return composeQuery(card, digits);
    case "computation":
      return composeComputation(card, digits);
    case "clarification":
    case "rejection":
      return composeRefusal(card);
    case "replay":
      return composeReplay(card);
    case "error":
      return composeError(card);
  }
}
