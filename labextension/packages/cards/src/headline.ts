import type { Check, CheckName, OpenCause, Verdict } from "@service-nb/records";
import { labelOf, noteOf, reasonOf, whyOpen } from "./causes.js";
import { type Say, told } from "./table/words.js";

/** A verdict in words. Good news is short; bad news says which check, what was expected and what was met. */
export interface Headline {
  readonly state: "verified" | "mismatch" | "open";
  readonly label: string;
  /** What is said beside it, calmly: what a reader has not given, and that nobody signed. */
  readonly notes: readonly string[];
  readonly failure?: Failure;
  readonly checks: readonly CheckLine[];
}

export interface Failure {
  readonly name: CheckName;
  readonly check: string; // the same in words
  readonly expected: string;
  readonly met: string;
}

/** A check of the list, in words. */
export interface CheckLine {
  readonly label: string;
  readonly status: Check["status"];
  readonly said: string;
  readonly cause: string;
}

/** What the words may need beside the verdict. */
export interface Context {
  readonly say?: Say;
  /** The id of the key that signed, as the receipt states it. */
  readonly signer?: string | undefined;
}

/** Says a verdict in words. */
export function headline(verdict: Verdict, context: Context = {}): Headline {
  const say = context.say ?? ((text) => text);
  const checks = verdict.checks.map((check) => lineOf(check, say));
  const failure = verdict.checks.find((check) => check.status === "failed");
  if (failure !== undefined) return { ...failed(failure, say), notes: [], checks };
  const notes = notesOf(verdict, context, say);
  const open = verdict.checks.find((check) => isAnswerOpen(check, verdict));
  if (open !== undefined) return { state: "open", label: told(say, NOT_HERE, say(whyOpen(open))), notes, checks };
  const count = verdict.checks.filter((check) => check.status === "passed").length;
  return { state: "verified", label: verifiedLabel(count, say), notes, checks };
}

const NOT_HERE = "Not checkable here: %1";
const MISMATCH = "Mismatch: %1";

/** The words while a card is being verified. */
export function pendingLabel(say: Say): string {
  return say("Verifying…");
}

function verifiedLabel(count: number, say: Say): string {
  return count === 1 ? say("Verified: 1 check") : told(say, "Verified: %1 checks", String(count));
}

function failed(check: Check & { status: "failed" }, say: Say): Pick<Headline, "state" | "label" | "failure"> {
  const { said, expected, met } = reasonOf(check.cause);
  switch (check.cause) {
    // What nobody here can read is no forgery.
    case "unknown_version":
    case "unknown_kind":
    case "unknown_document":
      return { state: "open", label: told(say, NOT_HERE, say(said)) };
    default:
      return {
        state: "mismatch",
        label: told(say, MISMATCH, say(said)),
        failure: { name: check.check, check: say(labelOf(check.check)), expected: say(expected), met: say(met) },
      };
  }
}

const ANSWER_CAUSES: readonly OpenCause[] = ["text_not_kept", "rows_not_kept", "verifier_failed"];

/** Whether a check that could not be made leaves open what the card shows as its answer. */
function isAnswerOpen(check: Check, verdict: Verdict): check is Check & { status: "not_checkable" } {
  if (check.status !== "not_checkable") return false;
  if (!ANSWER_CAUSES.includes(check.cause)) return false;
  // Long arguments are left to their hash, for which the signed statement stands.
  return !(check.check === "input_hash" && isPassed(verdict, "statement"));
}

function isPassed(verdict: Verdict, name: CheckName): boolean {
  return verdict.checks.some(({ check, status }) => check === name && status === "passed");
}

function notesOf(verdict: Verdict, { signer }: Context, say: Say): readonly string[] {
  return verdict.checks.flatMap((check) => {
    if (check.status !== "not_checkable" || isAnswerOpen(check, verdict)) return [];
    return [told(say, noteOf(check, signer !== undefined), `${signer?.slice(0, 8) ?? ""}…`)];
  });
}

function lineOf(check: Check, say: Say): CheckLine {
  const label = say(labelOf(check.check));
  switch (check.status) {
    case "passed":
      return { label, status: check.status, said: "", cause: "" };
    case "failed":
      return { label, status: check.status, said: say(reasonOf(check.cause).said), cause: check.cause };
    case "not_checkable":
      return { label, status: check.status, said: say(whyOpen(check)), cause: check.cause };
  }
}
