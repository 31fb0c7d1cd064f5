import type { TranslationBundle } from "@jupyterlab/translation";
import { isObject, own, type Verdict } from "@service-nb/records";
import type { Settings } from "../settings.js";
import type { Judged, NotebookEvidence } from "../tracking.js";
import type { EvidenceView } from "./evidence-view.js";
import { type Report, type ReportedCard, type ReportedVerdict } from "./report.js";
import { replayInWords } from "./row.js";
import { headlineOf, kindInWords, placeInWords, standingOf, tallyInWords, tallyOf } from "./words.js";

/** What the report of a notebook says now. */
export function reportOf(
  tracked: NotebookEvidence,
  replays: EvidenceView["replays"],
  settings: Settings,
  trans: TranslationBundle,
): Report {
  const { cards, seal, panel } = tracked;
  return {
    notebook: panel.context.path.split("/").at(-1) ?? "",
    madeAt: new Date().toISOString(),
    keys: settings.keys,
    contracts: settings.contracts,
    summary: tallyInWords(tallyOf(cards, trans), trans),
    seal: seal === null ? null : reported(seal, trans),
    cards: cards.map((each) => cardOf(each, replays, trans)),
  };
}

function cardOf(
  { evidence, verdict }: Judged,
  replays: EvidenceView["replays"],
  trans: TranslationBundle,
): ReportedCard {
  const replay = replays(evidence);
  return {
    place: placeInWords(evidence, trans),
    kind: kindInWords(evidence.kind, trans),
    question: evidence.question,
    id: evidence.id,
    time: evidence.time,
    signer: evidence.signer === null ? null : `${evidence.device ?? ""} ${evidence.signer}`.trim(),
    digests: digestsOf(evidence.card),
    verdict:
      verdict === null
        ? { ...standingOf(null, trans), notes: [], checks: [] }
        : reported(verdict, trans, evidence.device),
    replay: replay === undefined ? null : replayInWords(replay, trans),
  };
}

function reported(verdict: Verdict, trans: TranslationBundle, device: string | null = null): ReportedVerdict {
  const { state, label, notes, checks } = headlineOf(verdict, trans, device);
  return { state, label, notes, checks };
}

function digestsOf(card: unknown): (readonly [string, string])[] {
  const digests = isObject(card) ? own(card, "digests") : undefined;
  if (!isObject(digests)) return [];
  return Object.entries(digests).flatMap(([name, digest]) =>
    typeof digest === "string" ? [[name, digest] as const] : [],
  );
}

/** Hands a file to the reader: the browser asks where to, or puts it with the downloads. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const page = globalThis.document;
  const link = page.createElement("a");
  link.href = url;
  link.download = name;
  page.body.append(link);
  link.click();
  link.remove();
  // A download that has begun keeps what it needs; some browsers begin it in the next task.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
