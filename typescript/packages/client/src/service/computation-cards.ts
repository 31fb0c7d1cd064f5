/** The cards of computations: the call, what it was computed by, and the texts that were hashed. */

import { canonicalText, encodeUtf8, MOST_NOTES, nameSource, type ReadingNote } from "@service-nb/records";
import { type Bound, describeBinding } from "../compute/binding.js";
import { type Contract, formatType } from "../compute/contract.js";
import { iterIdentity, iterList, iterValue } from "../compute/identity.js";
import { buildComputation, buildEnvelope, type Computation, type Computed } from "../compute/plane.js";
import { findPairsByPlace } from "../compute/samples.js";
import { countResultRows, describePromise, formatCall, listResultColumns, listResultRows } from "../compute/words.js";
import { digestTexts } from "../digests.js";
import { listFormColumns } from "../query/condition-groups.js";
import { CARD_BYTES, chooseNotes, describeReading, sealCard, type Unsigned } from "./cards.js";
import { type Receipts } from "./receipts.js";
import { type InputForm, type Registry } from "./registry.js";

const DEFINITION_DOMAIN = "service:definition:v1";
const PROVENANCE_DOMAIN = "service:provenance:v1";
const KEPT_CHARS = 8 * 1024 ** 2; // of one text that a statement names

/** Returns a computation with what the specification says of it; its card is built and signed when it is looked at. */
export function signComputation(
  computed: Computed,
  contract: Contract,
  registry: Registry,
  receipts: Receipts,
): Computation {
  const sources = listSources(computed.bound);
  const inputs = sources.map((name) => registry.buildInput(registry.get(name)));
  const notes = chooseBoundNotes(computed, registry);
  const time = new Date();
  return buildComputation(computed, describeReading(notes), () => {
    const definition = contract.buildDefinition(computed.checked.capability.id);
    const unsigned = buildComputationCard(computed, definition, inputs, notes);
    return receipts.sign(unsigned, computed.requestId, inputs, time);
  });
}

function listSources(bound: readonly Bound[]): readonly string[] {
  return [...new Set(bound.map(({ binding }) => binding.source))];
}

/**
 * That rows are paired by their place, and the notes that concern the columns that bindings read; that of `over` stands in the condition of its group. Of several
 * sources each note names its own, because their columns may have the same names.
 */
function chooseBoundNotes({ bound, checked }: Computed, registry: Registry): readonly ReadingNote[] {
  const paired = findPairsByPlace(checked.capability, bound).map((columns) => ({ kind: "by_place", columns }));
  const sources = listSources(bound);
  const chosen = sources.flatMap((name) => {
    const told = registry.listNotes(registry.get(name));
    if (told.length === 0) return [];
    const used = bound.filter(({ binding }) => binding.source === name).flatMap(listColumns);
    return chooseNotes(sources.length > 1 ? nameSource(told, name) : told, used);
  });
  return [...paired, ...chosen].slice(0, MOST_NOTES);
}

function listColumns({ fields, filter }: Bound): readonly string[] {
  return [...fields, ...listFormColumns(filter?.conditions ?? [])];
}

/** Builds the card of a computation. Long texts are left to their hashes. */
export function buildComputationCard(
  computed: Computed,
  definition: string,
  inputs: readonly InputForm[],
  notes: readonly ReadingNote[],
): Unsigned {
  const { checked, bound, args, scope, value } = computed;
  const bindings = makePortable(bound.map(describeBinding)) as readonly Readonly<Record<string, unknown>>[];
  const determinism = buildEnvelope(computed);
  const reading = describeReading(notes);
  const provenance = canonicalText(makePortable({ bindings, determinism, sources: inputs, ...reading }));
  const texts = {
    definition,
    provenance,
    identity: join(iterIdentity(checked, bound, scope), KEPT_CHARS),
    value: join(iterValue(value), KEPT_CHARS),
    arguments: join(iterList(args), CARD_BYTES),
  };
  const known = Object.entries(texts).filter((each): each is [string, string] => each[1] !== undefined);
  const shown = known.filter(([, text]) => text.length <= CARD_BYTES);
  const digests = {
    invocation_hash: computed.invocationHash,
    computation_hash: computed.computationHash,
    input_hash: computed.inputHash,
    contract_hash: scope.contractHash,
    definition_hash: digestTexts(DEFINITION_DOMAIN, definition),
    provenance_hash: digestTexts(PROVENANCE_DOMAIN, provenance),
  };
  const view = { ...describeView(computed, bindings), ...reading };
  const { card } = sealCard("computation", Object.fromEntries(shown), digests, view);
  // What is too long to be kept at all is named by the hash of its text.
  const subjects = texts.arguments === undefined ? { arguments: computed.inputHash } : {};
  const signed = { bindings, determinism: { ...determinism }, contractHash: scope.contractHash, subjects };
  return { card, texts: Object.fromEntries(known), about: signed };
}

function describeView(
  computed: Computed,
  bindings: readonly Readonly<Record<string, unknown>>[],
): Record<string, unknown> {
  const { checked, bound, value, scope, description } = computed;
  const { id, tier, entry } = checked.capability;
  return makePortable({
    status: "ok",
    call: id,
    question: formatCall(checked, bound),
    summary: entry.summary,
    columns: listResultColumns(entry.result),
    rows: listResultRows(value, entry.result),
    row_count: countResultRows(value),
    value_type: formatType(entry.result),
    formula: entry.formula ?? null,
    latex: entry.latex ?? null,
    citation: entry.source,
    tier,
    ...(entry.grade !== undefined && { grade: entry.grade }),
    promise: describePromise(tier, description.isPinned),
    version: entry.version,
    bindings,
    determinism: buildEnvelope(computed),
    scope: scope.executionScope,
    request_id: computed.requestId,
    latency_ms: computed.latencyMs,
  }) as Record<string, unknown>;
}

/** The text of pieces, undefined if it is longer than that. */
function join(pieces: Iterable<string>, most: number): string | undefined {
  const kept: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    kept.push(piece);
    size += piece.length > most ? piece.length : encodeUtf8(piece).length;
    if (size > most) return undefined;
  }
  return kept.join("");
}

/** A value as JSON that every front end keeps: large numbers as text. */
function makePortable(value: unknown): unknown {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return canonicalText(value).replaceAll('"', "");
  if (typeof value === "bigint") return makePortable(Number(value)) === Number(value) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(makePortable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, makePortable(each)]));
}
