/** A client with data, and its tools. */

import { createService, type Service, type ServiceConfig } from "@service-nb/client";
import { type QueryOutcome } from "@service-nb/client/core";
import { type AgentTools, createTools } from "../src/index.js";

export const ROWS = [
  { region: "North", amount: 0.25, day: "2024-01-31", secret: 7 },
  { region: "North", amount: 0.5, day: "2024-02-29", secret: 8 },
  { region: "South", amount: 0.125, day: "2024-03-31", secret: 9 },
  { region: null, amount: null, day: "2024-04-30", secret: 1 },
];

export const RESTRICTED: ServiceConfig = {
  policy: { allowedSources: ["sales"], allowedFields: { sales: ["region", "amount", "day"] } },
};

export interface Surroundings {
  readonly service: Service;
  readonly tools: AgentTools;
  readonly outcomes: readonly QueryOutcome[];
}

export async function connectSales(config?: ServiceConfig, rows: readonly object[] = ROWS): Promise<Surroundings> {
  const service = createService(config);
  await service.connect(rows, { name: "sales", ...(rows === ROWS && { types: { day: "date" } }) });
  const outcomes: QueryOutcome[] = [];
  return { service, outcomes, tools: createTools(service, { onOutcome: (outcome) => void outcomes.push(outcome) }) };
}

type Result<N extends keyof AgentTools> = Awaited<ReturnType<AgentTools[N]["execute"]>>;

/** Calls a tool by its name. */
export async function call<N extends keyof AgentTools>(tools: AgentTools, name: N, input: unknown): Promise<Result<N>> {
  return (await tools[name].execute(input)) as Result<N>;
}
