/** What resolving a question ends in: a plan, or every reason why there is none. */

import { type TextReason } from "./text-columns.js";
import { type Plan, type Question, type Status } from "./types.js";

/** A question that is offered in place of one that cannot be resolved. */
export interface Candidate {
  readonly slot: string;
  readonly name: string;
  readonly type: string;
  readonly ask: string;
}

/** A question with one fault mended: `name`, of `type`, stands in its `slot` now. */
export interface Way {
  readonly slot: string;
  readonly name: string;
  readonly type: string;
  readonly spec: Question;
}

/** A value that is none of the choices of its slot. */
export interface UnknownValue {
  readonly slot: string;
  readonly value: string;
}

/** Why one part of a question cannot be resolved. `ways` may lead to what is refused too; `candidates` resolve. */
export interface Refusal {
  readonly status: "needs_clarification" | "rejected";
  readonly reason: string;
  readonly code?: string;
  /** That is not one of a column that may be named. */
  readonly name?: string | undefined;
  readonly rule?: string;
  /** Of text, whose type is in the way, and why it is text. */
  readonly column?: string;
  readonly cause?: TextReason | undefined;
  readonly missing?: string;
  /** A slot, and what stood there: none of its choices. */
  readonly unknown?: UnknownValue;
  readonly didYouMean?: readonly string[];
  readonly ways?: readonly Way[];
  readonly candidates?: readonly Candidate[];
}

/** Either a plan or refusals, never both. */
export interface Resolution {
  readonly plan?: Plan;
  readonly refusals: readonly Refusal[];
}

export function statusOf(resolution: Resolution): Status {
  return resolution.plan !== undefined ? "ok" : refusalStatusOf(resolution);
}

/** The status of a resolution without a plan. */
export function refusalStatusOf({ refusals }: Resolution): Exclude<Status, "ok"> {
  return refusals.some(({ status }) => status === "rejected") ? "rejected" : "needs_clarification";
}

/** The `resolution` of an outcome; that of an answer holds its plan beside it. */
export interface ResolutionForm {
  readonly unknown?: readonly UnknownValue[];
  readonly candidates: readonly Candidate[];
  readonly rejection_reason: string | null;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly missing: readonly string[];
  readonly did_you_mean: readonly string[];
}

/** Beside what is hashed: the column of text that a refusal is of, and why it is text. */
export interface RefusalDetails {
  readonly column: string;
  readonly cause?: { readonly code: string; readonly options?: Readonly<Record<string, unknown>> };
}

export function describeTextColumn(resolution: Resolution): { readonly details?: RefusalDetails } {
  const leading = findLeading(resolution);
  if (leading?.column === undefined) return {};
  const { column, cause } = leading;
  if (cause === undefined) return { details: { column } };
  const { code, options } = cause;
  return { details: { column, cause: { code, ...(Object.keys(options).length > 0 && { options }) } } };
}

/** The refusal that is told first. */
function findLeading(resolution: Resolution): Refusal | undefined {
  const status = statusOf(resolution);
  return resolution.refusals.find((refusal) => refusal.status === status);
}

export function writeResolution(resolution: Resolution): ResolutionForm {
  const { refusals } = resolution;
  const leading = findLeading(resolution);
  const unknown = refusals.flatMap((refusal) => refusal.unknown ?? []);
  return {
    ...(unknown.length > 0 && { unknown }),
    candidates: refusals.flatMap((refusal) => refusal.candidates ?? []),
    rejection_reason: leading?.code ?? null,
    reason: leading?.reason ?? null,
    rule: leading?.rule ?? null,
    missing: refusals.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
    did_you_mean: [...new Set(refusals.flatMap((refusal) => refusal.didYouMean ?? []))],
  };
}
