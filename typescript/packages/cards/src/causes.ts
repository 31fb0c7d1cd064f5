/** Verdicts and causes in words: those that every program of service_nb uses. */

import type { CheckName, FailedCause, OpenCause, VerdictStatus } from "@service-nb/records";
import { CATALOGUE } from "./catalogue.js";

interface StatusWords {
  readonly word: string;
  readonly sign: string;
}

interface CauseWords {
  readonly means: string;
  readonly remedy: string;
}

/** Whose signature a card has. */
export type Signer = keyof typeof CATALOGUE.signers;

const STATUSES: Readonly<Record<VerdictStatus, StatusWords>> = CATALOGUE.statuses;
// That a verifier broke off, only the page can say that it ran in.
const CAUSES: Readonly<Record<Exclude<FailedCause | OpenCause, "verifier_failed">, CauseWords>> = CATALOGUE.causes;
const BROKEN: CauseWords = {
  means: "The verification broke off with an error, which the browser's console has.",
  remedy: "Verify the file with `service-nb verify FILE`.",
};

export function wordsOf(status: VerdictStatus): StatusWords {
  return STATUSES[status];
}

/** What a check is about, in short: its name. */
export function labelOf(check: CheckName): string {
  return check.replaceAll("_", " ");
}

/** What a cause means, and what to do. */
export function causeOf(cause: FailedCause | OpenCause): CauseWords {
  return cause === "verifier_failed" ? BROKEN : CAUSES[cause];
}

export function signerWords(signer: Signer): string {
  return CATALOGUE.signers[signer];
}
