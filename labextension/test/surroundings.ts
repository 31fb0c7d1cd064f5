import type { Surroundings } from "../src/queue.js";

/** A page whose time passes and whose rests end when a test says so. */
export class SlowPage implements Surroundings {
  time = 0;
  rests = 0;
  readonly watched = new Map<Element, (distance: number) => void>();
  #resting: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  rested(): Promise<void> {
    this.rests += 1;
    return new Promise((resolve) => this.#resting.push(resolve));
  }

  watch(element: Element, moved: (distance: number) => void): () => void {
    this.watched.set(element, moved);
    return () => void this.watched.delete(element);
  }

  /** Lets the page have its turn, and what follows run until it rests again. */
  async turn(): Promise<void> {
    for (const resume of this.#resting.splice(0)) resume();
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
  }
}
