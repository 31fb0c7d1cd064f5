import { button, make, setText } from "./dom.js";

/** A bar with words, and a way to stop. Nothing here turns without saying what it does. */
export class Progress {
  readonly node: HTMLElement;
  readonly #bar = make("progress", { class: "service-side-progress-bar" });
  readonly #words = make("span", { class: "service-side-progress-words" });
  readonly #stop: HTMLButtonElement;
  #onStop: () => void = () => undefined;

  constructor(stopLabel: string) {
    this.#stop = button(stopLabel, () => {
      this.#onStop();
    });
    this.node = make("div", { class: "service-side-progress", hidden: true }, this.#words, this.#bar, this.#stop);
  }

  show(words: string, done: number, total: number, onStop?: () => void): void {
    this.node.hidden = false;
    this.#bar.max = Math.max(total, 1);
    this.#bar.value = done;
    this.#bar.setAttribute("aria-label", words);
    this.#onStop = onStop ?? ((): void => undefined);
    this.#stop.hidden = onStop === undefined;
    setText(this.#words, words);
  }

  hide(): void {
    this.node.hidden = true;
  }
}
