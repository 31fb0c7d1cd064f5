import { notCheckable, verdict, type Verdict } from "@service-nb/records";
import { verifyCard, verifyDocument, type VerifyOptions } from "@service-nb/verify";
import { Queue } from "./queue.js";

/** What is judged: the text of one card, or of a document, and what is known by another way. */
export interface Case {
  readonly what: "card" | "document";
  readonly text: string;
  readonly terms: VerifyOptions;
}

export type Judge = (each: Case) => Promise<readonly Verdict[]>;

/**
 * Judges here and now. A card's text is what a front end made of it, so its numbers are as they were shown.
 *
 * A verifier that breaks is a verdict too: a card would else say for ever that it is being verified, and the others
 * would lose the thread that verifies them.
 */
export function judged({ what, text, terms }: Case): readonly Verdict[] {
  try {
    return what === "document" ? verifyDocument(text, terms) : [verifyCard(JSON.parse(text), terms)];
  } catch (error) {
    // `reportError` in a worker would be taken for the end of it.
    // eslint-disable-next-line no-console
    console.error("service_nb: the verifier broke off.", error);
    return [verdict(what, [notCheckable("form", "verifier_failed", "The verifier broke off with an error.")])];
  }
}

/** Judges in the page itself, one case after the other, in slices. */
export function judgeInSlices(queue: Queue = new Queue()): Judge {
  return (each) =>
    new Promise((resolve) => {
      queue.add(() => {
        resolve(judged(each));
      });
    });
}
