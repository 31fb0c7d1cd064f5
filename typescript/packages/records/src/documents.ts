/** What the generated decoders of `shapes.ts` cannot say: versions are read before the rest, and names belong to kinds. */

import { CARD_KINDS, CARD_VERSION, type CardKind, PREDICATE_TYPES } from "./constants.js";
import { anyObject, anything, arrayOf, count, object, ShapeError, text } from "./decode.js";
import { own } from "./json.js";
import * as shapes from "./shapes.js";

export type TextName = (typeof CARD_KINDS)[CardKind]["texts"][number];
export type DigestName = (typeof CARD_KINDS)[CardKind]["digests"][number] | "view_hash" | "rows_hash";

/** A card whose texts and digests are those of its kind; `receipt` is a `Receipt` once it was read. */
export interface Card extends Omit<shapes.Card, "canonical" | "digests"> {
  readonly canonical: Readonly<Partial<Record<TextName, string>>>;
  readonly digests: Readonly<Partial<Record<DigestName, string>>>;
}

/** The statement of an outcome. */
export interface Statement extends Omit<shapes.Statement, "predicate"> {
  readonly predicate: shapes.Predicate;
}

export type LeafText =
  | Exclude<shapes.ConditionText, shapes.AnyText | shapes.AllText>
  | Exclude<shapes.HavingCondition, shapes.HavingAny | shapes.HavingAll>;

const anyCard = object<Record<keyof shapes.Card, unknown>>({
  kind: text,
  version: count,
  canonical: anything,
  digests: anything,
  receipt: anything,
  view: anything,
});

/**
 * Narrows a parsed JSON value to a card.
 *
 * @throws {ShapeError}
 */
export function decodeCard(value: unknown): Card {
  const { kind, version } = anyCard(value, "card");
  if (version !== CARD_VERSION) {
    throw new ShapeError("card.version", "a version that is known here", "unknown_version");
  }
  if (!Object.hasOwn(CARD_KINDS, kind as string)) {
    throw new ShapeError("card.kind", "a kind that is known here", "unknown_kind");
  }
  const card = shapes.card(value, "card");
  const hasRows = Object.hasOwn(card.view, "rows");
  if (hasRows) arrayOf(anything)(card.view["rows"], "card.view.rows");
  const names: readonly DigestName[] = [...CARD_KINDS[card.kind].digests, "view_hash", ...(hasRows ? ROWS : [])];
  for (const name of names) {
    const form = name === "contract_hash" ? shapes.contractHash : shapes.hash;
    if (own(card.digests, name) === undefined) throw new ShapeError("card.digests", `complete: ${name} is missing`);
    form(card.digests[name], `card.digests.${name}`);
  }
  return {
    ...card,
    canonical: requireNames<TextName>(card.canonical, CARD_KINDS[card.kind].texts, "card.canonical"),
    digests: requireNames<DigestName>(card.digests, names, "card.digests"),
  };
}

const ROWS = ["rows_hash"] as const;

function requireNames<K extends string>(
  members: Readonly<Record<string, string>>,
  names: readonly K[],
  path: string,
): Readonly<Partial<Record<K, string>>> {
  const stranger = Object.keys(members).find((name) => !(names as readonly string[]).includes(name));
  if (stranger !== undefined) throw new ShapeError(path, "without names that are not of its kind");
  return members as Partial<Record<K, string>>;
}

/** Each narrows a parsed text to what it holds, or throws a `ShapeError`. */
export const decodeText = {
  spec: (value: unknown): shapes.SpecText => shapes.specText(value, "spec"),
  plan: (value: unknown): shapes.PlanText => shapes.planText(value, "plan"),
  inspection: (value: unknown): shapes.InspectionText => shapes.inspectionText(value, "plan"),
  answer: (value: unknown): shapes.AnswerProvenance => shapes.answerProvenance(value, "provenance"),
  run: (value: unknown): shapes.RunProvenance => shapes.runProvenance(value, "provenance"),
  identity: (value: unknown): shapes.CallIdentity => shapes.callIdentity(value, "identity"),
  definition: (value: unknown): shapes.Definition => shapes.definition(value, "definition"),
  object: (value: unknown): Readonly<Record<string, unknown>> => anyObject(value, "text"),
} as const;

/**
 * Narrows a parsed JSON value to an envelope, signed or not.
 *
 * @throws {ShapeError}
 */
export function decodeEnvelope(value: unknown): shapes.Envelope {
  return shapes.envelope(value, "envelope");
}

/**
 * Narrows a parsed JSON value to a receipt.
 *
 * @throws {ShapeError}
 */
export function decodeReceipt(value: unknown): shapes.Receipt {
  return requireSigned(shapes.receipt(value, "receipt"), "receipt");
}

/** Refuses what has no signature. */
export function requireSigned<T extends { readonly envelope: shapes.Envelope }>(signed: T, path: string): T {
  if (signed.envelope.signatures.length === 0) throw new ShapeError(`${path}.envelope.signatures`, "one signature");
  return signed;
}

/**
 * Narrows a parsed JSON value to the statement of an outcome, whose type fits its kind.
 *
 * @throws {ShapeError}
 */
export function decodeStatement(value: unknown): Statement {
  const statement = decodeSubjects(value);
  const predicate = shapes.predicate(statement.predicate, "statement.predicate");
  if (statement.predicateType !== PREDICATE_TYPES[predicate.kind]) {
    throw new ShapeError("statement.predicateType", "that of its kind");
  }
  return { ...statement, predicate };
}

/** Narrows a parsed JSON value to a statement, each of whose subjects has a name of its own. */
export function decodeSubjects(value: unknown): shapes.Statement {
  const statement = shapes.statement(value, "statement");
  if (new Set(statement.subject.map(({ name }) => name)).size < statement.subject.length) {
    throw new ShapeError("statement.subject", "without the same name twice");
  }
  return statement;
}
