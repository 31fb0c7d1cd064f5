import {
  anyObject,
  anything,
  arrayOf,
  count,
  type Decoder,
  hash,
  mapOf,
  nullable,
  object,
  ShapeError,
  text,
  textLike,
} from "./decode.js";
import { own } from "./json.js";

/** The MIME type of a card among the outputs of a cell. */
export const CARD_MIME = "application/vnd.service-nb.card.v1+json";
export const CARD_VERSION = 1;

/** What each kind of card holds: the hashed texts, and the digests in the order in which they are checked. */
export const CARD_KINDS = {
  query: {
    texts: ["plan", "result", "provenance"],
    digests: ["plan_hash", "result_hash", "schema_revision", "provenance_hash"],
  },
  clarification: { texts: ["spec", "resolution"], digests: ["refusal_hash"] },
  rejection: { texts: ["spec", "resolution"], digests: ["refusal_hash"] },
  error: { texts: ["error"], digests: ["error_hash"] },
  computation: {
    texts: ["identity", "arguments", "value", "definition", "provenance"],
    digests: [
      "input_hash",
      "invocation_hash",
      "computation_hash",
      "contract_hash",
      "definition_hash",
      "provenance_hash",
    ],
  },
  replay: { texts: ["report"], digests: ["replay_hash"] },
} as const;

export type CardKind = keyof typeof CARD_KINDS;
export type TextName = (typeof CARD_KINDS)[CardKind]["texts"][number];
export type DigestName = (typeof CARD_KINDS)[CardKind]["digests"][number] | "view_hash" | "rows_hash";

/**
 * The evidence of one outcome. `canonical` holds the hashed texts as strings, because front ends rewrite JSON numbers
 * on save; a text may be missing, and its digest stays. `view` is what is shown, and compared with the texts.
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

/**
 * Narrows a parsed JSON value to a card.
 *
 * @throws {ShapeError}
 */
export function decodeCard(value: unknown): Card {
  const named = decodeNamed(value, "card");
  if (named.version !== CARD_VERSION) {
    throw new ShapeError("card.version", "a version that is known here", "unknown_version");
  }
  const { kind } = named;
  if (!isKind(kind)) throw new ShapeError("card.kind", "a kind that is known here", "unknown_kind");
  const view = anyObject(named.view, "card.view");
  if (Object.hasOwn(view, "rows")) arrayOf(anything)(view["rows"], "card.view.rows");
  return {
    kind,
    version: CARD_VERSION,
    canonical: decodeTexts(named.canonical, kind),
    digests: decodeDigests(named.digests, kind, Object.hasOwn(view, "rows")),
    receipt: nullable(anyObject)(named.receipt, "card.receipt"),
    view,
  };
}

// A card of another version may hold anything beside its version, so the rest is read after it.
const decodeNamed = object<Record<keyof Card, unknown> & { readonly kind: string; readonly version: number }>({
  kind: text,
  version: count,
  canonical: anything,
  digests: anything,
  receipt: anything,
  view: anything,
});

const contractHash = textLike(/^sha256:[0-9a-f]{64}$/, "sha256: and 64 hex digits");

function decodeTexts(value: unknown, kind: CardKind): Card["canonical"] {
  return known<TextName>(mapOf(text)(value, "card.canonical"), CARD_KINDS[kind].texts, "card.canonical");
}

function decodeDigests(value: unknown, kind: CardKind, hasRows: boolean): Card["digests"] {
  const digests = mapOf(text)(value, "card.digests");
  const names: DigestName[] = [...CARD_KINDS[kind].digests, "view_hash"];
  if (hasRows) names.push("rows_hash");
  for (const name of names) {
    if (own(digests, name) === undefined) throw new ShapeError("card.digests", `complete: ${name} is missing`);
  }
  for (const [name, digest] of Object.entries(digests)) formOf(name)(digest, `card.digests.${name}`);
  return known<DigestName>(digests, names, "card.digests");
}

function formOf(name: string): Decoder<string> {
  return name === "contract_hash" ? contractHash : hash;
}

function known<K extends string>(
  members: Readonly<Record<string, string>>,
  names: readonly K[],
  path: string,
): Readonly<Partial<Record<K, string>>> {
  const stranger = Object.keys(members).find((name) => !(names as readonly string[]).includes(name));
  if (stranger !== undefined) throw new ShapeError(path, "without names that are not of its kind");
  return members as Partial<Record<K, string>>;
}

function isKind(kind: string): kind is CardKind {
  return Object.hasOwn(CARD_KINDS, kind);
}
