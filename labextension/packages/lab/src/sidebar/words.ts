import type { CardKind, Verdict } from "@service-nb/records";
import { headline, type Headline } from "@service-nb/cards";
import type { TranslationBundle } from "@jupyterlab/translation";
import type { Evidence } from "../evidence.js";
import type { Judged } from "../tracking.js";
import { sayIn } from "../translation.js";

/** How a verdict stands in a list: a sign and words. */
export interface Standing {
  readonly state: Headline["state"] | "pending";
  readonly sign: string;
  readonly label: string;
}

const SIGNS: Readonly<Record<Standing["state"], string>> = {
  verified: "✓",
  unaltered: "○",
  consistent: "○",
  not_checkable: "?",
  altered: "✗",
  pending: "…",
};

const standings = new WeakMap<Verdict, Standing>();

/** A verdict never changes, so its words are found once. */
export function standingOf(verdict: Verdict | null, trans: TranslationBundle): Standing {
  if (verdict === null) return { state: "pending", sign: SIGNS.pending, label: trans.__("Verifying…") };
  const known = standings.get(verdict);
  if (known !== undefined) return known;
  const { state, label } = headlineOf(verdict, trans);
  const standing = { state, sign: SIGNS[state], label };
  standings.set(verdict, standing);
  return standing;
}

/** The headline of a verdict in the reader's language. */
export function headlineOf(verdict: Verdict, trans: TranslationBundle, signer: string | null = null): Headline {
  return headline(verdict, signer === null ? { say: sayIn(trans) } : { say: sayIn(trans), signer });
}

export function kindInWords(kind: CardKind | null, trans: TranslationBundle): string {
  switch (kind) {
    case "query":
      return trans.__("question");
    case "computation":
      return trans.__("computation");
    case "clarification":
      return trans.__("needs clarification");
    case "rejection":
      return trans.__("rejected question");
    case "error":
      return trans.__("error");
    case "replay":
      return trans.__("replay");
    case null:
      return trans.__("unknown kind");
  }
}

/** How many cards stand how. */
export type Tally = Readonly<Record<Standing["state"], number>>;

export function tallyOf(cards: readonly Judged[], trans: TranslationBundle): Tally {
  const tally = { verified: 0, unaltered: 0, consistent: 0, not_checkable: 0, altered: 0, pending: 0 };
  for (const { verdict } of cards) tally[standingOf(verdict, trans).state] += 1;
  return tally;
}

/** "12 verified, 1 altered" */
export function tallyInWords(tally: Tally, trans: TranslationBundle): string {
  const parts: readonly (readonly [number, string])[] = [
    [tally.verified, trans.__("%1 verified")],
    [tally.unaltered, trans.__("%1 unaltered, by an unknown key")],
    [tally.consistent, trans.__("%1 consistent, unsigned")],
    [tally.not_checkable, trans.__("%1 not checkable here")],
    [tally.altered, trans.__("%1 altered")],
    [tally.pending, trans.__("verifying %1")],
  ];
  return parts.flatMap(([count, words]) => (count > 0 ? [words.replace("%1", String(count))] : [])).join(", ");
}

/** "[5]" as the prompt of the cell says, or "cell 3" where it has none; "[5], output 2" where there are several. */
export function placeInWords(
  { cell, output, prompt }: Pick<Evidence, "cell" | "output" | "prompt">,
  trans: TranslationBundle,
): string {
  const where = prompt === null ? trans.__("cell %1", String(cell)) : `[${String(prompt)}]`;
  return output === 1 ? where : trans.__("%1, output %2", where, String(output));
}
