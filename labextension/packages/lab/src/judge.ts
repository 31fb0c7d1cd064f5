import type { Verdict } from "@service-nb/records";
import { verifyCard, verifyDocument, type VerifyOptions } from "@service-nb/verify";
import { Queue } from "./queue.js";

/** What is judged: the text of one card, or of a document, and what is known by another way. */
export interface Case {
  readonly what: "card" | "document";
  readonly text: string;
  readonly terms: VerifyOptions;
}

export type Judge = (each: Case) => Promise<readonly Verdict[]>;

/** Judges here and now. A card's text is what a front end made of it, so its numbers are as they were shown. */
export function judged({ what, text, terms }: Case): readonly Verdict[] {
  return what === "document" ? verifyDocument(text, terms) : [verifyCard(JSON.parse(text), terms)];
}

/** Judges in the page itself, one case after the other, in slices. */
export function judgeInSlices(queue: Queue = new Queue()): Judge {
  return (each) =>
    new Promise((resolve) => {
      queue.add(() => {
        resolve(settled(each));
      });
    });
}

/** A promise made by a function that throws is one that rejects. */
function settled(each: Case): Promise<readonly Verdict[]> {
  return new Promise((settle) => {
    settle(judged(each));
  });
}
