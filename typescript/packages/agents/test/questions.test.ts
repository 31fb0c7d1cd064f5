/** Sixty questions of people, scored by the hash of the plan; a script sends them, and no model takes part. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createService } from "@service-nb/client";
import { generateText, isStepCount } from "ai";
import { expect, test } from "vitest";
import { createTools, type QueryResult } from "../src/index.js";
import { createModel, listSeen } from "./scripted-model.js";

interface Question {
  readonly question: string;
  readonly line: string;
  readonly inputs: readonly object[];
  readonly plan_hash: string;
}

const FOLDER = new URL("../../../../tests/vectors/agents/", import.meta.url);
const QUESTIONS = JSON.parse(readFileSync(new URL("questions.json", FOLDER), "utf-8")) as readonly Question[];

test("each of the sixty ends in the plan of its ask line", async () => {
  expect(QUESTIONS).toHaveLength(60);
  const service = createService();
  await service.connect(fileURLToPath(new URL("orders.csv", FOLDER)));
  const tools = createTools(service);
  const scores = new Map<string, boolean>();
  for (const { question, line, inputs, plan_hash: wanted } of QUESTIONS) {
    const model = createModel(inputs.map((input) => ({ tool: "queryData", input })));
    await generateText({ model, tools, prompt: question, stopWhen: isStepCount(inputs.length + 1) });
    const seen = listSeen(model.doGenerateCalls.at(-1) ?? { prompt: [] });
    const results = seen.map((each) => (each as { readonly value: QueryResult }).value);
    const [{ plan_hash: planned, result_hash: answered } = {}, ...refused] = results.toReversed();
    for (const { status } of refused) expect(["needs_clarification", "rejected"]).toContain(status);
    expect(answered).toBe((await service.ask(line)).data?.result_hash);
    scores.set(question, planned === wanted && refused.length === inputs.length - 1);
  }
  expect([...scores].filter(([, isRight]) => !isRight)).toEqual([]);
  expect(scores.size).toBe(60);
});
