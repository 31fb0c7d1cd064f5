/** Work that waits for its turn. It is done once, or taken back. */
export interface Waiting {
  dispose(): void;
}

/** How a queue sees time and the page; the page's own where nothing else is said. */
export interface Surroundings {
  now(): number;
  /** Resolves once the page has had its turn: input, painting. */
  rested(): Promise<void>;
  /** Calls back with how far an element is from what is seen, in pixels, whenever that changes; returns how to stop. */
  watch(element: Element, moved: (distance: number) => void): () => void;
}

const DONE: Waiting = { dispose: ignore };

interface Job {
  readonly work: () => void | Promise<void>;
  unwatch: () => void;
  distance: number;
}

const SLICE_MS = 10; // with one job more that has begun in time, a slice stays below the 16 ms of a frame
const AT_ONCE_MS = 5; // of a task that is somebody else's, and long enough already

/**
 * Does what a page can wait for, in slices between which the page answers, what is nearest to the reader's eyes first.
 *
 * A job that returns a promise is done elsewhere: at most `width` of those are under way, so that what scrolls into sight
 * does not stand behind what was far away.
 */
export class Queue {
  readonly #surroundings: Surroundings;
  readonly #width: number;
  readonly #waiting = new Set<Job>(); // in the order of their coming
  #underWay = 0;
  #isAwake = false;
  #spent: number | undefined; // of the task that runs, by what was done at once

  constructor(width = 1, surroundings: Surroundings = page) {
    this.#width = width;
    this.#surroundings = surroundings;
  }

  /** Adds work. What has no element to be near to follows what is seen. */
  add(work: Job["work"], element?: Element): Waiting {
    const job: Job = { work, distance: element === undefined ? 1 : Infinity, unwatch: ignore };
    if (element !== undefined) {
      job.unwatch = this.#surroundings.watch(element, (distance) => {
        job.distance = distance;
      });
    }
    this.#waiting.add(job);
    this.#wake();
    return { dispose: () => void this.#drop(job) };
  }

  /** Does work at once as long as the task that runs has time for it, and adds what is more. */
  addOrDo(work: () => void, element: Element): Waiting {
    if (this.#spent === undefined) {
      this.#spent = 0;
      void this.#surroundings.rested().then(() => (this.#spent = undefined));
    }
    if (this.#spent >= AT_ONCE_MS) return this.add(work, element);
    const started = this.#surroundings.now();
    work();
    this.#spent += this.#surroundings.now() - started;
    return DONE;
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    void this.#slices().finally(() => {
      this.#isAwake = false;
      if (this.#hasWork()) this.#wake(); // what came between the last look and here
    });
  }

  async #slices(): Promise<void> {
    while (this.#hasWork()) {
      await this.#surroundings.rested();
      const started = this.#surroundings.now();
      while (this.#hasWork() && this.#surroundings.now() - started < SLICE_MS) this.#start(this.#nearest());
    }
  }

  #hasWork(): boolean {
    return this.#waiting.size > 0 && this.#underWay < this.#width;
  }

  #nearest(): Job | undefined {
    let nearest: Job | undefined;
    for (const job of this.#waiting) if (nearest === undefined || job.distance < nearest.distance) nearest = job;
    return nearest;
  }

  #start(job: Job | undefined): void {
    if (job === undefined || !this.#drop(job)) return;
    const done = job.work();
    if (done === undefined) return;
    this.#underWay += 1;
    void done.finally(() => {
      this.#underWay -= 1;
      this.#wake();
    });
  }

  #drop(job: Job): boolean {
    job.unwatch();
    job.unwatch = ignore;
    return this.#waiting.delete(job);
  }
}

/** The page that this runs in. */
export const page: Surroundings = { now: () => performance.now(), rested, watch };

/**
 * Resolves in a task of its own. Timers would wait 4 ms each, and a second in a tab that is not seen; and
 * `scheduler.yield` would bring us back before the work of others that waits too.
 */
function rested(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

const watchers = new WeakMap<Element, (distance: number) => void>();
let observer: IntersectionObserver | undefined;

function watch(element: Element, moved: (distance: number) => void): () => void {
  if (typeof IntersectionObserver === "undefined") {
    moved(0); // all counts as seen, in the order of its coming
    return ignore;
  }
  observer ??= new IntersectionObserver((entries) => {
    for (const entry of entries) watchers.get(entry.target)?.(distanceOf(entry));
  });
  watchers.set(element, moved);
  observer.observe(element);
  return () => {
    watchers.delete(element);
    observer?.unobserve(element);
  };
}

/** The observer hands over where things are, so nothing is laid out for the sake of asking. */
function distanceOf({ isIntersecting, boundingClientRect: box, rootBounds }: IntersectionObserverEntry): number {
  if (isIntersecting) return 0;
  // What is not laid out, in a tab that is not in front, stands at 0: it must not come before what is seen.
  return 1 + Math.max(0, -box.bottom, box.top - (rootBounds?.height ?? 0));
}

function ignore(): void {
  // nothing is watched
}
