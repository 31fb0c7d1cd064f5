// What a strict compiler takes of the client, and what it refuses: each line below a mark has to be a fault.
import {
  createService, ServiceError,
  type AnswerData, type Card, type CapabilityHit, type Computation, type ComputationSpec, type ErrorCode, type QuerySpec,
  type QueryOutcome,
} from "@service-nb/client";

interface Sale { region: string; amount: number }

export async function right(sales: Sale[]): Promise<unknown[]> {
  const service = createService({ policy: { allowedSources: ["sales"] }, timeout: 10 });
  await service.connect("sales.csv", { types: { amount: "float64" }, nulls: ["-"], decimal: "," });
  await service.connect(sales, { name: "sales" });
  await service.connect({ region: "north", amount: 1 }, { name: "one" });
  await service.connect({ records: sales }, { name: "kept" });
  await service.connect({ provider: "sqlite", path: "shop.db", table: "sales" });
  await service.connect(new Uint8Array(4), { name: "bytes", format: "csv" });
  await service.connect(null, { connector: { type: "postgres", host: "db.example", table: "sales" } });
  const spec: QuerySpec = {
    measures: [{ aggregation: "sum", metric: "amount" }, { aggregation: "percentile", metric: "amount", percent: 90 }],
    group_by: ["region", { column: "day", unit: "month", zone: "Europe/Berlin" }, { column: "amount", width: "0.5" }],
    filter: {
      conditions: [
        { column: "amount", op: "gt", value: 1 },
        { any: [{ column: "region", op: "in", values: ["a", "b"] }, { column: "day", op: "is_null" }] },
      ],
      time_filter: { column: "day", period: "last_month" },
    },
    having: { conditions: [{ aggregation: "count", op: "gt", value: 10 }] },
    order: "asc",
    limit: 5,
    source_name: "sales",
  };
  const outcome: QueryOutcome = await service.ask(spec, { variables: { year: 2024 } });
  const told = outcome.status === "ok" ? outcome.data.provenance.method : outcome.refusal_hash;
  const { status, data } = await service.ask("count from sales");
  const rows = status === "ok" ? data.result.length : 0;
  const planned = await service.resolve({ aggregation: "count" });
  const steps: readonly string[] = planned.status === "ok" ? planned.steps : planned.missing;
  const call: ComputationSpec = { module: "finance", function: "npv", args: [0.1, [-100, 60, 60]] };
  const computed: Computation = await service.compute(call);
  const grouped: readonly Computation[] = await service.compute("stats.mean values=sales.amount", { over: "region" });
  const bound = await service.compute("stats.mean", {
    bindings: [{ parameter: "values", source: "sales", field: "amount", nullPolicy: "drop" }],
  });
  const hits: readonly CapabilityHit[] = await service.searchCapabilities("median");
  const card: Card = outcome.card;
  const answered: AnswerData | undefined = data;
  try {
    await service.compute("finance.nvp");
  } catch (error) {
    if (error instanceof ServiceError) {
      const code: ErrorCode = error.code;
      if (code === "unsupported_operation") return [...error.nearestMatches];
    }
  }
  return [told, rows, steps, computed.determinism.tier, grouped, bound.value, hits, card, answered];
}

export async function wrong(outcome: QueryOutcome): Promise<void> {
  const service = createService();
  // @ts-expect-error
  await service.ask({ metrik: "revenue" });
  // @ts-expect-error
  await service.ask({ aggregation: "summe", metric: "x" });
  // @ts-expect-error
  await service.ask({ groupBy: ["x"] });
  // @ts-expect-error
  await service.ask({ group_by: 7 });
  // @ts-expect-error
  await service.ask({ group_by: [{ column: "x" }] });
  // @ts-expect-error
  await service.ask({ group_by: [{ column: "x", unit: "decade" }] });
  // @ts-expect-error
  await service.ask({ filter: [] });
  // @ts-expect-error
  await service.ask({ filter: { conditions: [{ column: "x", op: "greater", value: 1 }] } });
  // @ts-expect-error
  await service.ask({ filter: { conditions: [{ op: "eq", value: 1 }] } });
  // @ts-expect-error
  await service.ask({ filter: { conditions: [{ column: "x", op: "eq", value: null }] } });
  // @ts-expect-error
  await service.ask({ filter: { time_filter: { column: "day", period: "lately" } } });
  // @ts-expect-error
  await service.ask({ order: "down" });
  // @ts-expect-error
  await service.ask({ limit: "5" });
  // @ts-expect-error
  await service.ask({ measures: ["sum x"] });
  // @ts-expect-error
  await service.ask({ measures: { aggregation: "sum" } });
  // @ts-expect-error
  await service.ask({ having: { conditions: [{ column: "x", op: "gt" }] }, sourceName: "s" });
  // @ts-expect-error
  await service.ask(7);
  // @ts-expect-error
  await service.ask(null);
  // @ts-expect-error
  await service.ask("count", "sales");
  // @ts-expect-error
  await service.ask("count", { variable: {} });
  // @ts-expect-error
  await service.resolve({ metrics: ["x"] });
  // @ts-expect-error
  await service.resolve(undefined);
  // @ts-expect-error
  await service.connect(42);
  // @ts-expect-error
  await service.connect(true);
  // @ts-expect-error
  await service.connect(() => []);
  // @ts-expect-error
  await service.connect(Promise.resolve([]));
  // @ts-expect-error
  await service.connect(new ArrayBuffer(8));
  // @ts-expect-error
  await service.connect([1, 2, 3]);
  // @ts-expect-error
  await service.connect(new Map([["a", 1]]));
  // @ts-expect-error
  await service.connect("sales.csv", "sales");
  // @ts-expect-error
  await service.connect("sales.csv", { seperator: ";" });
  // @ts-expect-error
  await service.connect("sales.csv", { types: ["x"] });
  // @ts-expect-error
  await service.connect("sales.csv", { format: "xlsx" });
  // @ts-expect-error
  await service.testConnector("postgres://db.example");
  // @ts-expect-error
  await service.createConnector({ type: "postgres", options: { ssl: true } });
  // @ts-expect-error
  await service.compute({ module: "finance" });
  // @ts-expect-error
  await service.compute({ capability: "finance.npv", args: [] });
  // @ts-expect-error
  await service.compute("stats.mean", { bindings: [{ parameter: "values", source: "s" }] });
  // @ts-expect-error
  await service.compute("stats.mean", { bindings: [{ parameter: "v", source: "s", field: "x", nullPolicy: "skip" }] });
  // @ts-expect-error
  await service.compute("stats.mean", { arguments: [1] });
  // @ts-expect-error
  await service.computeMany([7]);
  // @ts-expect-error
  createService({ polcy: {} });
  // @ts-expect-error
  console.log(outcome.data.result);
  // @ts-expect-error
  if (outcome.status === "rejected") console.log(outcome.data.result);
  // @ts-expect-error
  if (outcome.status === "refused") console.log("refused");
  try {
    await service.ask("count");
  } catch (error) {
    // @ts-expect-error
    if (error instanceof ServiceError && error.code === "not_a_code") console.log(error.hint);
  }
}
