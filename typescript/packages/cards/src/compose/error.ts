import type { Card } from "@service-nb/records";
import type { Block } from "../blocks.js";
import { sentence } from "./facts.js";
import { composed } from "./parts.js";
import { proof } from "./proof.js";
import { optionalText, textAt } from "./read.js";

/** What is said of an error: its code, what happened, what to do. */
export function composeError(card: Card): Block[] {
  const { view } = card;
  return composed(card, {
    status: { tone: "error", label: "Error", note: () => textAt(view, "code") },
    blocks: [() => [sentence(textAt(view, "message"), "message")], () => hint(optionalText(view, "hint"))],
    facts: [() => proof(card)],
  });
}

function hint(said: string): readonly Block[] {
  return said === "" ? [] : [sentence(said, "hint")];
}
