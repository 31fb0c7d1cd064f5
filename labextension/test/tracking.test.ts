// @vitest-environment jsdom
import { createHash } from "node:crypto";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { Signal } from "@lumino/signaling";
import type { Verdict } from "@service-nb/records";
import { CARD_MIME, passed, verdict } from "@service-nb/records";
import { verifyCard } from "@service-nb/verify";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CardOutput } from "../src/output.js";
import { type Change, NotebookEvidence } from "../src/tracking.js";
import { firstDocument } from "./vectors.js";

const CARD = JSON.parse(firstDocument("cards")) as Record<string, unknown>;

/** A cell as a notebook's model has it, as far as it is read here. */
class Cell {
  readonly type = "code";
  readonly isDisposed = false;
  readonly id: string;
  readonly outputs;
  readonly contentChanged = new Signal<object, void>(this);
  readonly executionCount = null;
  readonly sharedModel = {
    source: "",
    getSource(): string {
      return this.source;
    },
  };
  reads = 0;
  card: unknown;
  others: Record<string, unknown> = {};

  constructor(id: string, card: unknown) {
    this.id = id;
    this.card = card;
    const changed = new Signal<object, void>(this);
    this.outputs = {
      changed,
      toJSON: (): unknown[] => {
        this.reads += 1;
        const data = this.card === undefined ? this.others : { [CARD_MIME]: this.card, ...this.others };
        return [{ output_type: "display_data", data }];
      },
    };
  }

  edit(source: string): void {
    this.sharedModel.source = source;
    this.contentChanged.emit();
  }

  become(card: unknown, others: Record<string, unknown> = {}): void {
    this.card = card;
    this.others = others;
    this.outputs.changed.emit();
  }
}

/** A card whose statement says what its cell said; whoever signed that is not looked at here. */
function stating(source: string): unknown {
  const card = JSON.parse(firstDocument("cards")) as { receipt: { envelope: { payload: string } } };
  const { envelope } = card.receipt;
  const statement = JSON.parse(atob(envelope.payload)) as { predicate: { place: unknown } };
  const digest = createHash("sha256").update(source).digest("hex");
  statement.predicate.place = { notebook: "a.ipynb", cell: "a", source: digest };
  envelope.payload = btoa(JSON.stringify(statement));
  return card;
}

let cells: Cell[];
let asked: string[];
let changes: Change[];
let evidence: NotebookEvidence;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  cells = ["a", "b", "c"].map((id) => new Cell(id, { ...CARD, own: id }));
  asked = [];
  changes = [];
  const model = {
    cells: {
      changed: new Signal<object, void>({}),
      get: (index: number): Cell | undefined => cells[index],
      [Symbol.iterator]: () => cells[Symbol.iterator](),
    },
    metadata: {},
    metadataChanged: new Signal<object, void>({}),
  };
  evidence = new NotebookEvidence({ model } as unknown as NotebookPanel, {
    card: judge,
    seal: () => Promise.resolve(null),
  });
  evidence.changed.connect((_, change) => void changes.push(change));
});

afterEach(() => {
  evidence.dispose();
  vi.useRealTimers();
});

function judge({ card }: CardOutput, when: "known" | "anew"): Promise<Verdict> {
  asked.push(`${String((card as Record<string, unknown>)["own"])} ${when}`);
  const met = verifyCard(card);
  const isStated = met.checks.some(({ check }) => check === "signature"); // by whomever: the statement is taken as it is
  return Promise.resolve(isStated ? verdict(met.subject, [...met.checks, passed("statement")]) : met);
}

/** Waits until every card has a verdict, and it was told. */
async function judgedAll(): Promise<void> {
  await evidence.look();
  await vi.waitFor(
    () => {
      expect(evidence.cards.every(({ verdict }) => verdict !== null)).toBe(true);
    },
    { timeout: 60_000 },
  );
  vi.runAllTimers();
}

describe("the cards of a notebook", () => {
  it("are neither read nor judged before somebody looks", async () => {
    cells[0]?.become(CARD);
    await vi.runAllTimersAsync();
    expect([cells.map(({ reads }) => reads), asked, evidence.cards]).toEqual([[0, 0, 0], [], []]);
    await evidence.look();
    expect(evidence.cards.map(({ evidence: { key } }) => key)).toEqual(["a/0", "b/0", "c/0"]);
  });

  it("are told first without their verdicts, and all verdicts of a quarter of a second in one", async () => {
    evidence.watch(true);
    await judgedAll();
    expect(changes.map(({ isOtherCards, judged }) => [isOtherCards, [...judged]])).toEqual([
      [true, []],
      [false, ["a/0", "b/0", "c/0"]],
    ]);
  });

  it("are read and judged again only where they changed, and only those are told", async () => {
    evidence.watch(true);
    await judgedAll();
    asked = [];
    cells[1]?.become({ ...CARD, own: "new" });
    vi.runAllTimers();
    await judgedAll();
    expect(cells.map(({ reads }) => reads)).toEqual([1, 2, 1]);
    expect(asked).toEqual(["new known"]);
    expect([...(changes.at(-1)?.judged ?? [])]).toEqual(["b/0"]);
  });

  it("are stale while their cell is edited, and as they were when it says again what it said", async () => {
    const [cell] = cells as [Cell];
    const last = (): unknown => evidence.cards[0]?.verdict?.checks.at(-1);
    cell.become(stating("avg(x)"));
    cell.edit("avg(x)");
    evidence.watch(true);
    await judgedAll();
    expect(last()).toMatchObject({ check: "cell", status: "passed" });
    changes = [];
    cell.edit("avg(y)");
    vi.runAllTimers();
    expect(changes.map(({ judged }) => [...judged])).toEqual([["a/0"]]);
    expect(last()).toMatchObject({ check: "cell", status: "not_checkable", cause: "cell_edited" });
    cell.edit("avg(x)");
    vi.runAllTimers();
    expect(last()).toMatchObject({ check: "cell", status: "passed" });
    expect(changes).toHaveLength(2);
    cell.edit("avg(x) ".trim());
    vi.runAllTimers();
    expect(changes).toHaveLength(2);
  });

  it("list faces whose card was taken out, and do not ask a verifier for them", async () => {
    evidence.watch(true);
    await judgedAll();
    asked = [];
    cells[1]?.become(undefined, { "text/plain": "● Answered\n  Card of service_nb 0.1.0" });
    vi.runAllTimers();
    await judgedAll();
    expect(asked).toEqual([]);
    expect(evidence.cards[1]?.evidence).toMatchObject({ key: "b/0", face: "0.1.0", kind: null });
    expect(evidence.cards[1]?.verdict?.checks).toMatchObject([
      { check: "faces", status: "failed", cause: "card_missing" },
    ]);
  });

  it("are left alone while nobody watches, and caught up with when somebody does again", async () => {
    evidence.watch(true);
    await judgedAll();
    evidence.watch(false);
    changes = [];
    cells[1]?.become({ ...CARD, own: "new" });
    await vi.runAllTimersAsync();
    expect([changes, cells[1]?.reads]).toEqual([[], 1]);
    evidence.watch(true);
    await judgedAll();
    expect(cells.map(({ reads }) => reads)).toEqual([1, 2, 1]);
    expect([...(changes.at(-1)?.judged ?? [])]).toEqual(["b/0"]);
  });

  it("are all judged anew on demand, whatever is remembered, and it is told how far that is", async () => {
    evidence.watch(true);
    await judgedAll();
    asked = [];
    const told: [number, number][] = [];
    await evidence.verifyAll((done, total) => void told.push([done, total]));
    expect(asked).toEqual(["a anew", "b anew", "c anew"]);
    expect(told[0]).toEqual([0, 3]);
    expect(told.at(-1)).toEqual([3, 3]);
    expect(evidence.cards.every(({ verdict }) => verdict !== null)).toBe(true);
  });

  it("lose their verdicts when the reader trusts others, and are judged when somebody watches", async () => {
    evidence.watch(true);
    await judgedAll();
    asked = [];
    evidence.watch(false);
    evidence.reconsider();
    expect(asked).toEqual([]);
    expect(evidence.cards.map(({ verdict }) => verdict)).toEqual([null, null, null]);
    evidence.watch(true);
    await judgedAll();
    expect(asked).toEqual(["a known", "b known", "c known"]);
  });

  it("are waited for one by one, where a command needs the verdict", async () => {
    await evidence.look();
    const [first] = evidence.cards;
    expect(first?.verdict).toBeNull();
    expect((first && (await evidence.settled(first)))?.verdict).toEqual(verifyCard({ ...CARD, own: "a" }));
  });
});
