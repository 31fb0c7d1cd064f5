// @vitest-environment jsdom
import { nullTranslator } from "@jupyterlab/translation";
import { Signal } from "@lumino/signaling";
import { CARD_MIME, type Verdict } from "@service-nb/records";
import { verifyCard } from "@service-nb/verify";
import { beforeEach, describe, expect, it } from "vitest";
import { evidenceIn } from "../src/evidence.js";
import { Queue } from "../src/queue.js";
import { EvidenceView } from "../src/sidebar/evidence-view.js";
import type { Change, Judged, NotebookEvidence } from "../src/tracking.js";
import { SlowPage } from "./surroundings.js";
import { firstDocument } from "./vectors.js";

const CARD = JSON.parse(firstDocument("cards")) as { view: Record<string, unknown> };
const VERDICT = verifyCard(CARD);

/** What the list of cards is told by the tracking of a notebook. */
class Told {
  readonly changed = new Signal<this, Change>(this);
  readonly seal = null;
  cards: Judged[] = [];

  become(ids: readonly string[]): void {
    this.cards = ids.map((id, at) => judged(id, at + 1, null));
    this.changed.emit({ isOtherCards: true, judged: new Set() });
  }

  judge(id: string, verdict: Verdict): void {
    this.cards = this.cards.map((each) => (each.evidence.key === `${id}/0` ? { ...each, verdict } : each));
    this.changed.emit({ isOtherCards: false, judged: new Set([`${id}/0`]) });
  }
}

function judged(id: string, number: number, verdict: Verdict | null): Judged {
  const outputs = [
    { output_type: "display_data", data: { [CARD_MIME]: { ...CARD, view: { ...CARD.view, question: id } } } },
  ];
  const [evidence] = evidenceIn({ id, outputs }, number);
  if (evidence === undefined) throw new Error("there is no card in the cell");
  return { evidence, verdict };
}

let page: SlowPage;
let told: Told;
let view: EvidenceView;

beforeEach(() => {
  page = new SlowPage();
  told = new Told();
  const nothing = (): void => undefined;
  const actions = { report: nothing, load: nothing, goTo: nothing };
  view = new EvidenceView(actions, nullTranslator.load(""), new Queue(1, page));
  view.track(told as unknown as NotebookEvidence);
});

function rows(): HTMLElement[] {
  return [...view.node.querySelectorAll<HTMLElement>("[role=row]")];
}

function names(): (string | null | undefined)[] {
  return rows().map((row) => row.querySelector(".service-side-row-question")?.textContent);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await page.turn();
}

describe("the list of cards", () => {
  it("makes no row while nobody sees it, and all of them when somebody does", async () => {
    told.become(["a", "b"]);
    told.judge("a", VERDICT);
    await settled();
    expect([rows(), page.rests]).toEqual([[], 0]);
    view.reveal(true);
    await settled();
    expect(names()).toEqual(["a", "b"]);
  });

  it("changes only the row of which there is a verdict", async () => {
    view.reveal(true);
    told.become(["a", "b", "c"]);
    await settled();
    const before = rows();
    const changed: Node[] = [];
    const watcher = new MutationObserver((records) => void changed.push(...records.map(({ target }) => target)));
    watcher.observe(view.node.querySelector("[role=grid]") ?? view.node, {
      attributes: true,
      childList: true,
      subtree: true,
    });
    told.judge("b", VERDICT);
    await settled();
    watcher.disconnect();
    expect(rows()).toEqual(before);
    expect(before.map((row) => changed.some((node) => row.contains(node)))).toEqual([false, true, false]);
  });

  it("keeps the rows of cards that stay, in the order of the notebook", async () => {
    view.reveal(true);
    told.become(["a", "b", "c", "d"]);
    await settled();
    const [a, b, , d] = rows();
    told.become(["d", "new", "b", "a"]);
    await settled();
    expect(names()).toEqual(["d", "new", "b", "a"]);
    expect([rows()[0], rows()[2], rows()[3]]).toEqual([d, b, a]);
  });

  it("is one stop of Tab", async () => {
    view.reveal(true);
    told.become(["a", "b"]);
    await settled();
    const stops = rows().flatMap((row) => [...row.querySelectorAll("button")].filter(({ tabIndex }) => tabIndex === 0));
    expect(stops).toHaveLength(1);
  });
});
