import type { Card } from "@service-nb/records";
import type { Block } from "./blocks.js";
import { composeComputation } from "./compose/computation.js";
import { composeError } from "./compose/error.js";
import { composeQuery } from "./compose/query.js";
import { composeRefusal } from "./compose/refusal.js";
import { composeReplay } from "./compose/replay.js";

/**
 * What is said of a card, and in which order: status, answer, question, details.
 *
 * The words are those of `service_nb/cards/card_blocks.py`. A view is untrusted and may have any shape: what cannot be read
 * is left out, and the card says that it is.
 */
export function compose(card: Card): Block[] {
  switch (card.kind) {
    case "query":
      return composeQuery(card);
    case "computation":
      return composeComputation(card);
    case "clarification":
    case "rejection":
      return composeRefusal(card);
    case "replay":
      return composeReplay(card);
    case "error":
      return composeError(card);
  }
}
