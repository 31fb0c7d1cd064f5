import { type Block, compose, type Digits, FACE_DIGITS, withoutPlan } from "@service-nb/cards";
import { type Card, type Check, failed, NAME_HEADS, notCheckable, passed } from "@service-nb/records";
import { joinedText, markOf } from "@service-nb/verify";
import { VERSION } from "../contract.js";
import type { FaceBlock } from "./look.js";
import { WRITERS } from "./write.js";

/**
 * The check `faces`: every other MIME type of an output is what is rendered from its card. A front end may show any of
 * them instead of the card; a type that no card has, such as `application/json`, is one too many.
 *
 * A face that names another version is compared with what this one would have written under that name; where that
 * differs nothing is known. Of a version of `NAME_HEADS` it may have names as heads.
 */
export function checkFaces(card: Card, others: Readonly<Record<string, unknown>>): Check {
  const strange = Object.keys(others).find((mime) => !Object.hasOwn(WRITERS, mime));
  if (strange !== undefined) return differs(`The output holds '${strange}', a format that no card has.`);
  const [shown, named] = [composer(card), composer(withoutPlan(card))];
  let foreign: string | undefined;
  for (const [mime, value] of Object.entries(others)) {
    const face = joinedText(value);
    const version = (face === null ? null : markOf(face)) ?? VERSION;
    // Numbers are shown with the digits that somebody asked for; every number of digits is a face of the card.
    const forms = NAME_HEADS.some((each) => each === version) ? [shown, named] : [shown];
    if (forms.some((composed) => FACE_DIGITS.some((digits) => face === rendered(mime, composed(digits), version))))
      continue;
    if (version === VERSION) return differs(`The ${mime} of the output is not what the card shows.`);
    foreign ??= `The ${mime} of the output was written by version ${version}; this is ${VERSION}.`;
  }
  return foreign === undefined ? passed("faces") : notCheckable("faces", "face_of_another_version", foreign);
}

/** Composes a card with some digits, once with each. */
function composer(card: Card): (digits: Digits) => readonly Block[] {
  const blocks = new Map<Digits, readonly Block[]>();
  return (digits) => {
    const known = blocks.get(digits) ?? compose(card, digits);
    blocks.set(digits, known);
    return known;
  };
}

function rendered(mime: string, blocks: readonly FaceBlock[], version: string): string | undefined {
  return WRITERS[mime]?.([...blocks, { block: "mark", version }]);
}

function differs(message: string): Check {
  return failed("faces", "face_differs", message);
}
