/** Questions, from an ask line or a spec to a plan or a refusal. */

import { canonicalText, isObject } from "@service-nb/records";
import { digestTexts } from "../digests.js";
import { type Catalog } from "../source.js";
import { plainSpec } from "./ask-spec.js";
import { readAsk } from "./ask-line.js";
import { type Clock } from "./binder.js";
import { describeTextColumn, type RefusalDetails, type Resolution, refusalStatusOf, type ResolutionForm, writeResolution } from "./outcomes.js"; // prettier-ignore
import { describeSteps, planToJson } from "./plan.js";
import { misfitError } from "./reading.js";
import { resolve } from "./resolve.js";
import { CONFIDENCE, REFUSAL_DOMAIN } from "./tables.js";
import { type DecisionPath, type Question } from "./types.js";
import { type ReadQuestion, readSpec } from "./unknown-choices.js";
import { bindVariables, type Variables } from "./variables.js";
import { writeSpec } from "./write-spec.js";

/**
 * Reads an ask line or a spec, with values in place of its variables.
 *
 * @throws {ServiceError} It is malformed, or beyond a limit.
 */
export function parseQuestion(raw: unknown, variables?: Variables | null): ReadQuestion {
  const given = variables ?? {};
  if (!isObject(given)) throw misfitError("variables", given, "a value for each name");
  const { spec, notes } = bindVariables(typeof raw === "string" ? readAsk(raw) : raw, given);
  const { question, unknown } = readSpec(spec);
  return { question: { ...question, variables: notes }, unknown };
}

/** A question, and what resolving it ends in. */
export interface Resolved {
  readonly question: Question;
  readonly resolution: Resolution;
}

export function resolveQuestion(raw: unknown, catalog: Catalog, clock: Clock, variables?: Variables): Resolved {
  const { question, unknown } = parseQuestion(raw, variables);
  return { question, resolution: resolve(question, catalog, clock, unknown) };
}

/** The plan of a question, which was not run. */
export interface PlannedResponse extends ResolutionForm {
  readonly status: "ok";
  readonly plan: Readonly<Record<string, unknown>>;
  readonly plan_hash: string;
  readonly schema_revision: string;
  readonly steps: readonly string[];
  readonly decision_path: DecisionPath;
  readonly confidence: number;
  readonly validated: true;
  readonly details?: undefined;
}

/** The refusal that `ask` would return. */
export interface RefusedResponse extends ResolutionForm {
  readonly status: "needs_clarification" | "rejected";
  readonly plan?: undefined;
  readonly plan_hash?: undefined;
  readonly schema_revision?: undefined;
  readonly steps?: undefined;
  readonly decision_path?: undefined;
  readonly confidence?: undefined;
  readonly validated?: undefined;
  readonly details?: RefusalDetails;
}

/** What resolving a question ends in, told apart by `status`. */
export type PlanResponse = PlannedResponse | RefusedResponse;

/** `rowCount` is undefined of a live source, whose count may have changed. */
export function describePlan(resolution: Resolution, rowCount?: number): PlanResponse {
  const form = writeResolution(resolution);
  const { plan } = resolution;
  if (plan === undefined) return { status: refusalStatusOf(resolution), ...form, ...describeTextColumn(resolution) };
  return {
    status: "ok",
    ...form,
    plan: planToJson(plan),
    plan_hash: plan.planHash,
    schema_revision: plan.schemaRevision,
    steps: describeSteps(plan, rowCount),
    decision_path: plan.decisionPath,
    confidence: CONFIDENCE[plan.decisionPath],
    validated: true,
  };
}

/** The texts of a refusal, and its hash: that of the question and of the codes, without the sentence. */
export interface RefusalTexts {
  readonly spec: string;
  readonly resolution: string;
  readonly hash: string;
}

export function writeRefusal({ question, resolution }: Resolved): RefusalTexts {
  const spec = canonicalText(plainSpec(writeSpec(question)));
  const form = writeResolution(resolution);
  const codes = Object.fromEntries(Object.entries(form).filter(([key]) => key !== "reason"));
  const hash = digestTexts(REFUSAL_DOMAIN, spec, "\0", canonicalText(codes));
  return { spec, resolution: canonicalText(form), hash };
}
