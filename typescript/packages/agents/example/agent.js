// An agent that lists, is refused, sends a candidate, and answers: node packages/agents/example/agent.js
//
// The model plays a script, so this needs no key and no network. Put any model of the AI SDK in its place.

import console from "node:console";
import { createTools } from "@service-nb/agents";
import { createService } from "@service-nb/client";
import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const service = createService({ policy: { allowedFields: { sales: ["region", "amount"] } } });
await service.connect(
  [
    { region: "North", amount: 12.5, customer: "Ada" },
    { region: "South", amount: 30, customer: "Grace" },
    { region: "North", amount: 20, customer: "Ada" },
  ],
  { name: "sales" },
);

const cards = []; // each is evidence of its own: write them to files, and `service-nb import` takes them into a ledger
const { steps, text } = await generateText({
  model: createModel(),
  tools: createTools(service, { onOutcome: ({ card }) => void cards.push(card) }),
  stopWhen: isStepCount(8),
  prompt: "Which region sold most?",
});

for (const { toolCalls, toolResults } of steps)
  toolCalls.forEach(({ toolName, input }, at) => {
    const { status, text: told, rows } = toolResults[at].output;
    console.log(`${toolName} ${JSON.stringify(input)}\n  ${status}: ${told}`);
    for (const row of rows ?? []) console.log(`  ${row.join("  ")}`);
  });
console.log(`\n${text}\n${cards.length} cards: ${cards.map(({ kind }) => kind).join(", ")}`);

function createModel() {
  const calls = [
    () => ["listSources", {}],
    () => ["queryData", { source_name: "sales", aggregation: "count", group_by: ["customer"] }], // denied
    () => ["queryData", { source_name: "sales", metric: "amount", group_by: ["region"] }], // of what?
    (seen) => ["queryData", seen.at(-1).candidates[0].question],
  ];
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const seen = prompt.flatMap(({ role, content }) =>
        role === "tool" ? content.map(({ output }) => output.value) : [],
      );
      const call = calls.shift()?.(seen);
      const [best] = seen.at(-1)?.rows ?? [];
      const said = { type: "text", text: `${best?.[0]} sold most: ${best?.[1]}.` };
      const made = {
        type: "tool-call",
        toolCallId: `call-${calls.length}`,
        toolName: call?.[0],
        input: JSON.stringify(call?.[1]),
      };
      return {
        content: [call === undefined ? said : made],
        finishReason: { unified: call === undefined ? "stop" : "tool-calls", raw: undefined },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      };
    },
  });
}
