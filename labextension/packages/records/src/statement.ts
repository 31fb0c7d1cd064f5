import type { CardKind } from "./card.js";
import { anyObject, anything, arrayOf, hash, literal, nullable, object, ShapeError, text, textLike } from "./decode.js";

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const PAYLOAD_TYPE = "application/vnd.in-toto+json";
export const INDEX_PREDICATE_TYPE = "urn:service-nb:index:v1";
export const PREDICATE_TYPES = {
  query: "urn:service-nb:query:v1",
  computation: "urn:service-nb:computation:v1",
  clarification: "urn:service-nb:refusal:v1",
  rejection: "urn:service-nb:refusal:v1",
  error: "urn:service-nb:error:v1",
  replay: "urn:service-nb:replay:v1",
} as const satisfies Record<CardKind, string>;

/** A hashed text, by the name that the card has for it, with the plain SHA-256 of its UTF-8. */
export interface Subject {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

/** What a statement says of an outcome beside the digests of its texts; what lies deeper is carried, not judged. */
export interface Predicate {
  readonly version: 1;
  readonly id: string;
  readonly kind: CardKind;
  readonly time: string;
  readonly tenant: string | null;
  readonly digests: Readonly<Record<string, unknown>>;
  readonly inputs: readonly unknown[];
  readonly bindings: readonly unknown[];
  readonly determinism: Readonly<Record<string, unknown>> | null;
  readonly place: Readonly<Record<string, unknown>> | null;
  readonly made_by: Readonly<Record<string, unknown>>;
}

/** What is stored of an outcome, and what is signed: an in-toto Statement v1. */
export interface Statement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly predicateType: (typeof PREDICATE_TYPES)[CardKind];
  readonly subject: readonly Subject[];
  readonly predicate: Predicate;
}

/** A moment with its zone, as RFC 3339 writes it, in capitals; a leap second is one. */
const MOMENT =
  /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$/;
const time = textLike(MOMENT, "a time as 2026-11-21T13:22:52Z");

const subjects = arrayOf(object<Subject>({ name: text, digest: object<Subject["digest"]>({ sha256: hash }) }));

const decodePredicate = object<Predicate>({
  version: literal(1),
  id: text,
  kind: (value, path) => {
    if (typeof value !== "string" || !Object.hasOwn(PREDICATE_TYPES, value)) throw new ShapeError(path, "a kind");
    return value as CardKind;
  },
  time,
  tenant: nullable(text),
  digests: anyObject,
  inputs: arrayOf(anything),
  bindings: arrayOf(anything),
  determinism: nullable(anyObject),
  place: nullable(anyObject),
  made_by: anyObject,
});

const decodeOuter = object<Omit<Statement, "predicateType"> & { readonly predicateType: string }>({
  _type: literal(STATEMENT_TYPE),
  predicateType: text,
  subject: subjects,
  predicate: decodePredicate,
});

/**
 * Narrows a parsed JSON value to a statement, whose type fits its kind and which names each subject once.
 *
 * @throws {ShapeError}
 */
export function decodeStatement(value: unknown): Statement {
  const statement = decodeOuter(value, "statement");
  const predicateType = PREDICATE_TYPES[statement.predicate.kind];
  if (statement.predicateType !== predicateType) {
    throw new ShapeError("statement.predicateType", "that of its kind");
  }
  refuseTwins(statement.subject);
  return { ...statement, predicateType };
}

/** A card of a notebook, as its index names it. */
export interface IndexedCard {
  readonly cell: string | null;
  readonly kind: string;
  readonly id: string | null;
  /** SHA-256 of the canonical JSON of the card's digests. */
  readonly digest: string;
}

/** The statement that seals a notebook: which cards it has, in order. */
export interface IndexStatement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly predicateType: typeof INDEX_PREDICATE_TYPE;
  readonly subject: readonly Subject[];
  readonly predicate: {
    readonly version: 1;
    readonly time: string;
    readonly cards: readonly IndexedCard[];
  };
}

const decodeIndexOuter = object<IndexStatement>({
  _type: literal(STATEMENT_TYPE),
  predicateType: literal(INDEX_PREDICATE_TYPE),
  subject: subjects,
  predicate: object<IndexStatement["predicate"]>({
    version: literal(1),
    time,
    cards: arrayOf(object<IndexedCard>({ cell: nullable(text), kind: text, id: nullable(text), digest: hash })),
  }),
});

/**
 * Narrows a parsed JSON value to the statement of a notebook's index, which has one subject: its list of cards.
 *
 * @throws {ShapeError}
 */
export function decodeIndexStatement(value: unknown): IndexStatement {
  const statement = decodeIndexOuter(value, "statement");
  if (statement.subject.length !== 1 || statement.subject[0]?.name !== "cards") {
    throw new ShapeError("statement.subject", "one subject, named cards");
  }
  return statement;
}

function refuseTwins(list: readonly Subject[]): void {
  if (new Set(list.map((subject) => subject.name)).size < list.length) {
    throw new ShapeError("statement.subject", "without the same name twice");
  }
}
