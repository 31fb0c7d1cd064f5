/** Stored plans: read again, bound to the source that they name, and checked step by step. */

import { isObject } from "@service-nb/records";
import { type Details, ServiceError } from "../errors.js";
import { type Clock } from "../query/binder.js";
import { listNamedColumns, sealPlan } from "../query/plan.js";
import { describeDeniedField, type Policy } from "../query/policy.js";
import { resolve } from "../query/resolve.js";
import { parseSpec } from "../query/spec.js";
import { CHECKS, CONFIDENCE, PLAN_VERSION, SPEC_KEYS } from "../query/tables.js";
import { describeValue } from "../query/text.js";
import { type DecisionPath, type Plan, type Question } from "../query/types.js";
import { compareTexts } from "../values/order.js";
import { type Registry } from "./registry.js";

type Stored = Readonly<Record<string, unknown>>;
type Check = (typeof CHECKS)[number];

const KEYS: readonly string[] = ["version", ...SPEC_KEYS, "schema_revision", "decision_path", "plan_hash", "notes"];

/** What a stored plan is restored against. */
export interface Surroundings {
  readonly policy: Policy;
  readonly registry: Registry;
  readonly clock: () => Clock;
}

/** A check of a stored plan. */
export interface PlanCheck {
  readonly check: string;
  readonly status: "passed" | "failed" | "not_checkable";
  readonly cause?: string;
  readonly message?: string;
}

const AGAIN = "Resolve the question again.";

function invalid(message: string, details: Details = {}, hint?: string): ServiceError {
  return new ServiceError("plan_invalid", message, { hint, details });
}

/** A plan, or what `resolve` and `ask` returned with one in it. */
function findPlan(raw: unknown): unknown {
  if (!isObject(raw) || Object.hasOwn(raw, "version")) return raw;
  const holder: unknown = isObject(raw["resolution"]) ? raw["resolution"] : raw;
  return isObject(holder) ? (holder["plan"] ?? raw) : raw;
}

function readPlan(given: unknown): readonly [Question, Stored] {
  const raw = findPlan(given);
  if (!isObject(raw) || raw["version"] !== PLAN_VERSION)
    throw invalid(
      `This is not a plan of version ${String(PLAN_VERSION)}.`,
      { met: describeValue(raw) },
      "Pass the `plan` that resolve(spec) returned.",
    );
  const unknown = Object.keys(raw)
    .filter((key) => !KEYS.includes(key))
    .sort(compareTexts)[0];
  if (unknown !== undefined)
    throw invalid(`The plan holds ${describeValue(unknown)}, which plans do not have.`, { met: unknown });
  const spec = readQuestion(raw);
  const asked = (raw["measures"] ?? undefined) === undefined ? ["aggregation"] : [];
  for (const key of ["source_name", "schema_revision", "plan_hash", "decision_path", ...asked, "order"])
    if (typeof raw[key] !== "string")
      throw invalid(`The plan has no ${key}.`, { path: key, met: describeValue(raw[key]), expected: "text" });
  if (!Object.hasOwn(CONFIDENCE, String(raw["decision_path"])))
    throw invalid("The plan's decision_path is malformed.", { path: "decision_path" });
  const notes = Object.hasOwn(raw, "notes") ? raw["notes"] : {};
  if (!isObject(notes) || !Object.values(notes).every((note) => typeof note === "string"))
    throw invalid("The plan's notes are malformed.", { path: "notes", expected: "text by name" });
  if (spec.timeFilter !== undefined)
    throw invalid("The plan holds a relative period; plans hold absolute dates.", { path: "filter.time_filter" });
  return [spec, raw];
}

function readQuestion(raw: Stored): Question {
  const members = SPEC_KEYS.filter((key) => raw[key] !== undefined && raw[key] !== null);
  try {
    return { ...parseSpec(Object.fromEntries(members.map((key) => [key, raw[key]]))), variables: {} };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "invalid_intent") throw error;
    throw invalid(`The plan is malformed: ${error.message}`, error.details);
  }
}

/**
 * Restores a stored plan; `pass` is called with the name of each check that it passes.
 *
 * @throws {ServiceError} `plan_invalid`, `policy_denied_…`, `source_not_found`, `schema_revision_mismatch`
 */
export function restorePlan(raw: unknown, around: Surroundings, pass: (check: Check) => void = () => undefined): Plan {
  const [spec, stored] = readPlan(raw);
  pass("well_formed");
  const { policy, registry } = around;
  const name = spec.sourceName ?? "";
  policy.requireSource(name);
  for (const column of listNamedColumns(spec)) requireField(policy, name, column);
  pass("allowed");
  const source = registry.get(name);
  pass("registered");
  requireSchema(name, registry.buildInput(source).schema_revision, stored["schema_revision"]);
  pass("schema_revision");
  const { plan } = resolve(spec, registry.buildCatalog(), around.clock(), [], true);
  if (plan === undefined) throw invalid("The plan does not fit the source that it names.", {}, AGAIN);
  const decisionPath = stored["decision_path"] as DecisionPath;
  const restored = sealPlan({ ...plan, decisionPath, notes: (stored["notes"] ?? {}) as Plan["notes"] });
  if (restored.planHash !== stored["plan_hash"])
    throw invalid(
      "The plan's content does not have the plan_hash that it carries: it was altered.",
      { met: describeValue(stored["plan_hash"]), expected: restored.planHash },
      AGAIN,
    );
  pass("plan_hash");
  return restored;
}

function requireField(policy: Policy, source: string, field: string): void {
  if (policy.allowsField(source, field)) return;
  throw new ServiceError("policy_denied_field", describeDeniedField(source, field), { details: { met: field } });
}

function requireSchema(name: string, current: string, stored: unknown): void {
  if (current === stored) return;
  const message = `The plan was made for another schema of ${describeValue(name)}.`;
  const details = { met: current, expected: stored };
  throw new ServiceError("schema_revision_mismatch", message, { hint: AGAIN, details });
}

/** Lists every check of a plan with its status; those after a failure are not checkable. */
export function listChecks(passed: readonly Check[], failure: ServiceError | undefined): readonly PlanCheck[] {
  const failed = CHECKS[passed.length];
  return CHECKS.map((check, at) => {
    if (at < passed.length) return { check, status: "passed" };
    if (at === passed.length && failure !== undefined)
      return { check, status: "failed", cause: failure.code, message: failure.message };
    return { check, status: "not_checkable", cause: `${failed ?? "a check"} failed` };
  });
}
