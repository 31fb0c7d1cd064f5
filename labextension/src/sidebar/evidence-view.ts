import type { TranslationBundle } from "@jupyterlab/translation";
import { ClientError, type Client } from "@service-nb/link";
import type { JsonObject } from "@service-nb/records";
import type { Evidence } from "../evidence.js";
import { Queue, type Waiting } from "../queue.js";
import type { Change, Judged, NotebookEvidence } from "../tracking.js";
import { allow, button, make, setText } from "./dom.js";
import { Progress } from "./progress.js";
import { canReplay, EvidenceRow, replayInWords, type ReplayState } from "./row.js";
import { type Situation, whyNot } from "./state.js";
import { oneStop, walkable } from "./walk.js";
import { unsealedInWords } from "./unsealed.js";
import { headlineOf, placeInWords, standingOf, tallyInWords, tallyOf } from "./words.js";

export interface EvidenceActions {
  readonly report: () => void;
  /** Puts `%load_ext service_nb` into a cell and runs it. */
  readonly load: () => void;
  /** Shows the reader where a card stands. */
  readonly goTo: (evidence: Evidence) => void;
}

/**
 * All cards of the notebook in order, each with its verdict; what is done with all of them. Rows are made and changed in
 * slices, each only when something about it is another, and none while nobody sees them.
 */
export class EvidenceView {
  readonly node: HTMLElement;
  readonly #trans: TranslationBundle;
  readonly #actions: EvidenceActions;
  readonly #queue: Queue;
  readonly #rows = new Map<string, EvidenceRow>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #replays = new WeakMap<object, ReplayState>();
  readonly #summary = make("p", { class: "service-side-summary", role: "status" });
  readonly #replayed = make("p", { class: "service-side-note", role: "status", hidden: true });
  readonly #seal = make("p", { class: "service-side-seal", hidden: true });
  readonly #note = make("p", { class: "service-side-note", hidden: true });
  readonly #load: HTMLButtonElement;
  readonly #grid: HTMLElement;
  readonly #filter = make("input", { type: "checkbox" });
  readonly #filterLabel: HTMLElement;
  readonly #progress: Progress;
  readonly #verify: HTMLButtonElement;
  readonly #replay: HTMLButtonElement;
  readonly #report: HTMLButtonElement;
  #evidence: NotebookEvidence | null = null;
  #situation: Situation = { panel: null, link: { is: "no_notebook" }, isBusy: false };
  #run: { isStopped: boolean } | null = null;
  #places = new Map<string, number>(); // in the list of cards, by their keys
  #reason: string | null = null; // why nothing can be replayed
  #arranging: Waiting | undefined;
  #isShown = false;

  constructor(actions: EvidenceActions, trans: TranslationBundle, queue = new Queue()) {
    this.#trans = trans;
    this.#queue = queue;
    this.#actions = actions;
    this.#grid = make("div", {
      role: "grid",
      class: "service-side-rows",
      "aria-label": trans.__("Cards of this notebook"),
    });
    walkable(this.#grid);
    this.#progress = new Progress(trans.__("Cancel"));
    this.#verify = button(trans.__("Verify all"), () => void this.verifyAll());
    this.#replay = button(trans.__("Replay all"), () => void this.replayAll());
    this.#report = button(trans.__("Export report"), () => {
      this.#actions.report();
    });
    this.#load = button(trans.__("Load service_nb"), () => {
      this.#actions.load();
    });
    this.#filter.addEventListener("change", () => {
      this.show();
    });
    this.#filterLabel = make("label", { class: "service-side-check" }, this.#filter, trans.__("Only problems"));
    const group = make(
      "div",
      { class: "service-side-actions", role: "group", "aria-label": trans.__("All cards") },
      this.#verify,
      this.#replay,
      this.#report,
    );
    const head = make(
      "div",
      { class: "service-side-head" },
      this.#summary,
      this.#replayed,
      this.#seal,
      group,
      this.#note,
      this.#load,
    );
    this.node = make("div", {}, head, this.#progress.node, this.#filterLabel, this.#grid);
  }

  /** Shows the cards of another notebook, or that there is none. */
  track(evidence: NotebookEvidence | null): void {
    if (this.#run !== null) this.#run.isStopped = true;
    this.#evidence?.changed.disconnect(this.#onChange, this);
    this.#evidence = evidence;
    evidence?.changed.connect(this.#onChange, this);
    this.#replayed.hidden = true;
    this.show();
  }

  /** Says whether the list is seen. What changed meanwhile is shown when it is. */
  reveal(isShown: boolean): void {
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    this.show();
  }

  situate(situation: Situation): void {
    const before = whyNot(this.#situation, this.#trans);
    this.#situation = situation;
    if (whyNot(situation, this.#trans) !== before) this.show();
  }

  get cards(): readonly Judged[] {
    return this.#evidence?.cards ?? [];
  }

  /** What came of the replays of this session, a line each. */
  replayed(): readonly string[] {
    return this.cards.flatMap(({ evidence }) => {
      const state = this.#replays.get(keyOf(evidence));
      return state === undefined
        ? []
        : [`${placeInWords(evidence, this.#trans)}: ${replayInWords(state, this.#trans)}`];
    });
  }

  /** The reader trusts or knows something else: every verdict is another. */
  reconsider(): void {
    this.#evidence?.reconsider();
  }

  /** Judges every card anew. Returns what came of it in words. */
  async verifyAll(): Promise<string> {
    const evidence = this.#evidence;
    await evidence?.look();
    if (evidence === null || evidence.cards.length === 0) return this.#summaryWords();
    await evidence.verifyAll((done, total) => {
      if (this.#run !== null) return; // a replay has the bar
      this.#progress.show(this.#trans.__("Verified %1 of %2", String(done), String(total)), done, total);
    });
    if (this.#run === null) this.#progress.hide();
    return this.#summaryWords();
  }

  /** Runs every answer again, one by one. Returns what came of it in words. */
  async replayAll(): Promise<string> {
    await this.#evidence?.look();
    return await this.#replayEach(this.cards.map(({ evidence }) => evidence).filter(canReplay));
  }

  /** Runs one answer again, by its name in the ledger. */
  async replay(id: string): Promise<string> {
    await this.#evidence?.look();
    return await this.#replayEach(this.cards.map(({ evidence }) => evidence).filter((each) => each.id === id));
  }

  show(): void {
    if (!this.#isShown) return;
    this.#showHead();
    this.#places = new Map(this.cards.map(({ evidence }, place) => [evidence.key, place]));
    this.#dropRows();
    this.#showRows(this.#places.keys());
    this.#grid.hidden = this.#places.size === 0;
  }

  #onChange(_sender: NotebookEvidence, { isOtherCards, judged }: Change): void {
    if (!this.#isShown) return;
    if (isOtherCards) {
      this.show();
      return;
    }
    this.#showHead();
    this.#showRows(judged);
  }

  #showHead(): void {
    const trans = this.#trans;
    const cards = this.cards;
    setText(this.#summary, this.#summaryWords());
    this.#showSeal();
    this.#reason = this.#whyNoReplay();
    allow(this.#verify, cards.length === 0 ? trans.__("There are no cards.") : null);
    allow(this.#report, cards.length === 0 ? trans.__("There are no cards.") : null);
    allow(this.#replay, this.#reason);
    this.#note.hidden = cards.length === 0 || this.#situation.link.is === "ready";
    this.#load.hidden = cards.length === 0 || this.#situation.link.is !== "not_loaded";
    const why = whyNot(this.#situation, trans);
    if (why !== null) setText(this.#note, trans.__("Verified from the notebook itself. Replay is off: %1", why));
    this.#filterLabel.hidden = cards.length === 0;
  }

  #summaryWords(): string {
    const trans = this.#trans;
    if (this.#evidence === null) return trans.__("Open a notebook to see its cards.");
    const { cards } = this.#evidence;
    if (cards.length === 0) {
      return trans.__("This notebook has no cards yet. A question or a computation leaves one in its output.");
    }
    return tallyInWords(tallyOf(cards, trans), trans);
  }

  #showSeal(): void {
    const trans = this.#trans;
    const seal = this.#evidence?.seal ?? null;
    const isOpen = this.#evidence?.isSealed === false && this.cards.length > 0;
    this.#seal.hidden = seal === null && !isOpen;
    if (seal === null) {
      this.#seal.dataset["state"] = "not_checkable";
      setText(this.#seal, isOpen ? unsealedInWords(this.cards, trans) : "");
      return;
    }
    const { state, label } = headlineOf(seal, trans);
    this.#seal.dataset["state"] = state;
    const isOthers = seal.checks.some(({ status }) => status === "not_checkable");
    const told =
      state !== "altered"
        ? trans.__("✓ Sealed: these cards, in this order.")
        : // What a seal says is about the list of cards, not about one of them.
          trans.__("✕ Seal: %1", label);
    setText(this.#seal, isOthers ? `${told} ${trans.__("Whose key sealed it is not proven.")}` : told);
  }

  #dropRows(): void {
    for (const [key, row] of this.#rows) {
      if (this.#places.has(key)) continue;
      row.node.remove();
      this.#rows.delete(key);
    }
    for (const waiting of this.#waiting.values()) waiting.dispose(); // in another order now
    this.#waiting.clear();
  }

  #showRows(keys: Iterable<string>): void {
    if (!this.#isShown) return;
    for (const key of keys) {
      if (this.#waiting.has(key)) continue;
      const work = (): void => {
        this.#waiting.delete(key);
        this.#showRow(key);
      };
      this.#waiting.set(key, this.#queue.add(work));
    }
    this.#arranging?.dispose(); // once for all of them
    this.#arranging = this.#queue.add(() => {
      oneStop(this.#grid);
    });
  }

  #showRow(key: string): void {
    const place = this.#places.get(key);
    const judged = place === undefined ? undefined : this.cards[place];
    if (place === undefined || judged?.evidence.key !== key) return; // the list is another, and will be told
    const row = this.#rowOf(judged);
    row.allowReplay(this.#reason);
    row.showReplay(this.#replays.get(keyOf(judged.evidence)));
    row.node.hidden = this.#filter.checked && !this.#isProblem(judged);
    const before = this.#rowBefore(place);
    const next = before === null ? this.#grid.firstElementChild : before.nextElementSibling;
    if (next !== row.node) this.#grid.insertBefore(row.node, next);
  }

  /** The row after which a card stands: the nearest before it that is made. */
  #rowBefore(place: number): Element | null {
    for (let each = place - 1; each >= 0; each -= 1) {
      const row = this.#rows.get(this.cards[each]?.evidence.key ?? "");
      if (row !== undefined) return row.node;
    }
    return null;
  }

  #rowOf(judged: Judged): EvidenceRow {
    const known = this.#rows.get(judged.evidence.key);
    if (known !== undefined) {
      known.update(judged);
      return known;
    }
    const actions = {
      goTo: this.#actions.goTo,
      replay: (evidence: Evidence): void => void this.#replayEach([evidence]),
    };
    const row = new EvidenceRow(judged, actions, this.#trans);
    this.#rows.set(judged.evidence.key, row);
    return row;
  }

  #isProblem(judged: Judged): boolean {
    const replay = this.#replays.get(keyOf(judged.evidence));
    const isReplayBad = replay?.is === "failed" || (replay?.is === "done" && replay.replayed.status !== "identical");
    return isReplayBad || ["altered", "not_checkable"].includes(standingOf(judged, this.#trans).state);
  }

  #whyNoReplay(): string | null {
    if (this.#run !== null) return this.#trans.__("A replay is running.");
    const why = whyNot(this.#situation, this.#trans);
    if (why !== null) return why;
    return this.cards.some(({ evidence }) => canReplay(evidence)) ? null : this.#trans.__("No card can be replayed.");
  }

  async #replayEach(cards: readonly Evidence[]): Promise<string> {
    const trans = this.#trans;
    const { link } = this.#situation;
    if (this.#run !== null || link.is !== "ready") return this.#whyNoReplay() ?? "";
    const run: { isStopped: boolean } = { isStopped: false };
    this.#run = run;
    let done = 0;
    for (const evidence of cards) {
      if (run.isStopped) break;
      done += 1;
      const words = trans.__("Replaying %1 of %2", String(done), String(cards.length));
      this.#progress.show(words, done - 1, cards.length, () => {
        run.isStopped = true;
        this.#progress.show(trans.__("Stopping after this one…"), done, cards.length);
      });
      this.#replays.set(keyOf(evidence), { is: "running" });
      if (done === 1)
        this.show(); // no other can be replayed now
      else this.#showRows([evidence.key]);
      this.#replays.set(keyOf(evidence), await replayed(link.client, evidence));
      this.#showRows([evidence.key]);
    }
    this.#run = null;
    this.#progress.hide();
    this.show();
    return this.#replaySummary(cards);
  }

  #replaySummary(cards: readonly Evidence[]): string {
    const counts = { identical: 0, differs: 0, refused: 0, failed: 0 };
    for (const evidence of cards) {
      const state = this.#replays.get(keyOf(evidence));
      if (state?.is === "done") counts[state.replayed.status] += 1;
      else if (state?.is === "failed") counts.failed += 1;
    }
    const told = this.#trans.__(
      "%1 identical, %2 differ, %3 not replayed",
      String(counts.identical),
      String(counts.differs),
      String(counts.refused + counts.failed),
    );
    this.#replayed.hidden = false;
    setText(this.#replayed, this.#trans.__("Replay: %1", told));
    return told;
  }
}

/** A replay is remembered with the card itself: another card in the same place has none. */
function keyOf({ card, key }: Evidence): object {
  return typeof card === "object" && card !== null ? card : { key };
}

/** Asks with the card too: an id is no more than what a card says of itself, and a changed card keeps it. */
async function replayed(client: Client, { id, card }: Evidence): Promise<ReplayState> {
  try {
    return { is: "done", replayed: await client.ask("replay", { id: id ?? "", card: card as JsonObject }) };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { is: "failed", why: `${error.message} (${error.code})`, hint: error.hint };
  }
}
