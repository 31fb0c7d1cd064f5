import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { CardView } from "@service-nb/cards";
import { environmentOf, onEnvironment } from "./environment.js";
import { Calm } from "./calm.js";
import { Queue, type Waiting } from "./queue.js";
import { type Following, followVerdict, judgeAhead } from "./verdicts.js";

// JupyterLab renders many outputs in one go; what is built then is only as much as a reader does not notice.
const building = new Queue();
const calm = new Calm();

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
  #waiting: Waiting | undefined;
  #judging: Waiting | undefined;
  #refreshing: Waiting | undefined;
  #read = (): unknown => undefined;
  #value: unknown;

  constructor(node: HTMLElement, typesetter: IRenderMime.ILatexTypesetter | null) {
    this.#node = node;
    this.#typesetter = typesetter;
    this.#stopListening = onEnvironment((change) => {
      if (this.#view === undefined) return;
      if (change === "words") this.#rebuild();
      else this.#refresh();
    });
  }

  /**
   * Shows a value as a card, now or soon, and reads it then: a model copies what it is asked for. Nothing is built for the
   * value that is shown already.
   */
  show(read: () => unknown): Promise<void> {
    this.#read = once(read);
    this.#waiting?.dispose();
    this.#waiting = undefined;
    this.#judging?.dispose();
    return new Promise((resolve) => {
      const build = (): void => {
        if (this.#view === undefined || this.#value !== this.#read()) this.#build();
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

  dispose(): void {
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
    this.#value = this.#read();
    const verify = (): void => this.#following?.again();
    const view = new CardView(this.#node, environmentOf(this.#node.ownerDocument, this.#typesetter, verify));
    view.show(this.#value ?? null);
    this.#view = view;
    this.#following = followVerdict(
      this.#value,
      (verdict) => {
        view.judge(verdict);
      },
      this.#node,
    );
  }

  #clear(): void {
    this.#following?.dispose();
    this.#view?.dispose();
    this.#following = undefined;
    this.#view = undefined;
  }
}

/** Reads when it is asked for the first time, and hands out the same from then on. */
function once(read: () => unknown): () => unknown {
  let value: unknown;
  let isRead = false;
  return () => {
    if (!isRead) value = read();
    isRead = true;
    return value;
  };
}
