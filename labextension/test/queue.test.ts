// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Queue } from "../src/queue.js";
import { SlowPage } from "./surroundings.js";

let page: SlowPage;
let done: string[];

beforeEach(() => {
  page = new SlowPage();
  done = [];
});

function work(name: string, milliseconds = 0): () => void {
  return () => {
    page.time += milliseconds;
    done.push(name);
  };
}

function element(): Element {
  return new DOMParser().parseFromString("<p></p>", "text/html").body;
}

describe("a queue", () => {
  it("does nothing before the page had its turn", async () => {
    const queue = new Queue(1, page);
    queue.add(work("one"));
    expect(done).toEqual([]);
    await page.turn();
    expect(done).toEqual(["one"]);
  });

  it("ends a slice at the first job that is past its time, and goes on after a rest", async () => {
    const queue = new Queue(1, page);
    for (const name of ["a", "b", "c", "d", "e"]) queue.add(work(name, 4));
    await page.turn();
    expect(done).toEqual(["a", "b", "c"]);
    await page.turn();
    expect(done).toEqual(["a", "b", "c", "d", "e"]);
    expect(page.rests).toBe(2);
  });

  it("does what is seen first, then what a program wants, then what is nearest", async () => {
    const queue = new Queue(1, page);
    const [far, near, seen] = [element(), element(), element()];
    queue.add(work("far"), far);
    queue.add(work("near"), near);
    queue.add(work("wanted"));
    queue.add(work("seen"), seen);
    page.watched.get(far)?.(9000);
    page.watched.get(near)?.(300);
    page.watched.get(seen)?.(0);
    await page.turn();
    expect(done).toEqual(["seen", "wanted", "near", "far"]);
  });

  it("follows where the reader scrolls while it works", async () => {
    const queue = new Queue(1, page);
    const [one, two, three] = [element(), element(), element()];
    queue.add(work("one", 20), one);
    queue.add(work("two", 20), two);
    queue.add(work("three", 20), three);
    page.watched.get(one)?.(0);
    page.watched.get(two)?.(100);
    page.watched.get(three)?.(900);
    await page.turn();
    page.watched.get(two)?.(800);
    page.watched.get(three)?.(0);
    await page.turn();
    await page.turn();
    expect(done).toEqual(["one", "three", "two"]);
  });

  it("keeps the order of coming where nothing is known of places", async () => {
    const queue = new Queue(1, page);
    for (const name of ["a", "b", "c"]) queue.add(work(name), element());
    await page.turn();
    expect(done).toEqual(["a", "b", "c"]);
  });

  it("does not do what was taken back, and watches it no more", async () => {
    const queue = new Queue(1, page);
    const place = element();
    queue.add(work("kept"));
    queue.add(work("taken back"), place).dispose();
    expect(page.watched.size).toBe(0);
    await page.turn();
    expect(done).toEqual(["kept"]);
  });

  it("has as many jobs under way elsewhere as it is wide, and fills the place of one that ended", async () => {
    const queue = new Queue(2, page);
    const ends: (() => void)[] = [];
    const elsewhere = (name: string) => () => {
      done.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    for (const name of ["a", "b", "c"]) queue.add(elsewhere(name));
    await page.turn();
    expect(done).toEqual(["a", "b"]);
    ends[0]?.();
    await page.turn();
    await page.turn();
    expect(done).toEqual(["a", "b", "c"]);
  });

  it("takes what comes after it fell asleep", async () => {
    const queue = new Queue(1, page);
    queue.add(work("before"));
    await page.turn();
    queue.add(work("after"));
    await page.turn();
    expect(done).toEqual(["before", "after"]);
  });

  it("works with the page's own clock, where nothing tells what is seen", async () => {
    const queue = new Queue();
    await new Promise<void>((resolve) => {
      queue.add(work("one"), element());
      queue.add(resolve, element());
    });
    expect(done).toEqual(["one"]);
  });
});

describe("the page", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("lets what is seen come before what is not laid out", async () => {
    const entries: Partial<IntersectionObserverEntry>[] = [];
    const box = { top: 0, bottom: 0 } as DOMRectReadOnly;
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(told: (entries: unknown) => void) {
          queueMicrotask(() => {
            told(entries);
          });
        }
        observe(target: Element): void {
          const isIntersecting = entries.length > 0; // the first is in a tab that is not in front
          entries.push({ target, isIntersecting, boundingClientRect: box, rootBounds: { height: 800 } as DOMRect });
        }
        unobserve(): void {
          // nothing more is told
        }
      },
    );
    const queue = new Queue();
    await new Promise<void>((resolve) => {
      queue.add(() => {
        done.push("hidden");
        resolve();
      }, element());
      queue.add(work("seen"), element());
    });
    expect(done).toEqual(["seen", "hidden"]);
  });
});

describe("what is done at once", () => {
  it("is done while the task has time for it, and the rest follows in slices", async () => {
    const queue = new Queue(1, page);
    for (const name of ["a", "b", "c", "d"]) queue.addOrDo(work(name, 3), element());
    expect(done).toEqual(["a", "b"]);
    await page.turn();
    await page.turn();
    expect(done).toEqual(["a", "b", "c", "d"]);
  });

  it("has its time again in the next task", async () => {
    const queue = new Queue(1, page);
    queue.addOrDo(work("a", 50), element());
    await page.turn();
    queue.addOrDo(work("b", 50), element());
    expect(done).toEqual(["a", "b"]);
  });

  it("can be taken back as long as it waits", async () => {
    const queue = new Queue(1, page);
    queue.addOrDo(work("a", 50), element());
    queue.addOrDo(work("b"), element()).dispose();
    await page.turn();
    expect(done).toEqual(["a"]);
  });
});
