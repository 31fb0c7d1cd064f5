/** What questions and stored plans end in. */

import { type Card, type ReadingNote } from "@service-nb/records";
import { type ResultRow, type UsedRows } from "../engine/result.js";
import { type RefusalDetails, type ResolutionForm } from "../query/outcomes.js";
import { type DecisionPath } from "../query/types.js";
import { type PlanCheck } from "./stored-plan.js";

/** How an answer was computed, and what the readers of its source decided. */
export interface AnswerProvenance {
  readonly method: string;
  readonly engine: string;
  readonly notes: Readonly<Record<string, string>>;
  readonly used_rows?: number;
  /** Rows whose value was null, by column. */
  readonly dropped?: UsedRows["nulls"];
  readonly reading_notes?: readonly ReadingNote[];
}

/** The answer of a question. */
export interface AnswerData {
  readonly query_id: string;
  readonly result: readonly ResultRow[];
  readonly result_type: "table";
  readonly confidence: number;
  readonly plan: readonly string[];
  readonly row_count: number;
  readonly decision_path: DecisionPath;
  readonly plan_hash: string;
  readonly schema_revision: string;
  readonly validated: true;
  readonly deterministic_scope: string;
  readonly result_hash: string;
  readonly provenance: AnswerProvenance;
  readonly latency_ms: number;
}

/** A question that was answered; `card` is its evidence. */
export interface AnsweredOutcome {
  readonly status: "ok";
  readonly data: AnswerData;
  readonly resolution: ResolutionForm & { readonly plan: Readonly<Record<string, unknown>> };
  readonly refusal_hash?: undefined;
  readonly result_id?: undefined;
  readonly details?: undefined;
  readonly card: Card;
}

/** A question that was not answered: candidates, or the reason. The refusal is hashed, and `card` is its evidence. */
export interface RefusedOutcome {
  readonly status: "needs_clarification" | "rejected";
  readonly data?: undefined;
  readonly resolution: ResolutionForm & { readonly plan?: undefined };
  readonly refusal_hash: string;
  readonly result_id: string;
  /** The column of text that it is of, and why it is text. */
  readonly details?: RefusalDetails;
  readonly card: Card;
}

/** What a question ends in, told apart by `status`. */
export type QueryOutcome = AnsweredOutcome | RefusedOutcome;

/** Whether a stored plan holds here, check by check. */
export interface PlanVerdict {
  readonly valid: boolean;
  readonly checks: readonly PlanCheck[];
}
