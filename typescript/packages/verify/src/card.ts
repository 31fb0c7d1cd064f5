import { decodeCard, failed, type FormCause, passed, ShapeError, type Verdict, verdict } from "@service-nb/records";
import { checkCapability } from "./card/capability.js";
import { checkContract } from "./card/contract.js";
import { checkDigests } from "./card/digests.js";
import { checkKind } from "./card/kind.js";
import { checkReceipt } from "./card/receipt.js";
import { checkShown, readTexts } from "./card/shown.js";
import type { VerifyOptions } from "./options.js";
import { mayBeRounded, refusalOf } from "./plain.js";
import { decoded } from "./shape.js";

/**
 * Verifies one card that was parsed already, such as an output in the model of a notebook.
 *
 * The text that it was parsed from may have held what a parsed value no longer shows: a key twice, a number that was
 * rounded. Where there is a text, `verifyDocument` sees more. A whole number that may have been rounded is refused, as
 * it is in a text.
 */
export function verifyCard(card: unknown, options: VerifyOptions = {}): Verdict {
  const isUnsafe = refusalOf(card) === undefined && mayBeRounded(card);
  if (isUnsafe)
    return refused("card", "unsafe_number", "A whole number is beyond 2^53-1, where readers begin to round.");
  return verifyCardAt("card", card, options);
}

/** As `verifyCard`; `subject` names the card for people. */
export function verifyCardAt(subject: string, value: unknown, options: VerifyOptions): Verdict {
  const refusal = refusalOf(value);
  if (refusal !== undefined) return refused(subject, refusal, "No strict JSON text has this value.");
  const card = decoded(decodeCard, value);
  if (card instanceof ShapeError) {
    return refused(subject, card.reason === "malformed" ? "malformed_card" : card.reason, card.message);
  }
  const texts = readTexts(card);
  return verdict(subject, [
    passed("form"),
    ...checkDigests(card, texts),
    checkKind(card),
    checkShown(card, texts),
    ...checkCapability(card, texts),
    ...checkReceipt(card, texts, options.keys ?? []),
    ...checkContract(card, options.contracts ?? []),
  ]);
}

/** The verdict of what is not read any further. */
export function refused(subject: string, cause: FormCause, message: string): Verdict {
  return verdict(subject, [failed("form", cause, message)]);
}
