import {
  canonicalText,
  type Check,
  decodeIndexStatement,
  decodeSeal,
  failed,
  isObject,
  own,
  passed,
  ShapeError,
  type Verdict,
  verdict,
} from "@service-nb/records";
import { fromBase64 } from "./bytes.js";
import type { PlacedCard } from "./cards-in.js";
import { sha256Hex } from "./digest.js";
import { isSigned } from "./envelope.js";
import type { VerifyOptions } from "./options.js";
import { decoded } from "./shape.js";
import { checkSigner } from "./signer.js";
import { strictly } from "./texts.js";

/** Verifies what seals a notebook: that its cards are those of a signed list, in that order. */
export function verifySeal(metadata: unknown, cards: readonly PlacedCard[], options: VerifyOptions): Verdict {
  const seal = decoded(decodeSeal, metadata);
  if (seal instanceof ShapeError) return malformed(seal.message);
  const statement = decoded(decodeIndexStatement, strictly(fromBase64(seal.envelope.payload)));
  if (statement instanceof ShapeError) return malformed(statement.message);
  const sealed = statement.predicate.cards;
  if (statement.subject[0]?.digest.sha256 !== sha256Hex(canonicalText(sealed))) {
    return malformed("The subject of the index is not its list of cards.");
  }
  if (!isSigned(seal.envelope, seal.public_key)) {
    return verdict("index", [passed("form"), failed("signature", "signature_invalid")]);
  }
  return verdict("index", [
    passed("form"),
    passed("signature"),
    checkSigner(seal.public_key, options.keys ?? []),
    checkCards(
      sealed.map((card) => card.digest),
      cards.map((placed) => fingerprint(placed.card)),
    ),
  ]);
}

function malformed(message: string): Verdict {
  return verdict("index", [failed("form", "index_malformed", message)]);
}

/** What an index holds of a card: the hash of its digests. A card without digests is none that was ever sealed. */
function fingerprint(card: unknown): string {
  const digests = isObject(card) ? own(card, "digests") : undefined;
  return isObject(digests) ? sha256Hex(canonicalText(digests)) : "";
}

function checkCards(sealed: readonly string[], met: readonly string[]): Check {
  if (sealed.length === met.length && sealed.every((digest, index) => digest === met[index])) return passed("cards");
  const counts = `${String(sealed.length)} cards were sealed, ${String(met.length)} are here.`;
  if (met.length < sealed.length) return failed("cards", "card_missing", counts);
  if (met.length > sealed.length) return failed("cards", "card_added", counts);
  if (sealed.toSorted().join() === met.toSorted().join()) {
    return failed("cards", "card_moved");
  }
  return failed("cards", "card_replaced");
}
