import { verifyCard } from "@service-nb/verify";
import { describe, expect, it } from "vitest";
import { withLoaded } from "../src/loaded.js";
import { firstDocument } from "./vectors.js";

describe("a verdict with a loaded text", () => {
  const card = JSON.parse(firstDocument("cards")) as { canonical: Record<string, string> };
  const { result = "", ...texts } = card.canonical;
  const without = verifyCard({ ...card, canonical: texts });
  const loaded = (text: string): ReturnType<typeof withLoaded> =>
    withLoaded(without, verifyCard({ ...card, canonical: { ...texts, result: text } }));

  it("decides what was open for want of the text, and nothing else", () => {
    const met = loaded(result);
    expect(without.checks.find(({ check }) => check === "shown")).toMatchObject({ status: "not_checkable" });
    expect(met.checks).toEqual(verifyCard(card).checks);
    expect(withLoaded(without, undefined)).toBe(without);
  });

  it("is loud where the text is another", () => {
    expect(loaded(`${result} `).status).toBe("altered");
  });

  it("takes back nothing that failed", () => {
    const forged = verifyCard({ ...card, kind: "error", canonical: texts });
    expect(withLoaded(forged, verifyCard(card)).status).toBe(forged.status);
  });
});
