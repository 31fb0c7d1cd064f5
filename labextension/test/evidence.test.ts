import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type CellOutputs, type Evidence, evidenceIn, movedTo, sourcesSeen, withOwnKeys } from "../src/evidence.js";

const CARD = "application/vnd.service-nb.card.v1+json";
const CLAIMS = new URL("../../notebooks/audit/claims.ipynb", import.meta.url);

function claims(): Evidence[] {
  const notebook = JSON.parse(readFileSync(CLAIMS, "utf-8")) as { cells: CellOutputs[] };
  return notebook.cells.flatMap((cell, index) =>
    evidenceIn({ id: cell.id, outputs: (cell.outputs as CellOutputs["outputs"] | undefined) ?? [] }, index + 1),
  );
}

function cellOf(...cards: unknown[]): CellOutputs {
  return { id: "a", outputs: cards.map((card) => ({ output_type: "display_data", data: { [CARD]: card } })) };
}

describe("the evidence of a notebook", () => {
  it("lists its cards in the order of the cells, counted as people count", () => {
    expect(claims().map(({ cell, output, kind }) => [cell, output, kind])).toEqual([
      [4, 1, "query"],
      [6, 1, "query"],
      [8, 1, "query"],
      [10, 1, "query"],
      [11, 1, "query"],
      [13, 1, "clarification"],
    ]);
  });

  it("says of a card its question, and from its signed statement its id, its time and its key", () => {
    const [first] = claims();
    expect(first?.question).toBe("Count of rows by origin in flights");
    expect(first?.id).toMatch(/^query_[0-9a-f]{16}$/);
    expect(first?.time).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(first?.signer).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });

  it("keeps cards apart whose cells have one id, so that none hides another", () => {
    const twice = withOwnKeys([1, 2, 3].flatMap((number) => evidenceIn(cellOf({}, {}), number)));
    expect(new Set(twice.map(({ key }) => key)).size).toBe(6);
    expect(twice.map(({ cell }) => cell)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(twice.slice(0, 2).map(({ key }) => key)).toEqual(["a/0", "a/1"]);
  });

  it("counts all outputs of a cell, those before a card too", () => {
    const cell = cellOf({});
    const outputs = [{ output_type: "stream", text: "hello" }, ...cell.outputs];
    expect(evidenceIn({ id: "a", outputs }, 7).map((each) => [each.key, each.cell, each.output])).toEqual([
      ["a/1", 7, 2],
    ]);
  });

  it.each([null, 7, "text", [], {}, { kind: "query" }, { kind: "query", version: 2 }])(
    "lists what stands where a card stands and is none: %j",
    (card) => {
      expect(evidenceIn(cellOf(card), 1)).toMatchObject([{ card, kind: null, question: "", id: null, signer: null }]);
    },
  );

  it.each([undefined, null, 7, "outputs", [null], [{ data: null }], [{ data: [] }], [{}]])(
    "passes over outputs that have no data: %j",
    (outputs) => {
      expect(evidenceIn({ id: "a", outputs: Array.isArray(outputs) ? outputs : [outputs] }, 1)).toEqual([]);
    },
  );

  it("believes no name that a card inherits", () => {
    const data = Object.create({ [CARD]: {} }) as object;
    expect(evidenceIn({ id: "a", outputs: [{ data }] }, 1)).toEqual([]);
  });

  it("keeps the cards of a cell that moved, and gives them the new number", () => {
    const cards = evidenceIn(cellOf({}, {}), 1);
    expect(movedTo(cards, 1, null)).toBe(cards);
    expect(movedTo(cards, 3, null).map(({ cell, key }) => [cell, key])).toEqual([
      [3, "a/0"],
      [3, "a/1"],
    ]);
  });

  it("cuts a question that would fill the page", () => {
    const [first] = claims();
    const card = structuredClone(first?.card) as { view: { question: string } };
    card.view.question = "x".repeat(10_000);
    expect(evidenceIn(cellOf(card), 1)[0]?.question.length).toBeLessThan(400);
  });
});

describe("the sources that cards name", () => {
  it("are listed once, with the columns that were grouped by", () => {
    const [flights, ...others] = sourcesSeen(claims());
    expect(others).toEqual([]);
    expect(flights).toMatchObject({ name: "flights", rows: 27_004 });
    expect(flights?.fields.map(({ name }) => name)).toEqual(["origin", "carrier"]);
  });
});
