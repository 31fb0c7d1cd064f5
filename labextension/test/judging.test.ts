import { beforeEach, describe, expect, it } from "vitest";
import { passed, type Verdict, verdict } from "@service-nb/records";
import { verifyCard, type VerifyOptions } from "@service-nb/verify";
import { cases } from "../../typescript/tests/vectors.js";
import { type Case, judged } from "../src/judge.js";
import { Judging } from "../src/judging.js";
import type { CardOutput } from "../src/output.js";
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
    return judged(each);
  }, new Queue(2));
});

function genuine(): Record<string, unknown> {
  return JSON.parse(GENUINE.document) as Record<string, unknown>;
}

/** A card with nothing beside it. */
function alone(card: unknown): CardOutput {
  return { card, others: {} };
}

/** What the verifier says of a card, and that nothing stands beside it. */
function expected(card: unknown, terms: VerifyOptions = {}): Verdict {
  const { subject, checks } = verifyCard(card, terms);
  return verdict(subject, checks[0]?.status === "passed" ? [...checks, passed("faces")] : checks);
}

/** The next verdict that is told of a card. */
function follow(card: unknown): { told: Verdict[]; next: () => Promise<Verdict>; dispose: () => void } {
  const told: Verdict[] = [];
  let wake: (verdict: Verdict) => void = () => undefined;
  const following = judging.follow(alone(card), (verdict) => {
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
    expect(await judging.of(alone(card))).toEqual(expected(card, { keys, contracts }));
  });

  it("judges equal cards once, whoever asks", async () => {
    const one = await judging.of(alone(genuine()));
    expect(await judging.of(alone(genuine()))).toBe(one);
    expect(asked).toHaveLength(1);
  });

  it("tells what it remembers at once", async () => {
    const verdict = await judging.of(alone(genuine()));
    expect(follow(genuine()).told).toEqual([verdict]);
  });

  it("judges a card anew when one letter of it is another", async () => {
    const card = genuine();
    await judging.of(alone(card));
    const view = card["view"] as Record<string, unknown>;
    const forged = { ...card, view: { ...view, question: "another" } };
    expect((await judging.of(alone(forged))).status).toBe("altered");
    expect(asked).toHaveLength(2);
  });

  it("judges what is on screen anew when other keys are trusted", async () => {
    const following = follow(genuine());
    const first = await following.next();
    judging.setTerms(STRANGER);
    const second = await following.next();
    expect(first).toEqual(expected(genuine(), NO_TERMS));
    expect(second).toEqual(expected(genuine(), STRANGER));
    expect(second.status).toBe("unaltered");
  });

  it("does nothing when the same terms are set again", async () => {
    judging.setTerms(STRANGER);
    const following = follow(genuine());
    await following.next();
    judging.setTerms({ keys: [...STRANGER.keys], contracts: [] });
    await judging.of(alone(genuine()));
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
    const verdict = slow.of(alone(genuine()));
    await expect.poll(() => ends.length).toBe(1);
    slow.setTerms(STRANGER);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.();
    expect(await verdict).toEqual(expected(genuine(), STRANGER));
  });

  it("tells nothing after it was disposed of, and does not judge what waited", async () => {
    const following = follow(genuine());
    following.dispose();
    judging.setTerms(STRANGER);
    await judging.of(alone({ another: "card" }));
    expect(following.told).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it("judges ahead what is shown later, which is told at once then", async () => {
    const ahead = judging.ahead(() => alone(genuine()));
    await expect.poll(() => asked.length).toBe(1);
    await judging.of(alone(genuine())); // while it is under way, and after it
    const following = follow(genuine());
    expect(following.told).toEqual([expected(genuine(), NO_TERMS)]);
    expect(asked).toHaveLength(1);
    ahead.dispose();
  });

  it("does not read ahead what is gone before its turn, nor ask for what no text can be made of", async () => {
    judging
      .ahead(() => {
        throw new Error("it was read");
      })
      .dispose();
    judging.ahead(() => alone(undefined));
    await judging.of(alone(genuine()));
    expect(asked).toHaveLength(1);
  });

  it("judges anew what is under way under other terms", async () => {
    judging.ahead(() => alone(genuine()));
    await expect.poll(() => asked.length).toBe(1);
    judging.setTerms(STRANGER);
    expect(await judging.of(alone(genuine()))).toEqual(expected(genuine(), STRANGER));
  });

  it("judges a card again where that is asked for, and remembers what came of it", async () => {
    const card = genuine();
    const first = await judging.of(alone(card));
    const again = await judging.of(alone(card), "anew");
    expect([asked.length, again]).toEqual([2, first]);
    expect(await judging.of(alone(card))).toBe(again);
  });

  it("judges what is shown, and not the null that JSON makes of a number beyond all", async () => {
    const unclear = VECTORS.find(({ name }) => name === "an unsigned clarification")?.document ?? "";
    const card = JSON.parse(unclear) as { view: object };
    expect(card.view).toHaveProperty("rule", null);
    expect((await judging.of(alone(card))).status).not.toBe("altered");
    const shown = { ...card, view: { ...card.view, rule: Infinity } };
    expect(await judging.of(alone(shown))).toEqual(expected(shown));
    expect((await judging.of(alone(shown))).checks).toMatchObject([{ check: "form", cause: "unsafe_number" }]);
  });

  it("is altered where a view beside it is not what it renders, whatever else holds", async () => {
    const forged = { card: genuine(), others: { "text/html": "<b>9,999,999.99</b>" } };
    const { checks } = await judging.of(forged);
    expect(checks.at(-1)).toMatchObject({ check: "faces", status: "failed", cause: "face_differs" });
    expect((await judging.of(alone(genuine()))).checks.at(-1)).toEqual(passed("faces"));
  });

  it("refuses what no text can be made of, and remembers nothing of it", async () => {
    const endless: unknown[] = [];
    endless.push(endless);
    expect((await judging.of(alone(endless))).status).toBe("altered");
    expect((await judging.of(alone(undefined))).status).toBe("altered");
    expect((await judging.of(alone({ version: 1n }))).status).toBe("altered");
    expect(asked).toEqual([]);
  });

  it("sees in the text of a document what its parsed value no longer shows", async () => {
    const twice = GENUINE.document.replace("{", '{"kind":"query",');
    const [verdict] = await judging.ofDocument(twice);
    expect(verdict?.checks).toMatchObject([{ check: "form", status: "failed" }]);
    expect((await judging.of(alone(JSON.parse(twice)))).checks[0]?.status).toBe("passed");
  });
});
