import { decodeCard, isObject, notCheckable, own, type Verdict, verdict } from "@service-nb/records";
import { verifyCard, type VerifyOptions } from "@service-nb/verify";
import { Queue } from "./queue.js";

/** What is judged: the JSON of a card and of what stands beside it, or a document; and what is known by another way. */
export interface Case {
  readonly what: "output" | "document";
  readonly text: string;
  readonly terms: VerifyOptions;
}

export type Judge = (each: Case) => Promise<readonly Verdict[]>;

/**
 * Judges here and now. A card's text is what a front end made of it, so its numbers are as they were shown. What is
 * not needed to show a card is loaded when it is needed.
 *
 * A verifier that breaks is a verdict too: a card would else say for ever that it is being verified, and the others
 * would lose the thread that verifies them.
 */
export async function judged({ what, text, terms }: Case): Promise<readonly Verdict[]> {
  try {
    if (what === "document") {
      const { judgedDocument } = await import("./faces/document.js");
      return judgedDocument(text, terms);
    }
    return [await judgedOutput(JSON.parse(text), terms)];
  } catch (error) {
    // `reportError` in a worker would be taken for the end of it.
    // eslint-disable-next-line no-console
    console.error("service_nb: the verifier broke off.", error);
    return [verdict(what, [notCheckable("form", "verifier_failed", "The verifier broke off with an error.")])];
  }
}

async function judgedOutput(output: unknown, terms: VerifyOptions): Promise<Verdict> {
  if (!isObject(output)) throw new TypeError("An output is an object.");
  const card = own(output, "card");
  const others = own(output, "others");
  const met = verifyCard(card, terms);
  if (!isObject(others) || met.checks[0]?.status !== "passed") return met; // what is no card has no faces
  const { checkFaces } = await import("./faces/compare.js");
  return verdict(met.subject, [...met.checks, checkFaces(decodeCard(card), others)]);
}

/** Judges in the page itself, one case after the other, in slices. */
export function judgeInSlices(queue: Queue = new Queue()): Judge {
  return (each) =>
    new Promise((resolve) => {
      queue.add(async () => {
        resolve(await judged(each));
      });
    });
}
