import type { Verdict } from "@service-nb/records";
import { verifyCard, type VerifyOptions } from "@service-nb/verify";
import type { Judge } from "./judge.js";
import type { CardOutput } from "./output.js";
import { Queue, type Waiting } from "./queue.js";
import { Remembered } from "./remembered.js";

/** What a reader has said: whose keys are trusted, which contracts are known. */
export interface Terms extends Required<VerifyOptions> {
  /** The keys that are the reader's own; the verdict is the same, and what is said of it another. */
  readonly own?: readonly string[];
}

type Told = (verdict: Verdict) => void;

/** Somebody who is told the verdict of a card. */
export interface Following extends Waiting {
  /** Judges the card anew, whatever is remembered of it. */
  again(): void;
}

const WIDTH = 6; // one under way, and as many as it gets through while JupyterLab keeps the page busy
const MOST_CHARACTERS = 64 * 1024 ** 2; // of the texts whose verdicts are remembered

/**
 * Who asks for verdicts, and what was said. All share the work, and what was judged once is not judged again: a verdict
 * is remembered by the whole text of its card and of what stands beside it, under the terms of the reader.
 */
export class Judging {
  readonly #judge: Judge;
  readonly #queue: Queue;
  readonly #known = new Remembered<Verdict>(MOST_CHARACTERS);
  readonly #followed = new Set<() => void>();
  #underWay = new Map<string, Promise<Verdict>>();
  readonly #termsListeners = new Set<() => void>();
  readonly #verdictListeners = new Set<Told>();
  #terms: Terms = { keys: [], contracts: [] };

  constructor(judge: Judge, queue: Queue = new Queue(WIDTH)) {
    this.#judge = judge;
    this.#queue = queue;
  }

  /** Sets what is trusted and known; all that is followed is judged anew. */
  setTerms(terms: Terms): void {
    if (JSON.stringify(terms) === JSON.stringify(this.#terms)) return;
    this.#terms = structuredClone(terms);
    this.#known.clear();
    this.#underWay = new Map();
    for (const again of [...this.#followed]) again();
    for (const listener of [...this.#termsListeners]) listener();
  }

  onTerms(listener: () => void): () => void {
    this.#termsListeners.add(listener);
    return () => void this.#termsListeners.delete(listener);
  }

  /** Calls back with each verdict when it is reached. */
  onVerdict(listener: Told): () => void {
    this.#verdictListeners.add(listener);
    return () => void this.#verdictListeners.delete(listener);
  }

  /** The verdict of a card, as a program wants it; `anew`, whatever is remembered of it. */
  of(output: CardOutput, when: "known" | "anew" = "known"): Promise<Verdict> {
    if (when === "anew") this.#forget(output);
    return new Promise((resolve) => this.#ask(output, resolve));
  }

  /**
   * Judges a card that will be shown, while others still have the page: who follows it then is told at once. It is read
   * when its turn has come, which is after what is seen.
   */
  ahead(read: () => CardOutput): Waiting {
    return this.#queue.add(async () => {
      const text = textOf(read());
      if (text !== undefined) await this.#judged(text);
    });
  }

  /** The verdicts of a document's text: of a card, a notebook, a ledger document. */
  ofDocument(text: string): Promise<readonly Verdict[]> {
    return this.#judge({ what: "document", text, terms: this.#terms });
  }

  /**
   * Tells the verdict of a card, at once where it is remembered, and again whenever the terms change. What is asked for
   * an element is judged when its turn has come; nothing is told after `dispose`.
   */
  follow(output: CardOutput, told: Told, element?: Element): Following {
    let waiting: Waiting | undefined;
    const ask = (): void => {
      waiting?.dispose();
      waiting = this.#ask(output, told, element);
    };
    this.#followed.add(ask);
    ask();
    return {
      again: () => {
        this.#forget(output);
        ask();
      },
      dispose: () => {
        this.#followed.delete(ask);
        waiting?.dispose();
      },
    };
  }

  #forget(output: CardOutput): void {
    const text = textOf(output);
    if (text === undefined) return;
    this.#known.delete(text);
    this.#underWay.delete(text);
  }

  #ask(output: CardOutput, told: Told, element?: Element): Waiting {
    const text = textOf(output);
    // What is no text is refused as soon as it is looked at.
    const known = text === undefined ? verifyCard(output.card, this.#terms) : this.#known.get(text);
    if (text === undefined || known !== undefined) {
      if (known !== undefined) told(known);
      return { dispose: () => undefined };
    }
    let isWanted = true;
    const waiting = this.#queue.add(async () => {
      const verdict = await this.#judged(text);
      if (isWanted) told(verdict);
    }, element);
    return {
      dispose: () => {
        isWanted = false;
        waiting.dispose();
      },
    };
  }

  /** Judges a text, once for all who ask meanwhile. */
  #judged(text: string): Promise<Verdict> {
    const known = this.#known.get(text); // others may have asked for the same card while this one waited
    if (known !== undefined) return Promise.resolve(known);
    const before = this.#underWay.get(text);
    if (before !== undefined) return before;
    const all = this.#underWay; // of these terms
    const judged = this.#judgeNow(text).finally(() => {
      if (all.get(text) === judged) all.delete(text);
    });
    all.set(text, judged);
    return judged;
  }

  async #judgeNow(text: string): Promise<Verdict> {
    const terms = this.#terms;
    const [verdict] = await this.#judge({ what: "output", text, terms });
    if (verdict === undefined) throw new Error("A card was judged, and there is no verdict.");
    if (terms !== this.#terms) return this.#judged(text); // the reader said something else meanwhile
    this.#known.set(text, verdict);
    for (const listener of [...this.#verdictListeners]) listener(verdict);
    return verdict;
  }
}

/** The text of a card that was parsed, with what stands beside it, or nothing for what no text can be made of. */
function textOf({ card, others }: CardOutput): string | undefined {
  try {
    return card === undefined ? undefined : JSON.stringify({ card, others }, asItIs);
  } catch {
    return undefined; // it holds itself, what JSON has no word for, or more levels than can be counted
  }
}

/** `stringify` writes null for what is beyond all numbers, and then another card would be judged than is shown. */
function asItIs(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("JSON has no word for this number.");
  return value;
}
