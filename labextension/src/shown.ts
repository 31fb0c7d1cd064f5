import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { CardView } from "@service-nb/cards";
import { isObject, own, type Verdict } from "@service-nb/records";
import { type StatedPlace, verdictIn } from "@service-nb/verify";
import { cellAround, environmentOf, type LiveCell, onEnvironment } from "./environment.js";
import { Calm } from "./calm.js";
import type { CardOutput } from "./output.js";
import { Queue, type Waiting } from "./queue.js";
import { withLoaded } from "./loaded.js";
import { placeOf } from "./evidence.js";
import { type Following, followVerdict, judgeAhead } from "./verdicts.js";

// JupyterLab renders many outputs in one go; what is built then is only as much as a reader does not notice.
const building = new Queue();
const calm = new Calm();

const NOTHING: CardOutput = { card: undefined, others: {} };

/**
 * A card in a node of the page: shown at once or when the page is calm, judged when its turn has come, also before it is
 * shown, and again when the reader's terms change.
 */
export class ShownCard {
  readonly #node: HTMLElement;
  readonly #typesetter: IRenderMime.ILatexTypesetter | null;
  readonly #stopListening: () => void;
  #view: CardView | undefined;
  #following: Following | undefined;
  #followingLoaded: Following | undefined;
  #waiting: Waiting | undefined;
  #judging: Waiting | undefined;
  #refreshing: Waiting | undefined;
  #read = (): CardOutput => NOTHING;
  #value: unknown;
  #verdict: Verdict | undefined; // of the card and what stands beside it, wherever they are
  #loaded: Verdict | undefined; // of the card with a text that it does not hold, and that was loaded
  #place: StatedPlace | null = null;
  #cell: LiveCell | undefined;
  #unwatch: (() => void) | undefined;

  constructor(node: HTMLElement, typesetter: IRenderMime.ILatexTypesetter | null) {
    this.#node = node;
    this.#typesetter = typesetter;
    this.#stopListening = onEnvironment((change) => {
      if (this.#view === undefined) return;
      if (change === "words") this.#rebuild();
      else if (change === "cells") this.place();
      else this.#refresh();
    });
  }

  /**
   * Shows a value as a card, now or soon, and reads it then: a model copies what it is asked for. Nothing is built for the
   * value that is shown already.
   */
  show(read: () => CardOutput): Promise<void> {
    this.#read = once(read);
    this.#waiting?.dispose();
    this.#waiting = undefined;
    this.#judging?.dispose();
    return new Promise((resolve) => {
      const build = (): void => {
        if (this.#view === undefined || this.#value !== this.#read().card) this.#build();
        resolve();
      };
      const go = (): void => {
        this.#waiting = building.addOrDo(build, this.#node);
      };
      const waiting = calm.wait(go, this.#node);
      this.#waiting ??= waiting;
      // The verifier has nothing to wait for while JupyterLab renders the others.
      if (this.#view === undefined) this.#judging = judgeAhead(this.#read);
    });
  }

  /** The card is on the page: if that is in a cell, its verdict says whether the cell was edited since. */
  place(): void {
    this.leave();
    if (this.#view === undefined) calm.place();
    this.#cell = cellAround(this.#node);
    this.#unwatch = this.#cell?.onEdit(() => {
      this.#tell();
    });
    this.#tell();
  }

  /** The card is taken off the page, for a while or for good. */
  leave(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#cell = undefined;
  }

  dispose(): void {
    this.leave();
    this.#stopListening();
    this.#waiting?.dispose();
    this.#judging?.dispose();
    this.#refreshing?.dispose();
    this.#clear();
  }

  #refresh(): void {
    this.#refreshing?.dispose();
    this.#refreshing = building.add(() => this.#view?.refresh(), this.#node);
  }

  #rebuild(): void {
    this.#waiting?.dispose();
    this.#waiting = building.add(() => {
      this.#build();
    }, this.#node);
  }

  #build(): void {
    this.#judging?.dispose(); // who follows has it judged
    this.#clear();
    const output = this.#read();
    this.#value = output.card;
    this.#place = placeOf(output.card);
    const verify = (): void => {
      this.#following?.again();
      this.#followingLoaded?.again();
    };
    const environment = environmentOf(this.#node.ownerDocument, this.#typesetter, verify);
    environment.onLoaded = (name, text) => {
      this.#followLoaded(name, text);
    };
    const view = new CardView(this.#node, environment);
    view.show(this.#value ?? null, output.digits);
    this.#view = view;
    this.#following = followVerdict(
      output,
      (verdict) => {
        this.#verdict = verdict;
        this.#tell();
      },
      this.#node,
    );
  }

  #followLoaded(name: string, text: string): void {
    const card = this.#value;
    if (!isObject(card)) return;
    const texts = own(card, "canonical");
    const whole = { ...card, canonical: { ...(isObject(texts) ? texts : {}), [name]: text } };
    this.#followingLoaded?.dispose();
    this.#followingLoaded = followVerdict(
      { card: whole, others: {} }, // the other faces are those of the card as it is
      (verdict) => {
        this.#loaded = verdict;
        this.#tell();
      },
      this.#node,
    );
  }

  #tell(): void {
    if (this.#verdict === undefined) return;
    const cell = this.#cell;
    const met = withLoaded(this.#verdict, this.#loaded);
    this.#view?.judge(cell === undefined ? met : verdictIn(met, this.#place, (place) => cell.check(place)));
  }

  #clear(): void {
    this.#following?.dispose();
    this.#view?.dispose();
    this.#followingLoaded?.dispose();
    this.#following = undefined;
    this.#followingLoaded = undefined;
    this.#loaded = undefined;
    this.#view = undefined;
    this.#verdict = undefined;
  }
}

/** Reads when it is asked for the first time, and hands out the same from then on. */
function once<T>(read: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: read() };
    return value.of;
  };
}
