import { page, type Surroundings, type Waiting } from "./queue.js";

/** How the passing of time is met; the page's own where nothing else is said. */
export type After = (calm: () => void) => () => void;

const CALM_MS = 150; // between two cells that JupyterLab puts into the page one after the other is less

/**
 * Tells when a page is calm: when no more work has come to it for a while. JupyterLab renders the outputs of a notebook
 * in one go, and then puts its cells into the page one by one; the editor of each writes the page's style sheets anew, for
 * all elements that stand there already. So what is far from sight is built when the last cell is in its place. What is in
 * sight is not kept waiting, nor what comes to a calm page.
 */
export class Calm {
  readonly #surroundings: Pick<Surroundings, "rested" | "watch">;
  readonly #after: After;
  readonly #waiting = new Map<() => void, Element>();
  #stop: (() => void) | undefined;
  #isFirst = false; // in the task in which the calm ended

  constructor(surroundings: Pick<Surroundings, "rested" | "watch"> = page, after: After = afterCalm) {
    this.#surroundings = surroundings;
    this.#after = after;
  }

  /**
   * Calls back now where the page is calm and the element is in it, else when it is in the page and that is calm again, or
   * when it is in sight.
   */
  wait(go: () => void, element: Element): Waiting {
    const isCalm = element.isConnected && (this.#isFirst || this.#stop === undefined);
    if (this.#stop === undefined) {
      this.#isFirst = true;
      void this.#surroundings.rested().then(() => (this.#isFirst = false));
    }
    this.#restless();
    if (!isCalm) return this.#await(go, element);
    go();
    return { dispose: () => undefined };
  }

  /** An element was put into the page, and others may follow. */
  place(): void {
    if (this.#waiting.size > 0) this.#restless();
  }

  #await(go: () => void, element: Element): Waiting {
    let unwatch = (): void => undefined; // it may be in sight before it is known how to stop
    const dispose = (): void => {
      unwatch();
      this.#waiting.delete(release);
    };
    const release = (): void => {
      dispose();
      go();
    };
    this.#waiting.set(release, element);
    unwatch = this.#surroundings.watch(element, (distance) => {
      if (distance === 0) release();
    });
    return { dispose };
  }

  #restless(): void {
    this.#stop?.();
    this.#stop = this.#after(() => {
      this.#stop = undefined;
      for (const [release, element] of [...this.#waiting]) if (element.isConnected) release();
    });
  }
}

function afterCalm(calm: () => void): () => void {
  const timer = setTimeout(calm, CALM_MS);
  return () => {
    clearTimeout(timer);
  };
}
