/**
 * Resolves a well-formed question to a plan, a request for clarification, or a rejection. Never a guess.
 *
 * The resolver is given views of sources from which everything that the policy denies has been left out, so it cannot
 * name, suggest or compare with what it does not know.
 */

import { type Catalog, type SourceView } from "../source.js";
import { formatAsk } from "./ask-format.js";
import { Binder, type Clock } from "./binder.js";
import { findSlip } from "./matching.js";
import { type Candidate, type Refusal, type Resolution, statusOf, type Way } from "./outcomes.js";
import { findSimilarNames, foldName } from "./similar.js";
import { LIMITS } from "./tables.js";
import { compareTexts } from "../values/order.js";
import { describeValue } from "./text.js";
import { OTHER_TEXT } from "./text-columns.js";
import { type Question } from "./types.js";
import { writeSpec } from "./write-spec.js";

const SOURCES_RULE = "sources are named";
const COLUMNS_RULE = "columns are named exactly";

type Bind = (question: Question) => Resolution;

/**
 * `unknown` are refusals of values that the question was read without, because they are none of their choices;
 * `isStored` tells that it is the question of a stored plan, which means what it meant when it was made.
 */
export function resolve(
  spec: Question,
  catalog: Catalog,
  clock: Clock,
  unknown: readonly Refusal[] = [],
  isStored = false,
): Resolution {
  const near = new Map<string, readonly string[]>();
  const bind: Bind = (question) => {
    const source = findSource(question, catalog);
    if ("reason" in source) return { refusals: [source] };
    const view = isStored ? { ...source, findTextOrder: () => OTHER_TEXT } : source;
    return new Binder({ ...question, sourceName: source.name }, view, clock, near).bind();
  };
  const bound = bind(spec);
  // The aggregation that the question was read without is not missing.
  const others = bound.refusals.filter(({ missing }) => missing !== "aggregation");
  const resolution = unknown.length > 0 ? { refusals: [...unknown, ...others] } : bound;
  if (statusOf(resolution) !== "needs_clarification") return resolution;
  const offers = new Offers(bind);
  const refusals = resolution.refusals.map((each) => ({ ...each, candidates: offers.findCandidates(each.ways ?? []) }));
  if (refusals.some(({ candidates }) => candidates.length > 0)) return { refusals };
  // No similar name resolves: nothing is to be clarified.
  return { refusals: refusals.map((each) => (hasWays(each) && each.missing === undefined ? toRejection(each) : each)) };
}

function hasWays(refusal: Refusal): boolean {
  return (refusal.ways ?? []).length > 0;
}

function toRejection(refusal: Refusal): Refusal {
  if (refusal.unknown !== undefined) {
    const { slot } = refusal.unknown;
    return { ...refusal, status: "rejected", code: `unknown_${slot}`, rule: `${slot}s are named exactly`, ways: [] };
  }
  const isSource = refusal.name === undefined;
  const [code, rule] = isSource ? ["unknown_source", SOURCES_RULE] : ["unknown_field", COLUMNS_RULE];
  return { ...refusal, status: "rejected", code, rule, ways: [] };
}

function findSource(spec: Question, catalog: Catalog): SourceView | Refusal {
  const known = catalog.sources;
  const name = spec.sourceName;
  if (name === undefined) return findOnlySource(spec, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const near = findSimilarNames(name, known.keys());
  if (catalog.isRestricted)
    return {
      status: "rejected",
      code: "policy_denied_source",
      reason: `The policy does not allow the source ${describeValue(name)}.`,
      rule: "allowed_sources",
      didYouMean: near,
    };
  if (near.length > 0)
    return {
      status: "needs_clarification",
      reason: `No source is named ${describeValue(name)}; some have similar names.`,
      didYouMean: near,
      ways: listSourceWays(spec, near),
    };
  const reason = `No source is named ${describeValue(name)}.`;
  return { status: "rejected", code: "unknown_source", reason, rule: SOURCES_RULE };
}

function findOnlySource(spec: Question, known: ReadonlyMap<string, SourceView>): SourceView | Refusal {
  const [first] = known.values();
  if (first === undefined) {
    const rule = "a question needs a source";
    return { status: "rejected", code: "no_source", reason: "No source is registered.", rule };
  }
  if (known.size === 1) return first;
  return {
    status: "needs_clarification",
    reason: `${String(known.size)} sources are registered and the question names none.`,
    missing: "source_name",
    ways: listSourceWays(spec, [...known.keys()].sort(compareTexts)),
  };
}

function listSourceWays(spec: Question, names: readonly string[]): Way[] {
  return names.map((name) => ({ slot: "source_name", name, type: "source", spec: { ...spec, sourceName: name } }));
}

/** Finds lines to offer in place of a question that cannot be resolved; each of them can be, all faults mended. */
class Offers {
  readonly #bind: Bind;
  readonly #lines = new Set<string>();
  #left: number = LIMITS.tried;

  constructor(bind: Bind) {
    this.#bind = bind;
  }

  /** A candidate for each way that leads to a question that resolves, each line once. */
  findCandidates(ways: readonly Way[]): Candidate[] {
    const found: Candidate[] = [];
    for (const { slot, name, type, spec } of ways) {
      const mended = this.#mend(spec);
      if (mended === undefined) continue;
      const ask = formatAsk(writeSpec(mended));
      if (this.#lines.has(ask) || found.length >= LIMITS.offered) continue;
      this.#lines.add(ask);
      found.push({ slot, name, type, ask });
    }
    return found;
  }

  /** Mends names with one letter wrong: beyond them, a candidate differs in its own slot alone. */
  #mend(spec: Question): Question | undefined {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    const met = this.#bind(spec);
    if (met.plan !== undefined || statusOf(met) !== "needs_clarification") return met.plan && spec;
    const [refusal] = met.refusals;
    const typed = foldName(refusal?.name ?? (refusal?.missing === undefined ? spec.sourceName : undefined) ?? "");
    const ways = refusal?.ways ?? [];
    const [near, second] = ways.filter(({ name }) => findSlip(typed, [foldName(name)]) !== undefined);
    return near === undefined || second !== undefined ? undefined : this.#mend(near.spec);
  }
}
