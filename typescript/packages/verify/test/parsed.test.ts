import { isObject, JsonError, parseJson } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/vectors.js";
import { verifyCard, verifyDocument, verifyNotebook, type VerifyOptions } from "../src/index.js";

interface Case extends VerifyOptions {
  readonly name: string;
  readonly document: string;
}

const CARDS = cases<Case>("evidence/cards.json");
const [GENUINE] = CARDS as [Case];

function genuine(): Record<string, unknown> {
  return JSON.parse(GENUINE.document) as Record<string, unknown>;
}

describe("what is parsed already", () => {
  it.each(CARDS)("is judged like its text: $name", ({ document, keys = [], contracts = [] }) => {
    const options = { keys, contracts };
    expect([verifyCard(JSON.parse(document), options)]).toEqual(verifyDocument(document, options));
  });

  const notebooks = cases<Case>("evidence/notebooks.json").filter(({ document }) => isRead(document));
  it.each(notebooks)("is judged like its text, as a notebook: $name", ({ document, keys = [], contracts = [] }) => {
    const options = { keys, contracts };
    expect(verifyNotebook(JSON.parse(document), options)).toEqual(verifyDocument(document, options));
  });

  it("is not changed by being verified", () => {
    const card = genuine();
    const before = JSON.stringify(card);
    verifyCard(Object.freeze(card), GENUINE);
    expect(JSON.stringify(card)).toBe(before);
  });

  it.each([
    ["malformed_json", undefined],
    ["malformed_card", null],
    ["malformed_card", 1],
    ["malformed_card", []],
    ["malformed_card", {}],
    ["malformed_json", { ...genuine(), view: { status: () => "ok" } }],
    ["malformed_json", { ...genuine(), view: new Map() }],
    ["malformed_json", { ...genuine(), view: { question: "\ud800" } }],
    ["malformed_json", { ...genuine(), view: { "\udfff": 1 } }],
    ["unsafe_number", { ...genuine(), version: 1n }],
    ["unsafe_number", { ...genuine(), version: Number.NaN }],
    ["unsafe_number", { ...genuine(), view: { latency_ms: 2 ** 60 } }],
    ["unknown_version", { ...genuine(), version: 2 }],
    ["unknown_kind", { ...genuine(), kind: "toString" }],
    ["malformed_json", Object.create(genuine())],
  ])("is refused without being thrown at: %s", (cause, card) => {
    const { status, checks } = verifyCard(card);
    expect(status).toBe("altered");
    expect(checks).toEqual([expect.objectContaining({ check: "form", status: "failed", cause })]);
  });

  it("may hold itself", () => {
    const card = genuine();
    card["view"] = { status: "ok", card };
    expect(verifyCard(card).checks).toEqual([expect.objectContaining({ check: "form", cause: "too_deep" })]);
  });
});

/** Whether a text is a notebook that a strict reader reads: of a key twice and the like, the text alone tells. */
function isRead(document: string): boolean {
  try {
    const value = parseJson(document);
    return isObject(value) && Object.hasOwn(value, "nbformat");
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}
