import type { ICodeCellModel } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { own, type Verdict } from "@service-nb/records";
import { Signal, type ISignal } from "@lumino/signaling";
import { type Evidence, evidenceIn, movedTo } from "./evidence.js";

/** Judges a card; of equal cards it may hand out the same verdict, but for those that are asked for `anew`. */
export type JudgeCard = (card: unknown, when: "known" | "anew") => Promise<Verdict>;
/** Judges what seals a notebook, given its cards in order. */
export type JudgeSeal = (seal: unknown, cards: readonly unknown[]) => Promise<Verdict | null>;

export interface Judges {
  readonly card: JudgeCard;
  readonly seal: JudgeSeal;
}

/** A card of a notebook and, once it was reached, its verdict. */
export interface Judged {
  readonly evidence: Evidence;
  readonly verdict: Verdict | null;
}

type Cell = ReturnType<NonNullable<NotebookPanel["model"]>["cells"]["get"]>;

interface Watched {
  cards: readonly Evidence[];
  isStale: boolean;
  unwatch: () => void;
}

const SLICE_MS = 8;
const QUIET_MS = 150; // a cell that prints changes its outputs many times a second

/** The cards of one notebook and their verdicts, as cells run, come and go. Only changed cells are read again. */
export class NotebookEvidence {
  readonly panel: NotebookPanel;
  readonly #judges: Judges;
  readonly #cells = new Map<Cell, Watched>();
  readonly #verdicts = new WeakMap<object, Verdict>();
  readonly #underWay = new WeakMap<object, Promise<Verdict>>();
  readonly #changed = new Signal<this, void>(this);
  #evidence: readonly Evidence[] = [];
  #judged: readonly Judged[] = [];
  #seal: Verdict | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isShowSoon = false;
  #looked: Promise<void> | undefined;
  #round = 0;
  #isDisposed = false;

  constructor(panel: NotebookPanel, judges: Judges) {
    this.panel = panel;
    this.#judges = judges;
    panel.model?.cells.changed.connect(this.#soon, this);
    panel.model?.metadataChanged.connect(this.#soon, this);
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  get cards(): readonly Judged[] {
    return this.#judged;
  }

  /** The verdict of what seals the notebook; null where nothing does. */
  get seal(): Verdict | null {
    return this.#seal;
  }

  /** Reads the notebook once somebody wants to see its cards; before that, opening it costs nothing. */
  look(): Promise<void> {
    this.#looked ??= this.#read();
    return this.#looked;
  }

  /** Judges every card and the seal anew; tells how far it is after each. */
  async verifyAll(progress: (done: number, total: number) => void): Promise<void> {
    const cards = this.#evidence;
    for (const each of cards) this.#verdicts.delete(holderOf(each));
    this.#show();
    let done = 0;
    progress(done, cards.length);
    const judged = cards.map(async (each) => {
      await this.#judge(each, "anew");
      done += 1;
      progress(done, cards.length);
    });
    await Promise.all([...judged, this.#judgeSeal()]);
    this.#show();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    for (const watched of this.#cells.values()) watched.unwatch();
    this.#cells.clear();
    Signal.clearData(this);
  }

  #soon(): void {
    if (this.#timer !== undefined || this.#looked === undefined || this.#isDisposed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#looked = this.#read();
    }, QUIET_MS);
  }

  /** Reads the cells that changed, in slices between which the page answers, and has new cards judged. */
  async #read(): Promise<void> {
    const cells = [...(this.panel.model?.cells ?? [])];
    this.#round += 1;
    const round = this.#round;
    this.#forget(new Set(cells));
    const evidence: Evidence[] = [];
    let began = performance.now();
    for (const [index, cell] of cells.entries()) {
      if (performance.now() - began > SLICE_MS) {
        await rested();
        if (round !== this.#round || this.#isDisposed) return; // a later reading goes on
        began = performance.now();
      }
      if (!cell.isDisposed) evidence.push(...this.#cardsOf(cell, index + 1));
    }
    this.#evidence = evidence;
    this.#show();
    for (const each of evidence) void this.#judge(each);
    void this.#judgeSeal();
  }

  #forget(present: ReadonlySet<Cell>): void {
    for (const [cell, watched] of this.#cells) {
      if (present.has(cell)) continue;
      watched.unwatch();
      this.#cells.delete(cell);
    }
  }

  #cardsOf(cell: Cell, number: number): readonly Evidence[] {
    const watched = this.#cells.get(cell) ?? this.#watch(cell);
    watched.cards = watched.isStale
      ? evidenceIn({ id: cell.id, outputs: outputsOf(cell)?.toJSON() ?? [] }, number)
      : movedTo(watched.cards, number);
    watched.isStale = false;
    return watched.cards;
  }

  #watch(cell: Cell): Watched {
    const watched: Watched = { cards: [], isStale: true, unwatch: () => undefined };
    const outputs = outputsOf(cell);
    if (outputs !== undefined) {
      const stale = (): void => {
        watched.isStale = true;
        this.#soon();
      };
      outputs.changed.connect(stale);
      watched.unwatch = (): void => {
        outputs.changed.disconnect(stale);
      };
    }
    this.#cells.set(cell, watched);
    return watched;
  }

  async #judge(evidence: Evidence, when: "known" | "anew" = "known"): Promise<void> {
    const holder = holderOf(evidence);
    if (this.#verdicts.has(holder)) return;
    const underWay = this.#underWay.get(holder) ?? this.#judges.card(evidence.card, when);
    this.#underWay.set(holder, underWay);
    const verdict = await underWay;
    this.#underWay.delete(holder);
    this.#verdicts.set(holder, verdict);
    this.#showSoon();
  }

  async #judgeSeal(): Promise<void> {
    const seal = own(this.panel.model?.metadata ?? {}, "service_nb");
    const cards = this.#evidence;
    const verdict =
      seal === undefined
        ? null
        : await this.#judges.seal(
            seal,
            cards.map((each) => each.card),
          );
    if (cards !== this.#evidence || verdict === this.#seal) return; // a later reading has its own
    this.#seal = verdict;
    this.#showSoon();
  }

  /** Verdicts come by the hundred: what shows them is told once a frame. */
  #showSoon(): void {
    if (this.#isShowSoon) return;
    this.#isShowSoon = true;
    requestAnimationFrame(() => {
      this.#isShowSoon = false;
      if (!this.#isDisposed) this.#show();
    });
  }

  #show(): void {
    this.#judged = this.#evidence.map((evidence) => ({
      evidence,
      verdict: this.#verdicts.get(holderOf(evidence)) ?? null,
    }));
    this.#changed.emit();
  }
}

function rested(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** What a verdict is remembered by: the card itself, unless what stands in its place is not even an object. */
function holderOf(evidence: Evidence): object {
  const { card } = evidence;
  return typeof card === "object" && card !== null ? card : evidence;
}

function outputsOf(cell: Cell): ICodeCellModel["outputs"] | undefined {
  return cell.type === "code" ? (cell as ICodeCellModel).outputs : undefined;
}
