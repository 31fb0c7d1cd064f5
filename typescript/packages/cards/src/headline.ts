import {
  type Check,
  type CheckName,
  type OpenCause,
  UNDECIDING,
  type Verdict,
  type VerdictStatus,
} from "@service-nb/records";
import { causeOf, labelOf, signerWords, wordsOf } from "./causes.js";
import { type Say, told } from "./table/words.js";

/** A verdict in words. Good news is short; bad news says which check, what was recorded and what is shown. */
export interface Headline {
  readonly state: VerdictStatus;
  /** Stands for the state where there is no room for words. */
  readonly sign: string;
  readonly label: string;
  /** What is said beside it, calmly: whose signature it is, what was not compared, and what can be done. */
  readonly notes: readonly string[];
  readonly failure?: Failure;
  readonly checks: readonly CheckLine[];
}

export interface Failure {
  readonly name: CheckName;
  readonly check: string; // the same in words
  /** What differs: of what is shown the leaf, what was recorded, what is shown. */
  readonly found: string;
  readonly remedy: string;
}

/** A check of the list, in words. */
export interface CheckLine {
  readonly label: string;
  readonly status: Check["status"];
  readonly said: string;
  readonly cause: string;
}

/** Whose a key is, as the reader has said it: the reader's own, or of somebody with a name. */
export type Owner = "you" | { readonly name: string };

/** What the words may need beside the verdict. */
export interface Context {
  readonly say?: Say;
  /** The id of the key that signed, as the receipt states it. */
  readonly signer?: string | undefined;
  /** That key, as base64. */
  readonly key?: string | undefined;
  readonly owner?: Owner | undefined;
  /** How many of its rows the card holds, where those are not all. */
  readonly kept?: string | undefined;
}

/** Says a verdict in words. */
export function headline(verdict: Verdict, context: Context = {}): Headline {
  const say = context.say ?? ((text) => text);
  const state = verdict.status;
  const failure = verdict.checks.find((check) => check.status === "failed");
  return {
    state,
    sign: wordsOf(state).sign,
    label: labelOfVerdict(verdict, context, say),
    notes: failure === undefined ? notesOf(verdict, context, say) : [],
    ...(failure === undefined ? {} : { failure: failureOf(failure, say) }),
    checks: verdict.checks.map((check) => lineOf(check, say)),
  };
}

/** The words while a card is being verified. */
export function pendingLabel(say: Say): string {
  return say("Verifying…");
}

const BECAUSE = "%1: %2";
const BESIDE = "%1 · %2";

const ROWS_KEPT = " rows kept"; // of a card that shows rows of a result that it does not hold

function labelOfVerdict({ status, checks }: Verdict, context: Context, say: Say): string {
  const word = say(wordsOf(status).word);
  switch (status) {
    case "altered":
    case "not_checkable": {
      const open = checks.filter((check) => decides(check, status));
      const [deciding] = open;
      // Calm only where nothing failed and nothing else is open.
      if (deciding?.cause === "shown_not_kept" && open.length === 1) {
        const kept = context.kept ?? (deciding.message.endsWith(ROWS_KEPT) ? deciding.message : undefined);
        if (kept !== undefined)
          return isUnsigned(checks) ? told(say, BESIDE, kept, clause(say(signerWords("nobody")))) : kept;
      }
      return deciding === undefined || deciding.cause === null
        ? word
        : told(say, BECAUSE, word, clause(say(causeOf(deciding.cause).means)));
    }
    case "consistent":
      return told(say, BECAUSE, word, say("anyone can have made it"));
    case "unaltered": {
      const signed = clause(say(signerWords("unknown")));
      return told(say, BESIDE, word, context.signer === undefined ? signed : `${signed} ${shortOf(context.signer)}`);
    }
    case "verified":
      return checks.some(({ check }) => check === "signer") ? told(say, BESIDE, word, signedBy(context, say)) : word;
  }
}

function isUnsigned(checks: readonly Check[]): boolean {
  return checks.some(({ cause }) => cause === "unsigned");
}

function signedBy({ owner, signer }: Context, say: Say): string {
  if (owner === "you") return clause(say(signerWords("you")));
  const name = owner?.name ?? "";
  if (signer === undefined) return name === "" ? clause(say(signerWords("trusted"))) : told(say, "signed by %1", name);
  if (owner === undefined || name === "") return told(say, "signed by key %1", shortOf(signer));
  return told(say, "signed by %1, key %2", owner.name, shortOf(signer));
}

const KEY_DIGITS = 8; // of a key's id, in a line for people

function shortOf(id: string): string {
  return `${id.slice(0, KEY_DIGITS)}…`;
}

// The others leave the verdict to who signed.
const CALM: readonly OpenCause[] = UNDECIDING;

function decides(check: Check, status: VerdictStatus): boolean {
  if (status === "altered") return check.status === "failed";
  return check.status === "not_checkable" && !CALM.includes(check.cause);
}

/** A sentence as it stands after a colon. */
function clause(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}

function failureOf({ check, cause, message }: Check & { status: "failed" }, say: Say): Failure {
  const { means, remedy } = causeOf(cause);
  return { name: check, check: labelOf(check), found: message === "" ? say(means) : message, remedy: say(remedy) };
}

function notesOf({ status, checks }: Verdict, context: Context, say: Say): readonly string[] {
  return checks.flatMap((check) => {
    if (check.status !== "not_checkable") return [];
    const { means, remedy } = causeOf(check.cause);
    switch (check.cause) {
      case "unsigned":
        return []; // the headline says it, or the ledger's signer does
      case "unknown_signer":
        return [...fingerprint(context, say), say(remedy).replace("KEY", context.key ?? "KEY")];
      case "text_not_kept":
      case "rows_not_kept":
        return [told(say, BECAUSE, labelOf(check.check), clause(say(means)))];
      default:
        return status === "not_checkable" && decides(check, status) ? [say(remedy)] : [];
    }
  });
}

function fingerprint({ signer }: Context, say: Say): readonly string[] {
  return signer === undefined ? [] : [told(say, "Its fingerprint begins with %1.", signer)];
}

function lineOf(check: Check, say: Say): CheckLine {
  const label = labelOf(check.check);
  if (check.status === "passed") return { label, status: check.status, said: "", cause: "" };
  return { label, status: check.status, said: say(causeOf(check.cause).means), cause: check.cause };
}
