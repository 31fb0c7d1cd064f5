import { type Decoder, anyObject, count, hash, mapOf, nullable, object, ShapeError, text, textLike } from "./decode.js";
import { own } from "./json.js";
import type { FormCause } from "./verdict.js";

/** The MIME type of a card among the outputs of a cell. */
export const CARD_MIME = "application/vnd.service-nb.card.v1+json";
export const CARD_VERSION = 1;

/** What each kind of card holds: the hashed texts, and the digests in the order in which they are checked. */
export const CARD_KINDS = {
  query: { texts: ["plan", "result"], digests: ["plan_hash", "result_hash", "schema_revision"] },
  clarification: { texts: ["spec", "resolution"], digests: ["refusal_hash"] },
  rejection: { texts: ["spec", "resolution"], digests: ["refusal_hash"] },
  error: { texts: ["error"], digests: ["error_hash"] },
  computation: {
    texts: ["identity", "arguments", "value"],
    digests: ["input_hash", "invocation_hash", "computation_hash", "contract_hash"],
  },
  replay: { texts: ["report"], digests: ["replay_hash"] },
} as const;

export type CardKind = keyof typeof CARD_KINDS;
export type TextName = (typeof CARD_KINDS)[CardKind]["texts"][number];
export type DigestName = (typeof CARD_KINDS)[CardKind]["digests"][number] | "view_hash" | "rows_hash";

/**
 * The evidence of one outcome. `canonical` holds the hashed texts as strings, because front ends rewrite JSON numbers
 * on save; a text may be missing, and its digest stays. `view` is for display, and never trusted.
 */
export interface Card {
  readonly kind: CardKind;
  readonly version: typeof CARD_VERSION;
  readonly canonical: Readonly<Partial<Record<TextName, string>>>;
  readonly digests: Readonly<Partial<Record<DigestName, string>>>;
  /** A `Receipt`, once it was read: it fails a check of its own, not that of the card's form. */
  readonly receipt: Readonly<Record<string, unknown>> | null;
  readonly view: Readonly<Record<string, unknown>>;
}

/** A card whose form is refused. */
export class CardError extends Error {
  override readonly name = "CardError";
  readonly reason: FormCause;

  constructor(reason: FormCause, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Narrows a parsed JSON value to a card.
 *
 * @throws {CardError}
 */
export function decodeCard(value: unknown): Card {
  const outer = shaped(() => decodeOuter(value, "card"));
  if (outer.version !== CARD_VERSION) {
    throw new CardError("unknown_version", `Version ${String(outer.version)} of cards is not known here.`);
  }
  if (!isKind(outer.kind)) throw new CardError("unknown_kind", "This kind of card is not known here.");
  const kind = outer.kind;
  const canonical = shaped(() => named<TextName>(outer.canonical, CARD_KINDS[kind].texts, "card.canonical"));
  const digests = shaped(() => decodeDigests(outer.digests, kind, Object.hasOwn(outer.view, "rows")));
  return { ...outer, kind, version: CARD_VERSION, canonical, digests };
}

interface Outer {
  readonly kind: string;
  readonly version: number;
  readonly canonical: Readonly<Record<string, string>>;
  readonly digests: Readonly<Record<string, string>>;
  readonly receipt: Readonly<Record<string, unknown>> | null;
  readonly view: Readonly<Record<string, unknown>>;
}

const decodeOuter = object<Outer>({
  kind: text,
  version: count,
  canonical: mapOf(text),
  digests: mapOf(text),
  receipt: nullable(anyObject),
  view: anyObject,
});

const contractHash = textLike(/^sha256:[0-9a-f]{64}$/, "sha256: and 64 hex digits");

function decodeDigests(
  digests: Readonly<Record<string, string>>,
  kind: CardKind,
  hasRows: boolean,
): Readonly<Partial<Record<DigestName, string>>> {
  const required: readonly DigestName[] = [...CARD_KINDS[kind].digests, "view_hash"];
  for (const name of hasRows ? ([...required, "rows_hash"] as const) : required) {
    if (own(digests, name) === undefined) throw new ShapeError("card.digests", `complete: ${name} is missing`);
  }
  for (const [name, digest] of Object.entries(digests)) formOf(name)(digest, `card.digests.${name}`);
  return named<DigestName>(digests, [...required, "rows_hash"], "card.digests");
}

function formOf(name: string): Decoder<string> {
  return name === "contract_hash" ? contractHash : hash;
}

function named<K extends string>(
  members: Readonly<Record<string, string>>,
  known: readonly K[],
  path: string,
): Readonly<Partial<Record<K, string>>> {
  const names: readonly string[] = known;
  const unknown = Object.keys(members).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new ShapeError(path, "without names that are not of its kind");
  return members as Partial<Record<K, string>>;
}

function isKind(kind: string): kind is CardKind {
  return Object.hasOwn(CARD_KINDS, kind);
}

function shaped<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ShapeError) throw new CardError("malformed_card", error.message);
    throw error;
  }
}
