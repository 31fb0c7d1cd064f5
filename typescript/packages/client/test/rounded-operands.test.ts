import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createService } from "../src/index.js";

interface Vectors {
  readonly text: string;
  readonly cases: readonly { readonly question: string; readonly notes: Readonly<Record<string, string>> }[];
}

const VECTORS = new URL("../../../../tests/vectors/rounded_operands.json", import.meta.url);
const { text, cases } = JSON.parse(readFileSync(VECTORS, "utf8")) as Vectors;

test.each(cases)("a plan notes operands that no double equals, as Python's does: $question", async (each) => {
  const service = createService();
  await service.connect(new TextEncoder().encode(text), { name: "t" });
  const { plan } = await service.resolve(each.question);
  expect(plan?.["notes"]).toEqual(each.notes);
  const { card } = await service.ask(each.question);
  const noted = Object.entries(each.notes).map(([name, note]) => `${name}: ${note}`);
  expect(card.view["notes"]).toEqual(noted);
});
