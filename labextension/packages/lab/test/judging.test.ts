import { beforeEach, describe, expect, it } from "vitest";
import type { Verdict } from "@service-nb/records";
import { verifyCard } from "@service-nb/verify";
import { cases } from "../../../tests/vectors.js";
import { type Case, judged } from "../src/judge.js";
import { Judging } from "../src/judging.js";
import { Queue } from "../src/queue.js";

interface Vector {
  readonly name: string;
  readonly document: string;
  readonly keys: readonly string[];
  readonly contracts: readonly string[];
}

const VECTORS = cases<Vector>("evidence/cards.json");
const [GENUINE] = VECTORS as [Vector];
const NO_TERMS = { keys: [], contracts: [] };
const STRANGER = { keys: ["3Q3tn217Fs+GSfmxB4KItxuLP90Mm22xUzvwTZCMyiA="], contracts: [] };

let asked: Case[];
let judging: Judging;

beforeEach(() => {
  asked = [];
  judging = new Judging((each) => {
    asked.push(each);
    return Promise.resolve(judged(each));
  }, new Queue(2));
});

function genuine(): Record<string, unknown> {
  return JSON.parse(GENUINE.document) as Record<string, unknown>;
}

/** The next verdict that is told of a card. */
function follow(card: unknown): { told: Verdict[]; next: () => Promise<Verdict>; dispose: () => void } {
  const told: Verdict[] = [];
  let wake: (verdict: Verdict) => void = () => undefined;
  const following = judging.follow(card, (verdict) => {
    told.push(verdict);
    wake(verdict);
  });
  const next = (): Promise<Verdict> => new Promise((resolve) => (wake = resolve));
  return {
    told,
    next,
    dispose: () => {
      following.dispose();
    },
  };
}

describe("judging", () => {
  it.each(VECTORS)("says of a card what the verifier says: $name", async ({ document, keys, contracts }) => {
    const card: unknown = JSON.parse(document);
    judging.setTerms({ keys, contracts });
    expect(await judging.of(card)).toEqual(verifyCard(card, { keys, contracts }));
  });

  it("judges equal cards once, whoever asks", async () => {
    const one = await judging.of(genuine());
    expect(await judging.of(genuine())).toBe(one);
    expect(asked).toHaveLength(1);
  });

  it("tells what it remembers at once", async () => {
    const verdict = await judging.of(genuine());
    expect(follow(genuine()).told).toEqual([verdict]);
  });

  it("judges a card anew when one letter of it is another", async () => {
    const card = genuine();
    await judging.of(card);
    const view = card["view"] as Record<string, unknown>;
    const forged = { ...card, view: { ...view, question: "another" } };
    expect((await judging.of(forged)).status).toBe("altered");
    expect(asked).toHaveLength(2);
  });

  it("judges what is on screen anew when other keys are trusted", async () => {
    const following = follow(genuine());
    const first = await following.next();
    judging.setTerms(STRANGER);
    const second = await following.next();
    expect(first).toEqual(verifyCard(genuine(), NO_TERMS));
    expect(second).toEqual(verifyCard(genuine(), STRANGER));
    expect(second.status).toBe("unaltered");
  });

  it("does nothing when the same terms are set again", async () => {
    judging.setTerms(STRANGER);
    const following = follow(genuine());
    await following.next();
    judging.setTerms({ keys: [...STRANGER.keys], contracts: [] });
    await judging.of(genuine());
    expect(following.told).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it("never tells a verdict under terms that are no longer the reader's", async () => {
    const ends: (() => void)[] = [];
    const slow = new Judging(
      (each) =>
        new Promise((resolve) => {
          ends.push(() => {
            resolve(judged(each));
          });
        }),
    );
    const verdict = slow.of(genuine());
    await expect.poll(() => ends.length).toBe(1);
    slow.setTerms(STRANGER);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.();
    expect(await verdict).toEqual(verifyCard(genuine(), STRANGER));
  });

  it("tells nothing after it was disposed of, and does not judge what waited", async () => {
    const following = follow(genuine());
    following.dispose();
    judging.setTerms(STRANGER);
    await judging.of({ another: "card" });
    expect(following.told).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("judges ahead what is shown later, which is told at once then", async () => {
    const ahead = judging.ahead(genuine);
    await expect.poll(() => asked.length).toBe(1);
    await judging.of(genuine()); // while it is under way, and after it
    const following = follow(genuine());
    expect(following.told).toEqual([verifyCard(genuine(), NO_TERMS)]);
    expect(asked).toHaveLength(1);
    ahead.dispose();
  });

  it("does not read ahead what is gone before its turn, nor ask for what no text can be made of", async () => {
    judging
      .ahead(() => {
        throw new Error("it was read");
      })
      .dispose();
    judging.ahead(() => undefined);
    await judging.of(genuine());
    expect(asked).toHaveLength(1);
  });

  it("judges anew what is under way under other terms", async () => {
    judging.ahead(genuine);
    await expect.poll(() => asked.length).toBe(1);
    judging.setTerms(STRANGER);
    expect(await judging.of(genuine())).toEqual(verifyCard(genuine(), STRANGER));
  });

  it("judges a card again where that is asked for, and remembers what came of it", async () => {
    const card = genuine();
    const first = await judging.of(card);
    const again = await judging.of(card, "anew");
    expect([asked.length, again]).toEqual([2, first]);
    expect(await judging.of(card)).toBe(again);
  });

  it("judges what is shown, and not the null that JSON makes of a number beyond all", async () => {
    const unclear = VECTORS.find(({ name }) => name === "an unsigned clarification")?.document ?? "";
    const card = JSON.parse(unclear) as { view: object };
    expect(card.view).toHaveProperty("rule", null);
    expect((await judging.of(card)).status).not.toBe("altered");
    const shown = { ...card, view: { ...card.view, rule: Infinity } };
    expect(await judging.of(shown)).toEqual(verifyCard(shown));
    expect((await judging.of(shown)).checks).toMatchObject([{ check: "form", cause: "unsafe_number" }]);
  });

  it("refuses what no text can be made of, and remembers nothing of it", async () => {
    const endless: unknown[] = [];
    endless.push(endless);
    expect((await judging.of(endless)).status).toBe("altered");
    expect((await judging.of(undefined)).status).toBe("altered");
    expect((await judging.of({ version: 1n })).status).toBe("altered");
    expect(asked).toEqual([]);
  });

  it("sees in the text of a document what its parsed value no longer shows", async () => {
    const twice = GENUINE.document.replace("{", '{"kind":"query",');
    const [verdict] = await judging.ofDocument(twice);
    expect(verdict?.checks).toMatchObject([{ check: "form", status: "failed" }]);
    expect((await judging.of(JSON.parse(twice))).checks[0]?.status).toBe("passed");
  });
});
