import { isObject, type Verdict } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import { verifyCard } from "../src/index.js";
import { COMPUTED, COUNTED, DRAFTS, GROUPED, REPLAYED, SEEDED } from "./drafts.js";
import { AUTHOR, card, type Draft, type Members, publicKey, STRANGER, without } from "./making.js";

/** What nothing can be compared with: how long it took, and the id where no statement has it. */
const WORDS = ["latency_ms"];
const UNSIGNED_WORDS = [...WORDS, "query_id", "request_id"];

function contractsOf({ texts }: Draft): string[] {
  const identity = texts["identity"] as Members | undefined;
  return identity === undefined ? [] : [String(identity["contract_hash"])];
}

function judged(draft: Draft, secret?: Uint8Array, id?: string): Verdict {
  const contracts = contractsOf(draft);
  return verifyCard(card(draft, secret, id), { keys: [publicKey(AUTHOR)], contracts });
}

function checkOf(verdict: Verdict, name: string): readonly [string, string | null] {
  const found = verdict.checks.find(({ check }) => check === name);
  if (found === undefined) throw new Error(`${name} was not checked`);
  return [found.status, found.cause];
}

type Path = readonly (string | number)[];

/** Every leaf of a JSON value, empty lists and objects among them. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  const keys = Array.isArray(value) ? [...value.keys()] : isObject(value) ? Object.keys(value) : [];
  if (keys.length === 0) return [path];
  return keys.flatMap((key) => leavesOf((value as Members)[key], [...path, key]));
}

/** The same with another leaf. */
function altered(value: unknown, [key, ...rest]: Path, change: (leaf: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Members) }) as Members;
  copy[key] = altered(copy[key], rest, change);
  return copy;
}

const CHANGES: readonly (readonly [string, (leaf: unknown) => unknown])[] = [
  ["another of its kind", another],
  ["null", (leaf) => (leaf === null ? "something" : null)],
  ["a list of itself", (leaf) => [leaf]],
];

function another(leaf: unknown): unknown {
  if (typeof leaf === "string") return `${leaf}1`;
  if (typeof leaf === "number") return leaf + 1;
  if (typeof leaf === "boolean") return !leaf;
  if (Array.isArray(leaf)) return ["x"];
  return leaf === null ? "x" : { x: 1 };
}

describe.each(DRAFTS)("%s", (_, draft) => {
  it("is consistent unsigned, verified by its author's key, unaltered by a stranger's", () => {
    expect(judged(draft)).toMatchObject({ status: "consistent" });
    expect(judged(draft, AUTHOR)).toMatchObject({ status: "verified" });
    expect(judged(draft, STRANGER)).toMatchObject({ status: "unaltered" });
  });

  const leaves = leavesOf(draft.view);

  it.each(CHANGES)(
    "is altered with any leaf of its view changed to %s, hashed anew, unless it is a word",
    (__, change) => {
      const unseen = leaves.filter((path) => {
        const view = altered(draft.view, path, change) as Members;
        return judged({ ...draft, view }).status !== "altered";
      });
      const words = change(null) === "x" || change(null) === "something" ? UNSIGNED_WORDS : [];
      expect(unseen.filter(([key]) => !words.includes(String(key)))).toEqual([]);
    },
  );

  it("is altered with any leaf of its view changed, signed by whoever changed it, unless it is a word", () => {
    const unseen = leaves.filter((path) => {
      const view = altered(draft.view, path, another) as Members;
      return [AUTHOR, STRANGER].some((secret) => judged({ ...draft, view }, secret, idOf(draft)).status !== "altered");
    });
    expect(unseen.filter(([key]) => !WORDS.includes(String(key)))).toEqual([]);
  });

  it("is altered with a member of its view taken out, or one more put in", () => {
    for (const key of Object.keys(draft.view)) {
      expect(judged({ ...draft, view: without(draft.view, key) }).status, key).toBe("altered");
    }
    for (const key of ["note", "verified", "__proto__", "rows_hash"]) {
      const view = Object.fromEntries([...Object.entries(draft.view), [key, "yes"]]);
      expect(judged({ ...draft, view }).status, key).toBe("altered");
    }
  });

  it("is altered with any leaf of a text changed that something shown follows from", () => {
    const unseen = Object.entries(draft.texts).flatMap(([name, text]) =>
      leavesOf(text)
        .filter((path) => {
          const texts = { ...draft.texts, [name]: altered(text, path, another) };
          return judged({ ...draft, texts }).status !== "altered";
        })
        .map((path) => [name, ...path].join(".")),
    );
    expect(unseen.filter((path) => !NOT_SHOWN.some((each) => each.test(path)))).toEqual([]);
  });
});

function idOf({ view }: Draft): string | undefined {
  return (view["query_id"] ?? view["request_id"]) as string | undefined;
}

/** What texts hold and no card shows: a change of it is another card, and shows nothing else. */
const NOT_SHOWN = [
  /^provenance\.sources\.0\.origin/, // a statement has it
  /^provenance\.sources\.0\.(row_count|content|reading|source_id)/, // of a computation; a statement has it
  /^result\.[345]\./, // rows that are not shown, in the order and of the types that they must have
  /^provenance\.shown_rows$/, // more than there are; fewer shows
  /^identity\.args\.0\.[3-8]$/, // items that are not written out
  /^value\.way\.1\.20$/, // items that are not shown
  /^(error\.(retryable|source))$/,
  /^report\.(kind|time|verified|signer|comparison\.(values|largest_ulps|differences\.0\.(path|by)))/,
];

describe("a signed card", () => {
  it("is altered where its statement is about another input than its text", () => {
    const { receipt } = card(COMPUTED, AUTHOR);
    const told = altered(COMPUTED.texts["provenance"], ["sources", 0, "origin", "file"], another);
    const forged = card({ ...COMPUTED, texts: { ...COMPUTED.texts, provenance: told } });
    const verdict = verifyCard({ ...forged, receipt }, { keys: [publicKey(AUTHOR)], contracts: contractsOf(COMPUTED) });
    expect(checkOf(verdict, "statement")).toEqual(["failed", "receipt_of_another_card"]);
  });

  it("is altered where it shows another id than was signed", () => {
    expect(checkOf(judged(GROUPED, AUTHOR, "query_0000000000000000"), "statement")).toEqual([
      "failed",
      "receipt_of_another_card",
    ]);
  });
});

describe("a result", () => {
  const { provenance, result } = GROUPED.texts as { provenance: Members; result: readonly Members[] };

  function ofRows(rows: readonly Members[]): Verdict {
    const told = { ...provenance, row_count: rows.length };
    return judged({
      ...GROUPED,
      texts: { ...GROUPED.texts, provenance: told, result: rows },
      view: { ...GROUPED.view, row_count: rows.length },
    });
  }

  it.each([
    ["rows in another order", [0, 1, 2, 4, 3, 5]],
    ["a null before a number", [0, 1, 2, 5, 3, 4]],
    ["a row twice", [0, 1, 2, 3, 4, 4, 5]],
    ["ties in the order of code units", [1, 0, 2, 3, 4, 5]],
  ])("with %s is altered", (_, places) => {
    expect(checkOf(ofRows(places.map((at) => result[at] ?? {})), "shown")).toEqual(["failed", "shown_differs"]);
  });

  it("is ordered by decimals that no float tells apart", () => {
    const [first, , , last] = result as [Members, Members, Members, Members];
    const one = { ...last, by: 9, delay: "99999999999999999.02" };
    expect(ofRows([...result.slice(0, 4), one, ...result.slice(4)]).status).toBe("consistent");
    expect(ofRows([...result.slice(0, 3), one, ...result.slice(3)]).status).toBe("altered");
    expect(first["delay"]).toBe("-3.50");
  });

  it.each([
    ["more rows than its limit", { ...(GROUPED.texts["plan"] as Members), limit: 5 }],
    ["no groups and many rows", { ...(GROUPED.texts["plan"] as Members), group_by: [] }],
  ])("with %s is altered", (_, plan) => {
    expect(judged({ ...GROUPED, texts: { ...GROUPED.texts, plan } }).status).toBe("altered");
  });

  it("that is not in the card leaves its rows to be compared with nothing, and says so", () => {
    const texts = without(GROUPED.texts, "result");
    const kept = card(GROUPED) as { digests: Record<string, string> };
    const withDigest = (draft: Draft): Verdict => {
      const made = card(draft) as Members & { digests: Record<string, string> };
      return verifyCard({ ...made, digests: { ...made.digests, result_hash: kept.digests["result_hash"] ?? "" } });
    };
    expect(checkOf(withDigest({ ...GROUPED, texts }), "shown")).toEqual(["not_checkable", "shown_not_kept"]);
    const withoutRows = withDigest({ ...GROUPED, texts, view: { ...GROUPED.view, rows: [] } });
    expect(checkOf(withoutRows, "shown")).toEqual(["passed", null]);
    expect(withoutRows.status).toBe("consistent");
  });
});

describe("a call", () => {
  function called(identity: Members): readonly [string, string | null] {
    const texts = { ...SEEDED.texts, identity: { ...(SEEDED.texts["identity"] as Members), ...identity } };
    return checkOf(judged({ ...SEEDED, texts }), "capability");
  }

  it("fits its capability", () => {
    expect(called({})).toEqual(["passed", null]);
  });

  it.each<[string, Members]>([
    ["an argument is missing", { args: [[1]] }],
    ["an argument is given twice", { kwargs: { steps: [1] } }],
    ["an argument is too many", { args: [[1], true, 1] }],
    ["an argument has another name", { args: [[1]], kwargs: { is_short: true } }],
    ["a whole number has a fraction", { args: [[1.5], true] }],
    ["a truth is a number", { args: [[1], 1] }],
    ["an array is a number", { args: [1, true] }],
    ["a simulation has no seed", { seed: null }],
    ["it calls something else", { function: "run" }],
  ])("does not fit where %s", (_, identity) => {
    expect(called(identity)).toEqual(["failed", "call_misfit"]);
  });

  it.each<[string, Members]>([
    ["another index", { index: 0 }],
    ["another size", { size: 3 }],
    ["no proof", { proof: [] }],
    ["another sibling", { proof: ["0".repeat(64)] }],
  ])("of a capability with %s is none of its contract", (_, change) => {
    const texts = { ...SEEDED.texts, definition: { ...(SEEDED.texts["definition"] as Members), ...change } };
    const verdict = judged({ ...SEEDED, texts });
    expect(checkOf(verdict, "capability")).toEqual(["failed", "capability_not_in_contract"]);
    expect(verdict.status).toBe("altered");
  });

  it("under a contract that is not known here is not checkable, whoever signed it", () => {
    const { status, checks } = verifyCard(card(COMPUTED, AUTHOR), { keys: [publicKey(AUTHOR)] });
    expect(status).toBe("not_checkable");
    expect(checks.at(-1)).toMatchObject({ check: "contract", cause: "no_known_contracts" });
  });
});

describe("a message", () => {
  it("names the leaf, what was recorded, and what is shown", () => {
    const rows = [["9999999.99"]];
    const { checks } = judged({ ...COUNTED, view: { ...COUNTED.view, rows } });
    expect(checks.find(({ check }) => check === "shown")?.message).toBe(
      "rows[0][0]: recorded is 336776; shown is 9999999.99.",
    );
  });

  it("names what is shown and was never recorded", () => {
    const { checks } = judged({ ...REPLAYED, view: { ...REPLAYED.view, note: "audited" } });
    expect(checks.find(({ check }) => check === "shown")?.message).toBe("note: recorded is nothing; shown is audited.");
  });
});
