// @vitest-environment jsdom
import { beforeEach, describe, expect, it } from "vitest";
import { Calm } from "../src/calm.js";
import { SlowPage } from "./surroundings.js";

let page: SlowPage;
let calms: (() => void)[];
let built: string[];
let calm: Calm;

beforeEach(() => {
  page = new SlowPage();
  calms = [];
  built = [];
  calm = new Calm(page, (become) => {
    calms.push(become);
    return () => void calms.splice(calms.indexOf(become), 1);
  });
});

function element(): Element {
  const made = globalThis.document.createElement("div");
  globalThis.document.body.append(made);
  return made;
}

function build(name: string, at = element()): { dispose(): void } {
  return calm.wait(() => built.push(name), at);
}

describe("a page", () => {
  it("has what comes to it while it is calm done at once, with all of that task", () => {
    build("a");
    build("b");
    expect(built).toEqual(["a", "b"]);
  });

  it("has what is not in it yet wait until it is in sight", () => {
    const detached = globalThis.document.createElement("div");
    build("a", detached);
    expect(built).toEqual([]);
    page.watched.get(detached)?.(0);
    expect(built).toEqual(["a"]);
  });

  it("has what comes in later tasks wait until nothing more came for a while", async () => {
    build("a");
    await page.turn();
    build("b");
    build("c");
    expect(built).toEqual(["a"]);
    expect(calms).toHaveLength(1);
    calms[0]?.();
    expect(built).toEqual(["a", "b", "c"]);
  });

  it("has what is not in it wait until it is placed, and nothing else came for a while", () => {
    const detached = globalThis.document.createElement("div");
    build("a", detached);
    calms[0]?.();
    expect(built).toEqual([]);
    globalThis.document.body.append(detached);
    calm.place();
    calm.place();
    expect(built).toEqual([]);
    expect(calms).toHaveLength(2);
    calms.at(-1)?.();
    expect(built).toEqual(["a"]);
  });

  it("stays calm when nothing waits for its place", () => {
    calm.place();
    expect(calms).toEqual([]);
  });

  it("does not keep waiting what is in sight", async () => {
    build("a");
    await page.turn();
    const seen = element();
    build("far");
    build("seen", seen);
    page.watched.get(seen)?.(700);
    expect(built).toEqual(["a"]);
    page.watched.get(seen)?.(0);
    expect(built).toEqual(["a", "seen"]);
    expect(page.watched.has(seen)).toBe(false);
  });

  it("forgets what is taken back", async () => {
    build("a");
    await page.turn();
    build("b").dispose();
    calms[0]?.();
    expect(built).toEqual(["a"]);
    expect(page.watched.size).toBe(0);
  });
});
