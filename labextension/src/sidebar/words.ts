import type { CardKind, Verdict } from "@service-nb/records";
import { type Context, headline, type Headline, wordsOf } from "@service-nb/cards";
import type { TranslationBundle } from "@jupyterlab/translation";
import type { Evidence } from "../evidence.js";
import type { Judged } from "../tracking.js";
import { ownerOf } from "../environment.js";
import { sayIn } from "../translation.js";

/** How a verdict stands in a list: a sign and words. */
export interface Standing {
  readonly state: Headline["state"] | "pending";
  readonly sign: string;
  readonly label: string;
}

const standings = new WeakMap<Verdict, Standing>();

/** How a card stands. Its verdict never changes, so its words are found once. */
export function standingOf({ verdict, evidence }: Judged, trans: TranslationBundle): Standing {
  if (verdict === null) return { state: "pending", sign: "…", label: trans.__("Verifying…") };
  const known = standings.get(verdict);
  if (known !== undefined) return known;
  const { state, sign, label } = headlineOf(verdict, trans, signerOf(evidence));
  const standing = { state, sign, label };
  standings.set(verdict, standing);
  return standing;
}

/** The headline of a verdict in the reader's language. */
export function headlineOf(verdict: Verdict, trans: TranslationBundle, context: Context = {}): Headline {
  return headline(verdict, { ...context, say: sayIn(trans) });
}

/** Who signed a card, as its words need it. */
export function signerOf({ device, signer }: Evidence): Context {
  if (signer === null) return {};
  return { signer: device ?? undefined, key: signer, owner: ownerOf(signer) };
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
  for (const each of cards) tally[standingOf(each, trans).state] += 1;
  return tally;
}

const ORDER = ["verified", "unaltered", "consistent", "not_checkable", "altered"] as const;

/** "12 verified, 1 altered": the words of the verdicts, in their order, as the command counts them. */
export function tallyInWords(tally: Tally, trans: TranslationBundle): string {
  const told = ORDER.filter((state) => tally[state] > 0).map(
    (state) => `${String(tally[state])} ${sayIn(trans)(wordsOf(state).word).toLowerCase()}`,
  );
  return [...told, ...(tally.pending > 0 ? [trans.__("verifying %1", String(tally.pending))] : [])].join(", ");
}

/** "[5]" as the prompt of the cell says, or "cell 3" where it has none; "[5], output 2" where there are several. */
export function placeInWords(
  { cell, output, prompt }: Pick<Evidence, "cell" | "output" | "prompt">,
  trans: TranslationBundle,
): string {
  const where = prompt === null ? trans.__("cell %1", String(cell)) : `[${String(prompt)}]`;
  return output === 1 ? where : trans.__("%1, output %2", where, String(output));
}
