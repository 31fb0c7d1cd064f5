/** What runs without Node, in a browser too. */

import { createServiceOn } from "./service/create.js";
import { PAGE } from "./service/host.js";
import { type Service, type ServiceConfig } from "./service/service.js";

export { ServiceError } from "./errors.js";
export { buildCatalog, narrowSource, parsePolicy, Policy } from "./query/policy.js";
export { describePlan, parseQuestion, resolveQuestion, writeRefusal } from "./query/question.js";
export { formatAsk } from "./query/ask-format.js";
export { dropDefaultOrder } from "./query/plan.js";
export { parseAsk } from "./query/ask-line.js";
export { describeValue } from "./query/text.js";

export type {
  Argument,
  AskedSpec,
  ColumnBinding,
  ColumnCondition,
  ComputationInput,
  ComputationSpec,
  Conditions,
  Connector,
  Filter,
  GroupBy,
  Measure,
  MeasureCondition,
  QuerySpec,
  QuestionInput,
  SourceInput,
  SpecValue,
} from "./inputs.js";
export type { BindingProvenance } from "./compute/binding.js";
export type { Computation, DeterminismEnvelope } from "./compute/plane.js";
export type { ComputedValue } from "./compute/words.js";
export type { CapabilityEntry } from "./compute/contract.js";
export type { CapabilityHit } from "./compute/search.js";
export type { ComputeOptions } from "./service/computing.js";
export type { Card } from "@service-nb/records";
export type { Candidate, Refusal, Resolution, ResolutionForm } from "./query/outcomes.js";
export type { Catalog, Content, SourceView } from "./source.js";
export type { Clock } from "./query/binder.js";
export type { Column, DecimalColumn, Field, FieldType, Table } from "./values/columns.js";
export type { Details, ErrorCode, ErrorSource } from "./errors.js";
export type { AggregationName, DateUnit, Op, Plan, Question } from "./query/types.js";
export type { PlannedResponse, PlanResponse, RefusalTexts, RefusedResponse, Resolved } from "./query/question.js";
export type { PolicyOptions } from "./query/policy.js";
export type { Variables } from "./query/variables.js";
export type {
  AnswerData,
  AnsweredOutcome,
  AnswerProvenance,
  PlanVerdict,
  QueryOutcome,
  RefusedOutcome,
} from "./service/answers.js";
export type { Service, ServiceConfig } from "./service/service.js";
export type { Limits, ReadingOptions } from "./readers/options.js";
export type { ConnectorTest, Descriptor, StoredConnector } from "./service/live.js";
export type { PlanCheck } from "./service/stored-plan.js";
export type { ResultRow } from "./engine/result.js";
export type { ConnectOptions } from "./service/sources.js";
export type { ServiceSource } from "./service/registry.js";

/** Creates a client of bytes and objects, which reads no file and signs nothing. */
export function createService(config?: ServiceConfig): Service {
  return createServiceOn(PAGE, config);
}
