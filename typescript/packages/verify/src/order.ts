import { canonicalText, type Card, type Check, decodeReceipt, notCheckable, ShapeError } from "@service-nb/records";
import { parseCheckpoint } from "./checkpoint.js";
import { decoded } from "./shape.js";

/** The cards of a notebook so far: what can be seen of their order and number, where no seal says it. */
export class CardsMet {
  readonly #subjects = new Map<string, string>(); // by the digests of a card
  readonly #newest = new Map<string, { readonly index: number; readonly subject: string }>(); // by ledger

  /** The check of the next card; `isLogged`, that its checkpoint was verified. */
  check(subject: string, card: Card, isLogged: boolean): Check {
    const above = isLogged ? this.#above(subject, card) : null;
    const digests = canonicalText(card.digests);
    const first = this.#subjects.get(digests);
    if (first !== undefined) return notCheckable("cards", "card_repeated", `It repeats ${first}.`);
    this.#subjects.set(digests, subject);
    if (above === null) return notCheckable("cards", "not_sealed", "No seal holds the cards of this notebook.");
    return notCheckable("cards", "card_out_of_order", `It was recorded before ${above}.`);
  }

  /** The card above that was recorded later; null where none was. */
  #above(subject: string, { receipt }: Card): string | null {
    const opened = decoded(decodeReceipt, receipt);
    if (opened instanceof ShapeError) return null;
    const { checkpoint, index } = opened.log;
    const ledger = parseCheckpoint(checkpoint)?.ledger ?? "";
    const newest = this.#newest.get(ledger);
    if (newest !== undefined && index < newest.index) return newest.subject;
    if (index !== newest?.index) this.#newest.set(ledger, { index, subject });
    return null;
  }
}
