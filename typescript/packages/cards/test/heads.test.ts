import { describe, expect, it } from "vitest";
import { cases } from "../../../tests/vectors.js";
import { headsOf, withoutPlan } from "../src/compose/heads.js";
import type { Card } from "@service-nb/records";

interface Case {
  readonly name: string;
  readonly plan: string | null;
  readonly columns: readonly { readonly name: string; readonly zone?: string }[];
  readonly heads: readonly string[];
}

function cardOf(plan: string | null): Card {
  const canonical = plan === null ? {} : { plan };
  return { kind: "query", version: 1, canonical, digests: {}, receipt: null, view: {} };
}

describe("the heads of columns", () => {
  it.each(cases<Case>("heads.json"))("are those of Python: $name", ({ plan, columns, heads }) => {
    expect(headsOf(cardOf(plan), columns)).toEqual(heads);
  });

  it("are the names where a card is composed without its plan", () => {
    const [first] = cases<Case>("heads.json");
    expect(headsOf(withoutPlan(cardOf(first?.plan ?? "")), first?.columns ?? [])).toEqual(["wage", "count"]);
  });
});
