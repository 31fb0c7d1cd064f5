import { beforeEach, describe, expect, it, vi } from "vitest";
import { headline } from "@service-nb/cards";
import { cases } from "../../typescript/tests/vectors.js";
import { type Case, judged, type Judge, judgeInSlices } from "../src/judge.js";
import { judgeElsewhere, type Question, READY } from "../src/judge-elsewhere.js";
import { Queue } from "../src/queue.js";
import { SlowPage } from "./surroundings.js";

const [VECTOR] = cases<{ document: string }>("evidence/cards.json") as [{ document: string }];
const CASE: Case = { what: "document", text: VECTOR.document, terms: {} };

/** What a browser gives for a thread; it answers when a test says so. */
class Thread {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: { preventDefault: () => void }) => void) | null = null;
  isTerminated = false;
  readonly questions: Question[] = [];

  postMessage(question: Question): void {
    this.questions.push(structuredClone(question));
  }

  terminate(): void {
    this.isTerminated = true;
  }

  async answer(): Promise<void> {
    for (const question of this.questions.splice(0).reverse()) {
      this.onmessage?.({ data: { id: question.id, verdicts: await judged(question) } });
    }
  }

  fail(): void {
    this.onerror?.({ preventDefault: () => undefined });
  }
}

let thread: Thread;
let here: number;
const instead: Judge = (each) => {
  here += 1;
  return judged(each);
};

beforeEach(() => {
  thread = new Thread();
  here = 0;
});

function elsewhere(): Judge {
  return judgeElsewhere(() => thread as unknown as Worker, instead);
}

describe("a judge in a thread of its own", () => {
  it("gives each who asks the answer to his question, in whatever order they come", async () => {
    const judge = elsewhere();
    const good = judge(CASE);
    const bad = judge({ ...CASE, text: "{" });
    thread.onmessage?.({ data: READY });
    await thread.answer();
    expect(await good).toEqual(await judged(CASE));
    expect((await bad)[0]?.checks[0]?.cause).toBe("malformed_json");
    expect(here).toBe(0);
  });

  it("is replaced by the page where there may be no thread", async () => {
    const judge = judgeElsewhere(() => {
      throw new DOMException("blocked by the policy of content", "SecurityError");
    }, instead);
    expect(await judge(CASE)).toEqual(await judged(CASE));
    expect(await judge(CASE)).toEqual(await judged(CASE));
    expect(here).toBe(2);
  });

  it("leaves to the page what it was asked when it broke, and all that follows", async () => {
    const judge = elsewhere();
    const open = [judge(CASE), judge(CASE)];
    thread.fail();
    expect(await Promise.all(open)).toEqual([await judged(CASE), await judged(CASE)]);
    await judge(CASE);
    expect(here).toBe(3);
    expect(thread.isTerminated).toBe(true);
  });

  it("is not waited for without end when it never comes up", async () => {
    vi.useFakeTimers();
    try {
      const verdicts = elsewhere()(CASE);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await verdicts).toEqual(await judged(CASE));
    } finally {
      vi.useRealTimers();
    }
  });

  it("may take its time once it is there", async () => {
    vi.useFakeTimers();
    try {
      const verdicts = elsewhere()(CASE);
      thread.onmessage?.({ data: READY });
      await vi.advanceTimersByTimeAsync(60_000);
      await thread.answer();
      expect(await verdicts).toEqual(await judged(CASE));
      expect(here).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a judge in the page itself", () => {
  it("says what the verifier says, once the page had its turn", async () => {
    const page = new SlowPage();
    const said: unknown[] = [];
    const verdicts = judgeInSlices(new Queue(1, page))(CASE).then((each) => said.push(...each));
    await Promise.resolve();
    expect(said).toEqual([]);
    await page.turn();
    await verdicts;
    expect(said).toEqual(await judged(CASE));
  });

  it("says that it broke off, rather than nothing, and goes on", async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const here = judgeInSlices();
    const [verdict] = await here({ what: "output", text: "{", terms: {} });
    expect(verdict).toMatchObject({ status: "not_checkable", checks: [{ check: "form", cause: "verifier_failed" }] });
    const said = verdict && headline(verdict);
    expect(said?.state).toBe("not_checkable");
    expect(said?.label).toContain("broke off");
    expect(logged).toHaveBeenCalledOnce();
    expect(await here(CASE)).toEqual(await judged(CASE));
    logged.mockRestore();
  });
});
