/** Scripts in place of a model: what a model would do with these results is not tested, and cannot be. */

import { generateText, isStepCount, streamText } from "ai";
import { expect, test } from "vitest";
import { type QueryResult } from "../src/index.js";
import { createModel, listSeen, type Turn } from "./scripted-model.js";
import { connectSales, RESTRICTED } from "./surroundings.js";

/** Lists, asks for what is missing, sends a candidate as it stands, and says the value. */
const SCRIPT: readonly (Turn | ((seen: readonly unknown[]) => Turn))[] = [
  { tool: "listSources", input: {} },
  { tool: "queryData", input: { source_name: "sales", aggregation: "sum", metric: "secret" } },
  { tool: "queryData", input: { source_name: "sales", metric: "amount", group_by: ["region"] } },
  (seen) => ({ tool: "queryData", input: readResult(seen.at(-1)).candidates?.[0]?.question }),
  (seen) => ({ say: `North has ${String(readResult(seen.at(-1)).rows?.[0]?.[1])}` }),
];

function readResult(output: unknown): QueryResult {
  const { type, value } = output as { readonly type: string; readonly value: QueryResult };
  expect(type).toBe("json");
  return value;
}

test("a scripted agent lists, is refused, narrows and answers", async () => {
  const { tools, outcomes } = await connectSales(RESTRICTED);
  const model = createModel(SCRIPT);
  const { text, steps } = await generateText({ model, tools, prompt: "How much?", stopWhen: isStepCount(9) });
  expect(text).toBe("North has 0.75");
  expect(steps).toHaveLength(5);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "needs_clarification", "ok"]);
  const [listed, refused] = listSeen(model.doGenerateCalls[4] ?? fail());
  expect(JSON.stringify(listed)).not.toContain("secret");
  expect(readResult(refused)).toMatchObject({ status: "rejected", code: "field_not_available" });
});

test("the same script streams", async () => {
  const { tools, outcomes } = await connectSales(RESTRICTED);
  const result = streamText({ model: createModel(SCRIPT), tools, prompt: "How much?", stopWhen: isStepCount(9) });
  await result.consumeStream();
  expect(await result.text).toMatch(/^North has 0\.75$/);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "needs_clarification", "ok"]);
});

test("a model is offered three tools, with strict schemas and the sources as they are now", async () => {
  const { tools, service } = await connectSales();
  const model = createModel([]);
  await generateText({ model, tools, prompt: "Hello" });
  await service.connect([{ a: 1 }], { name: "later" });
  await generateText({ model, tools, prompt: "Hello" });
  const offered = model.doGenerateCalls.map(({ tools: each }) => each ?? []);
  expect(offered[0]?.map(({ name }) => name)).toEqual(["listSources", "queryData", "explainQuery"]);
  const names = offered.map((each) => each.map((one) => ("inputSchema" in one ? one.inputSchema : {})));
  for (const schema of names[0] ?? []) expect(schema).toMatchObject({ type: "object", additionalProperties: false });
  expect(names[0]?.[1]).toMatchObject({ properties: { source_name: { enum: ["sales"] } } });
  expect(names[1]?.[1]).toMatchObject({ properties: { source_name: { enum: ["later", "sales"] } } });
});

test.each([
  ["a wrong type", { source_name: "sales", aggregation: 5 }, "rejected"],
  ["an unknown choice", { source_name: "sales", aggregation: "total", metric: "amount" }, "needs_clarification"],
  ["an unknown source", { source_name: "nowhere", aggregation: "count" }, "rejected"],
  ["an unknown key", { source_name: "sales", sql: "DROP TABLE sales" }, "error"],
  ["no object", [1, 2], "error"],
  ["null for what is left out", { source_name: "sales", aggregation: "count", metric: null, filter: null }, "ok"],
])("invalid input reaches the client: %s", async (_, input, status) => {
  const { tools } = await connectSales();
  const model = createModel([{ tool: "queryData", input }]);
  await generateText({ model, tools, prompt: "Go", stopWhen: isStepCount(3) });
  const [seen] = listSeen(model.doGenerateCalls[1] ?? fail());
  expect(readResult(seen).status).toBe(status);
});

test("what throws is never told word for word", async () => {
  const { service, tools } = await connectSales();
  const broken = Object.assign(Object.create(service) as typeof service, {
    ask: () => Promise.reject(new Error("password=hunter2 at /home/ann/sales.csv")),
    resolve: () => {
      throw new TypeError("password=hunter2");
    },
    listSources: () => {
      throw new RangeError("password=hunter2");
    },
  });
  const { createTools } = await import("../src/index.js");
  const model = createModel([
    { tool: "listSources", input: {} },
    { tool: "queryData", input: { source_name: "sales", aggregation: "count" } },
    { tool: "explainQuery", input: { source_name: "sales", aggregation: "count" } },
  ]);
  await generateText({ model, tools: createTools(broken), prompt: "Go", stopWhen: isStepCount(9) });
  const seen = listSeen(model.doGenerateCalls[3] ?? fail());
  expect(seen.map((each) => readResult(each).code)).toEqual(["internal_error", "internal_error", "internal_error"]);
  expect(JSON.stringify(model.doGenerateCalls)).not.toContain("hunter2");
  expect(Object.keys(tools)).toEqual(["listSources", "queryData", "explainQuery"]);
});

test("an outcome that cannot be kept is not told", async () => {
  const { service } = await connectSales();
  const { createTools } = await import("../src/index.js");
  const tools = createTools(service, { onOutcome: () => Promise.reject(new Error("disk full: /data/cards")) });
  const model = createModel([{ tool: "queryData", input: { source_name: "sales", aggregation: "count" } }]);
  await generateText({ model, tools, prompt: "Go", stopWhen: isStepCount(3) });
  const [seen] = listSeen(model.doGenerateCalls[1] ?? fail());
  expect(readResult(seen)).toEqual({
    status: "error",
    code: "internal_error",
    text: "The tool failed, and nothing was answered. Tell the user.",
  });
});

function fail(): never {
  throw new Error("the model was not called");
}
