import { decodeCard } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import { clip, duration, isNumber, separated, visible, word } from "../src/format.js";
import { compose } from "../src/index.js";
import { formulaText } from "../src/formula.js";
import { isPlainLatex } from "../src/latex.js";
import { asPythonHas, cardCases, cardNamed, casesOf } from "./vectors.js";

interface TextCase {
  readonly text: string;
  readonly visible: string;
  readonly word: string;
  readonly number: string;
  readonly is_number: boolean;
  readonly clipped: readonly string[];
}

describe("blocks", () => {
  it.each(cardCases())("$name: the words are those that Python composes", ({ card, blocks }) => {
    expect(compose(decodeCard(card)).map(asPythonHas)).toEqual(blocks);
  });

  it("carries the exact cells of a result, and what its columns are", () => {
    const card = cardNamed("numbers");
    const table = compose(decodeCard(card)).find((block) => block.block === "table");
    const view = card["view"] as { rows: string[][]; columns: { type: string; role: string }[] };
    expect(table?.exact).toEqual(view.rows);
    expect(table?.heads.map(({ type, role }) => ({ type, role }))).toEqual(
      view.columns.map(({ type, role }) => ({ type, role })),
    );
  });

  it("carries the exact text of a single value", () => {
    expect(compose(decodeCard(cardNamed("one number")))).toContainEqual(
      expect.objectContaining({ block: "figure", value: "2,257,174", exact: "2257174" }),
    );
  });
});

describe("texts", () => {
  it.each(casesOf("texts") as TextCase[])("$text is written as Python writes it", (expected) => {
    const { text } = expected;
    const seen = visible(text);
    expect({
      text,
      visible: seen,
      word: word(text),
      number: separated(text),
      is_number: isNumber(text),
      clipped: [1, 8, 64].map((cells) => clip(seen, cells)),
    }).toEqual(expected);
  });

  it.each(casesOf("durations") as { milliseconds: number; said: string }[])("$milliseconds ms is $said", (each) => {
    expect(duration(each.milliseconds)).toBe(each.said);
  });

  it.each(casesOf("latex") as { latex: string; is_plain: boolean }[])("$latex: is it mathematics alone?", (each) => {
    expect(isPlainLatex(each.latex)).toBe(each.is_plain);
  });

  it.each(casesOf("formulas") as { latex: string; shown: string }[])("$latex is read", (each) => {
    expect(formulaText("as computed", each.latex)).toBe(each.shown);
  });

  it("leaves what would keep a typesetter busy for minutes as text", () => {
    expect(isPlainLatex("x".repeat(5_000))).toBe(true);
    expect(isPlainLatex("x".repeat(5_001))).toBe(false);
  });
});

describe("a view without its shape", () => {
  const odd: readonly unknown[] = [null, 1, "x", [], {}, [[]], [null], [{}], true, -1, Infinity, { a: 1 }];

  it.each(cardCases())("$name: whatever one member is, the card has a status and its hashes", ({ card }) => {
    const view = card["view"] as Record<string, unknown>;
    for (const key of Object.keys(view).filter((each) => each !== "rows")) {
      for (const value of odd) {
        const blocks = compose(decodeCard({ ...card, view: { ...view, [key]: value } }));
        expect(blocks.some(({ block }) => block === "status")).toBe(true);
        expect(JSON.stringify(blocks.at(-1))).toContain("hashes");
      }
    }
  });

  it.each(cardCases())("$name: without any member it is a card that says so", ({ card }) => {
    const digests = { ...(card["digests"] as Record<string, unknown>) };
    delete digests["rows_hash"];
    const blocks = compose(decodeCard({ ...card, view: {}, digests }));
    expect(blocks.some(({ block }) => block === "status")).toBe(true);
    expect(JSON.stringify(blocks)).toContain("cannot be shown");
  });

  it("keeps the answer where only its details cannot be read", () => {
    const card = cardNamed("grouped");
    const view = { ...(card["view"] as Record<string, unknown>), plan: 7, source: { name: 1 } };
    const blocks = compose(decodeCard({ ...card, view }));
    expect(blocks.map(({ block }) => block)).toEqual(["title", "table", "sentence", "status", "facts"]);
  });

  it("does not take rows of another width for an answer", () => {
    const card = cardNamed("grouped");
    const view = { ...(card["view"] as Record<string, unknown>), rows: [["AA", "1.6", "2"], ["BB"]] };
    expect(compose(decodeCard({ ...card, view })).some(({ block }) => block === "table")).toBe(false);
  });
});
