import { page, type Surroundings, type Waiting } from "./queue.js";

/** How the passing of time is met; the page's own where nothing else is said. */
export type After = (calm: () => void) => () => void;

const CALM_MS = 300; // between two cells that JupyterLab renders one after the other is less

/**
 * Tells when a page is calm: when no more work has come for a while. JupyterLab renders a long notebook cell by cell and
 * measures the page after each, so what is built in between is measured hundreds of times. Only what is in sight is not
 * kept waiting, nor what comes to a calm page.
 */
export class Calm {
  readonly #surroundings: Pick<Surroundings, "rested" | "watch">;
  readonly #after: After;
  readonly #waiting = new Set<() => void>();
  #stop: (() => void) | undefined;
  #isFirst = false; // in the task in which the calm ended

  constructor(surroundings: Pick<Surroundings, "rested" | "watch"> = page, after: After = afterCalm) {
    this.#surroundings = surroundings;
    this.#after = after;
  }

  /**
   * Calls back now where the page is calm and the element is in it, else when it is calm again or the element is in sight:
   * the outputs of a whole notebook are made in one task, long before JupyterLab puts them into the page.
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
    this.#waiting.add(release);
    unwatch = this.#surroundings.watch(element, (distance) => {
      if (distance === 0) release();
    });
    return { dispose };
  }

  #restless(): void {
    this.#stop?.();
    this.#stop = this.#after(() => {
      this.#stop = undefined;
      for (const release of [...this.#waiting]) release();
    });
  }
}

function afterCalm(calm: () => void): () => void {
  const timer = setTimeout(calm, CALM_MS);
  return () => {
    clearTimeout(timer);
  };
}
