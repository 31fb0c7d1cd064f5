import { decodeCard, isObject, notCheckable, own, type Verdict, verdict } from "@service-nb/records";
import { verifyCard, verifyDocument, type VerifyOptions } from "@service-nb/verify";
import type { checkFaces } from "./faces/compare.js";
import type { checkOutputs } from "./faces/outputs.js";
import { Queue } from "./queue.js";

/** What is judged: the JSON of a card and of what stands beside it, or a document; and what is known by another way. */
export interface Case {
  readonly what: "output" | "document";
  readonly text: string;
  readonly terms: VerifyOptions;
}

export type Judge = (each: Case) => Promise<readonly Verdict[]>;

/** How a card is compared with what stands beside it. That has a file of its own, which is not needed to show a card. */
export interface Beside {
  readonly checkFaces: typeof checkFaces;
  readonly checkOutputs: typeof checkOutputs;
}

/**
 * Judges here and now. A card's text is what a front end made of it, so its numbers are as they were shown.
 *
 * A verifier that breaks is a verdict too: a card would else say for ever that it is being verified, and the others
 * would lose the thread that verifies them.
 */
export function judged({ what, text, terms }: Case, beside: Beside): readonly Verdict[] {
  try {
    if (what === "document") return beside.checkOutputs(text, verifyDocument(text, terms));
    return [judgedOutput(JSON.parse(text), terms, beside)];
  } catch (error) {
    // `reportError` in a worker would be taken for the end of it.
    // eslint-disable-next-line no-console
    console.error("service_nb: the verifier broke off.", error);
    return [verdict(what, [notCheckable("form", "verifier_failed", "The verifier broke off with an error.")])];
  }
}

function judgedOutput(output: unknown, terms: VerifyOptions, beside: Beside): Verdict {
  if (!isObject(output)) throw new TypeError("An output is an object.");
  const card = own(output, "card");
  const others = own(output, "others");
  const met = verifyCard(card, terms);
  if (!isObject(others) || met.checks[0]?.status !== "passed") return met; // what is no card has no faces
  return verdict(met.subject, [...met.checks, beside.checkFaces(decodeCard(card), others)]);
}

/** Judges in the page itself, one case after the other, in slices. */
export function judgeInSlices(queue: Queue = new Queue()): Judge {
  return (each) =>
    new Promise((resolve) => {
      queue.add(async () => {
        resolve(judged(each, await import("./faces/beside.js")));
      });
    });
}
