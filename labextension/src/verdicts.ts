// What the renderer, the viewer and the sidebar of one page share: one judge, and what it has said.
import { CARD_MIME, isObject, own, type Verdict } from "@service-nb/records";
import { OWN_CONTRACT } from "./contract.js";
import { judgeInSlices } from "./judge.js";
import { judgeElsewhere } from "./judge-elsewhere.js";
import { type Following, Judging, type Terms } from "./judging.js";
import type { CardOutput } from "./output.js";
import type { Waiting } from "./queue.js";

export type { Following, Terms } from "./judging.js";

// A file of our own server, and no blob: that is allowed where `worker-src` is 'self' or nothing is said.
const judging = new Judging(
  judgeElsewhere(
    () => new Worker(new URL("./judge-worker.js", import.meta.url), { name: "service-nb-verifier" }),
    judgeInSlices(),
  ),
);

// What holds before the settings are read, or where there are none.
judging.setTerms({ keys: [], contracts: [OWN_CONTRACT] });

/** Calls back when a card was judged whose signer nobody here knows. */
export function onUnknownSigner(listener: () => void): void {
  judging.onVerdict((verdict) => {
    if (verdict.checks.some(({ cause }) => cause === "unknown_signer")) listener();
  });
}

/** The verdict of a card where it stands, as it was parsed; `anew`, whatever is remembered. Nothing runs before the caller goes on. */
export function verdictOf(output: CardOutput, when: "known" | "anew"): Promise<Verdict> {
  return judging.of(output, when);
}

/** The verdicts of a document by its text: a card, a notebook with its index, a ledger document. */
export function verdictsOfDocument(text: string): Promise<readonly Verdict[]> {
  return judging.ofDocument(text);
}

/** The verdict of a seal, which needs of each card its digests alone, and of the notebook nothing else. */
export async function verdictOfSeal(seal: unknown, cards: readonly unknown[]): Promise<Verdict | null> {
  const cells = cards.map((card) => ({
    cell_type: "code",
    outputs: [
      {
        output_type: "display_data",
        data: { [CARD_MIME]: isObject(card) ? { digests: own(card, "digests") } : card },
      },
    ],
  }));
  const verdicts = await verdictsOfDocument(JSON.stringify({ nbformat: 4, cells, metadata: { service_nb: seal } }));
  return verdicts.at(-1) ?? null;
}

/** Tells the verdict of a card that is shown in an element, and again when the terms change. */
export function followVerdict(output: CardOutput, told: (verdict: Verdict) => void, element: Element): Following {
  return judging.follow(output, told, element);
}

/** Judges a card that will be shown, as soon as its turn has come; it is read then. */
export function judgeAhead(read: () => CardOutput): Waiting {
  return judging.ahead(read);
}

/** Sets what the reader trusts and knows: all that is on screen is judged anew. */
export function setTerms(terms: Terms): void {
  judging.setTerms(terms);
}

/** Calls back when the terms have changed; returns how to stop. */
export function onTerms(listener: () => void): () => void {
  return judging.onTerms(listener);
}
