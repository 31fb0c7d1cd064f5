import type { TranslationBundle } from "@jupyterlab/translation";
import { CardsMet } from "@service-nb/verify";
import { cardOf } from "../evidence.js";
import type { Judged } from "../tracking.js";
import { placeInWords } from "./words.js";

/** What is said of a notebook that is not sealed: that its cards may be others, and what can be seen of their order. */
export function unsealedInWords(cards: readonly Judged[], trans: TranslationBundle): string {
  const met = new CardsMet();
  const named = cards.flatMap(({ evidence, verdict }) => {
    const card = evidence.isShown ? cardOf(evidence.card) : null;
    if (card === null) return [];
    const isLogged =
      verdict?.checks.some(({ check, status }) => check === "checkpoint" && status === "passed") === true;
    const place = placeInWords(evidence, trans);
    const { cause, message } = met.check(place, card, isLogged);
    return cause === "not_sealed" ? [] : [`${place}: ${message}`];
  });
  return [trans.__("Not sealed: order and completeness are open."), ...named].join(" ");
}
