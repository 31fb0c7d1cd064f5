import {
  decodeCard,
  failed,
  isObject,
  notCheckable,
  own,
  passed,
  verdict,
  type Check,
  type Verdict,
} from "@service-nb/records";
import { verifyCard, verifyDocument, type VerifyOptions } from "@service-nb/verify";
import type { compareFaces } from "./faces/compare.js";
import { Queue } from "./queue.js";

/** What is judged: the JSON of a card and of what stands beside it, or a document; and what is known by another way. */
export interface Case {
  readonly what: "output" | "document";
  readonly text: string;
  readonly terms: VerifyOptions;
}

export type Judge = (each: Case) => Promise<readonly Verdict[]>;

/** How faces are compared. It has a file of its own, which is not needed to show a card. */
export type CompareFaces = typeof compareFaces;

/**
 * Judges here and now. A card's text is what a front end made of it, so its numbers are as they were shown.
 *
 * A verifier that breaks is a verdict too: a card would else say for ever that it is being verified, and the others
 * would lose the thread that verifies them.
 */
export function judged({ what, text, terms }: Case, compare: CompareFaces): readonly Verdict[] {
  try {
    return what === "document" ? verifyDocument(text, terms) : [judgedOutput(JSON.parse(text), terms, compare)];
  } catch (error) {
    // `reportError` in a worker would be taken for the end of it.
    // eslint-disable-next-line no-console
    console.error("service_nb: the verifier broke off.", error);
    return [verdict(what, [notCheckable("form", "verifier_failed", "The verifier broke off with an error.")])];
  }
}

function judgedOutput(output: unknown, terms: VerifyOptions, compare: CompareFaces): Verdict {
  if (!isObject(output)) throw new TypeError("An output is an object.");
  const card = own(output, "card");
  const others = own(output, "others");
  const met = verifyCard(card, terms);
  if (!isObject(others) || met.checks[0]?.status !== "passed") return met; // what is no card has no faces
  return verdict(met.subject, [...met.checks, facesCheck(card, others, compare)]);
}

/** The check `faces` of a card whose form is right. */
export function facesCheck(card: unknown, others: Readonly<Record<string, unknown>>, compare: CompareFaces): Check {
  const faces = compare(decodeCard(card), others);
  switch (faces.are) {
    case "those_of_the_card":
      return passed("faces");
    case "another":
      return failed("faces", "face_differs", `${faces.mime} is not what this card renders.`);
    case "of_another_version":
      return notCheckable("faces", "face_of_another_version", `The faces were written by service_nb ${faces.version}.`);
  }
}

/** Judges in the page itself, one case after the other, in slices. */
export function judgeInSlices(queue: Queue = new Queue()): Judge {
  return (each) =>
    new Promise((resolve) => {
      queue.add(async () => {
        const { compareFaces } = await import("./faces/compare.js");
        resolve(judged(each, compareFaces));
      });
    });
}
