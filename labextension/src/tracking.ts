import type { ICodeCellModel } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { type Check, failed, own, verdict, type Verdict } from "@service-nb/records";
import { cardsAmong, outputsIn, verdictIn } from "@service-nb/verify";
import { Signal, type ISignal } from "@lumino/signaling";
import { type Evidence, evidenceIn, movedTo, withOwnKeys } from "./evidence.js";
import { checkCellIn } from "./cell-sources.js";
import type { CardOutput } from "./output.js";
import { Queue, type Waiting } from "./queue.js";

/** Judges a card where it stands; of equals it may hand out the same verdict, but for what is asked for `anew`. */
export type JudgeCard = (output: CardOutput, when: "known" | "anew") => Promise<Verdict>;
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

interface InCell {
  readonly met: Verdict;
  readonly check: Check;
  readonly verdict: Verdict;
}

/** What is told: whether there are other cards now, and which of them have another verdict. */
export interface Change {
  readonly isOtherCards: boolean;
  /** By the keys of their evidence. */
  readonly judged: ReadonlySet<string>;
}

const QUIET_MS = 150; // a cell that prints changes its outputs many times a second
const TELL_MS = 250; // verdicts come by the hundred, and nobody reads faster

/**
 * The cards of one notebook and their verdicts, as cells run, come and go. Only changed cells are read again, and nothing
 * at all happens while nobody watches: what shows the notebook itself has the page first.
 */
export class NotebookEvidence {
  readonly panel: NotebookPanel;
  readonly #judges: Judges;
  readonly #queue: Queue;
  readonly #cells = new Map<Cell, Watched>();
  readonly #changed = new Signal<this, Change>(this);
  readonly #awaiting: (() => void)[] = [];
  #verdicts = new WeakMap<object, Verdict>();
  #underWay = new WeakMap<object, Promise<Verdict>>();
  #inCells = new WeakMap<object, InCell>();
  #evidence: readonly Evidence[] = [];
  #judged: readonly Judged[] | undefined;
  #seal: Verdict | null = null;
  #reading: Waiting[] = [];
  #untold = new Set<string>();
  #isOtherCards = false;
  #isStale = true;
  #isEdited = false;
  #isWatched = false;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(panel: NotebookPanel, judges: Judges, queue = new Queue()) {
    this.panel = panel;
    this.#judges = judges;
    this.#queue = queue;
    panel.model?.cells.changed.connect(this.#soon, this);
    panel.model?.metadataChanged.connect(this.#soon, this);
  }

  get changed(): ISignal<this, Change> {
    return this.#changed;
  }

  get cards(): readonly Judged[] {
    this.#judged ??= this.#evidence.map((evidence) => this.#judgedOf(evidence));
    return this.#judged;
  }

  /** Whether something seals the notebook, judged already or not. */
  get isSealed(): boolean {
    return own(this.panel.model?.metadata ?? {}, "service_nb") !== undefined;
  }

  /** The verdict of what seals the notebook; null where nothing does. */
  get seal(): Verdict | null {
    return this.#seal;
  }

  /** Says whether somebody watches. Nothing is read and nothing is told while nobody does; what was missed is, then. */
  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (!isWatched) return;
    void this.look();
    if (this.#isOtherCards || this.#isEdited || this.#untold.size > 0) this.#tell();
  }

  /** Reads what is not read yet, because somebody wants to know the cards; before that, opening a notebook costs nothing. */
  look(): Promise<void> {
    if (this.#isDisposed) return Promise.resolve();
    if (this.#isStale) this.#read();
    if (this.#reading.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#awaiting.push(resolve));
  }

  /** A card with its verdict, as soon as there is one. */
  async settled({ evidence }: Judged): Promise<Judged> {
    await this.#judge(evidence);
    return this.#judgedOf(evidence);
  }

  /** Judges every card and the seal anew; tells how far it is, as often as can be read. */
  async verifyAll(progress: (done: number, total: number) => void): Promise<void> {
    const cards = this.#evidence;
    this.#forgetVerdicts();
    this.#tell();
    let done = 0;
    let told = performance.now();
    progress(done, cards.length);
    const judged = cards.map(async (each) => {
      await this.#inTurn(() => this.#judge(each, "anew"));
      done += 1;
      if (done < cards.length && performance.now() - told < TELL_MS) return;
      told = performance.now();
      progress(done, cards.length);
    });
    await Promise.all([...judged, this.#judgeSeal()]);
    this.#tell();
  }

  /** The reader trusts or knows something else: no verdict holds any more. */
  reconsider(): void {
    this.#forgetVerdicts();
    if (this.#isWatched) this.#judgeAll();
    else this.#isStale = true; // whoever looks has it judged
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#quiet);
    clearTimeout(this.#telling);
    this.#stopReading();
    for (const watched of this.#cells.values()) watched.unwatch();
    this.#cells.clear();
    this.#releaseAwaiting();
    Signal.clearData(this);
  }

  #soon(): void {
    this.#isStale = true;
    if (this.#quiet !== undefined || !this.#isWatched || this.#isDisposed) return;
    this.#quiet = setTimeout(() => {
      if (this.#isWatched) this.#read();
      else this.#quiet = undefined;
    }, QUIET_MS);
  }

  /** Reads the cells that changed, in slices between which the page answers, and has new cards judged. */
  #read(): void {
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    this.#stopReading(); // this one goes on, and what was read is read
    this.#isStale = false;
    const cells = [...(this.panel.model?.cells ?? [])];
    this.#forget(new Set(cells));
    const evidence: Evidence[] = [];
    const steps = cells.map((cell, index) => (): void => {
      if (!cell.isDisposed) evidence.push(...this.#cardsOf(cell, index + 1));
    });
    const last = (): void => {
      this.#take(evidence);
    };
    this.#reading = [...steps, last].map((step) => this.#queue.add(step));
  }

  #stopReading(): void {
    for (const each of this.#reading.splice(0)) each.dispose();
  }

  #take(evidence: readonly Evidence[]): void {
    this.#reading = [];
    this.#evidence = withOwnKeys(evidence);
    this.#judged = undefined;
    this.#isOtherCards = true;
    this.#tell();
    this.#releaseAwaiting();
    this.#judgeAll();
  }

  #releaseAwaiting(): void {
    for (const resolve of this.#awaiting.splice(0)) resolve();
  }

  #judgeAll(): void {
    for (const each of this.#evidence) {
      if (this.#verdicts.has(holderOf(each))) continue;
      this.#queue.add(() => {
        if (!this.#isDisposed) void this.#judge(each);
      });
    }
    void this.#judgeSeal();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.add(() => void work().then(resolve, reject));
    });
  }

  #forgetVerdicts(): void {
    this.#verdicts = new WeakMap();
    this.#underWay = new WeakMap();
    this.#judged = undefined;
    for (const each of this.#evidence) this.#untold.add(each.key);
    this.#tellSoon();
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
      ? evidenceIn({ id: cell.id, prompt: promptOf(cell), outputs: outputsOf(cell)?.toJSON() ?? [] }, number)
      : movedTo(watched.cards, number, promptOf(cell));
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
      const edited = (): void => {
        if (watched.cards.some(({ prompt }) => prompt !== promptOf(cell))) this.#soon();
        this.#isEdited = true;
        this.#tellSoon();
      };
      outputs.changed.connect(stale);
      cell.contentChanged.connect(edited);
      watched.unwatch = (): void => {
        outputs.changed.disconnect(stale);
        cell.contentChanged.disconnect(edited);
      };
    }
    this.#cells.set(cell, watched);
    return watched;
  }

  async #judge(evidence: Evidence, when: "known" | "anew" = "known"): Promise<void> {
    const holder = holderOf(evidence);
    if (when === "known" && this.#verdicts.has(holder)) return;
    const before = when === "anew" ? undefined : this.#underWay.get(holder);
    const underWay = before ?? this.#judgeNow(evidence, when);
    this.#underWay.set(holder, underWay);
    const verdict = await underWay;
    if (this.#underWay.get(holder) !== underWay) return; // somebody else took it, or it was asked for anew
    this.#underWay.delete(holder);
    this.#verdicts.set(holder, verdict);
    this.#judged = undefined;
    this.#untold.add(evidence.key);
    this.#tellSoon();
  }

  #judgeNow({ card, others, face, isShown }: Evidence, when: "known" | "anew"): Promise<Verdict> {
    if (!isShown) {
      return Promise.resolve(verdict("card", [failed("form", "card_not_shown", "No viewer shows the card here.")]));
    }
    if (face === null) return this.#judges.card({ card, others }, when);
    const message = `Faces that service_nb ${face} wrote are here, and their card is not.`;
    return Promise.resolve(verdict("card", [failed("faces", "card_missing", message)]));
  }

  async #judgeSeal(): Promise<void> {
    const metadata = this.panel.model?.metadata ?? {};
    const seal = own(metadata, "service_nb");
    const cards = this.#evidence;
    const verdict = seal === undefined ? null : await this.#judges.seal(seal, cardsOf(cards, metadata));
    if (cards !== this.#evidence || verdict === this.#seal) return; // a later reading has its own
    this.#seal = verdict;
    this.#tellSoon();
  }

  #judgedOf(evidence: Evidence): Judged {
    const met = this.#verdicts.get(holderOf(evidence));
    return { evidence, verdict: met === undefined ? null : this.#placed(evidence, met) };
  }

  /** The verdict of a card in its cell as that is now: the same one as long as nothing of it changes. */
  #placed(evidence: Evidence, met: Verdict): Verdict {
    const cells = this.panel.model?.cells;
    const shown = cells?.get(evidence.cell - 1);
    if (evidence.made === null || cells === undefined || shown === undefined) return met;
    const check = checkCellIn(cells, shown, evidence.made);
    const before = this.#inCells.get(holderOf(evidence));
    if (before?.met === met && isSameCheck(before.check, check)) return before.verdict;
    const placed = verdictIn(met, evidence.made, () => check);
    this.#inCells.set(holderOf(evidence), { met, check, verdict: placed });
    return placed;
  }

  /** Cells were edited: some cards may have another verdict now. */
  #noteEdits(): void {
    this.#isEdited = false;
    const before = new Map(this.#judged?.map(({ evidence, verdict: told }) => [evidence.key, told]));
    this.#judged = undefined;
    for (const { evidence, verdict: now } of this.cards) {
      if (before.get(evidence.key) !== now) this.#untold.add(evidence.key);
    }
  }

  #tellSoon(): void {
    if (!this.#isWatched || this.#isDisposed) return;
    this.#telling ??= setTimeout(() => {
      this.#tell();
    }, TELL_MS);
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    if (!this.#isWatched || this.#isDisposed) return;
    if (this.#isEdited) this.#noteEdits();
    if (!this.#isOtherCards && this.#untold.size === 0) return;
    const change: Change = { isOtherCards: this.#isOtherCards, judged: this.#untold };
    this.#isOtherCards = false;
    this.#untold = new Set();
    this.#changed.emit(change);
  }
}

/** What a verdict is remembered by: the card itself, unless what stands in its place is not even an object. */
function holderOf(evidence: Evidence): object {
  const { card } = evidence;
  return typeof card === "object" && card !== null ? card : evidence;
}

/** What a seal lists: the cards below cells, then those that widgets had when the notebook was saved. */
function cardsOf(evidence: readonly Evidence[], metadata: object): readonly unknown[] {
  const inWidgets = cardsAmong(outputsIn({ cells: [], metadata }));
  return [...evidence.filter(({ face, isShown }) => face === null && isShown), ...inWidgets].map(({ card }) => card);
}

function isSameCheck(one: Check, other: Check): boolean {
  return one.cause === other.cause && one.message === other.message;
}

/** The number in the prompt of a cell. */
function promptOf(cell: Cell): number | null {
  const count = cell.type === "code" ? (cell as ICodeCellModel).executionCount : null;
  return count === 0 ? null : count; // which a prompt does not show either
}

function outputsOf(cell: Cell): ICodeCellModel["outputs"] | undefined {
  return cell.type === "code" ? (cell as ICodeCellModel).outputs : undefined;
}
