import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { CardView } from "@service-nb/cards";
import { environmentOf, onEnvironment } from "./environment.js";
import { type Following, followVerdict } from "./verdicts.js";

/** A card in a node of the page: shown at once, judged when its turn has come, and again when the reader's terms change. */
export class ShownCard {
  readonly #node: HTMLElement;
  readonly #typesetter: IRenderMime.ILatexTypesetter | null;
  readonly #stopListening: () => void;
  #view: CardView | undefined;
  #following: Following | undefined;
  #value: unknown;

  constructor(node: HTMLElement, typesetter: IRenderMime.ILatexTypesetter | null) {
    this.#node = node;
    this.#typesetter = typesetter;
    this.#stopListening = onEnvironment(() => {
      if (this.#view !== undefined) this.#build();
    });
  }

  /** Shows a value as a card. Nothing is built for the value that is shown already. */
  show(value: unknown): void {
    if (this.#view !== undefined && this.#value === value) return;
    this.#value = value;
    this.#build();
  }

  dispose(): void {
    this.#stopListening();
    this.#clear();
  }

  #build(): void {
    this.#clear();
    const verify = (): void => this.#following?.again();
    const view = new CardView(this.#node, environmentOf(this.#node.ownerDocument, this.#typesetter, verify));
    view.show(this.#value);
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
