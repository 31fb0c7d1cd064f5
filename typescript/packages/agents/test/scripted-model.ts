/** A model that plays a script: no network, no language. What it was sent is kept. */

import { MockLanguageModelV4 } from "ai/test";
import { simulateReadableStream } from "ai";

type CallOptions = MockLanguageModelV4["doGenerateCalls"][number];

/** One turn: a call of a tool, with its input as JSON or as any text, or words for the user. */
export type Turn = { readonly tool: string; readonly input: unknown } | { readonly say: string };

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Each turn is a value, or made of the results that the model has seen so far. */
export function createModel(turns: readonly (Turn | ((seen: readonly unknown[]) => Turn))[]): MockLanguageModelV4 {
  let at = 0;
  const next = (options: CallOptions): Turn => {
    const turn = turns[at++] ?? { say: "done" };
    return typeof turn === "function" ? turn(listSeen(options)) : turn;
  };
  return new MockLanguageModelV4({
    doGenerate: (options) => {
      const turn = next(options);
      const isCall = "tool" in turn;
      return Promise.resolve({
        content: [isCall ? writeCall(turn, at) : { type: "text", text: turn.say }],
        finishReason: { unified: isCall ? "tool-calls" : "stop", raw: undefined },
        usage: USAGE,
        warnings: [],
      });
    },
    doStream: (options) => {
      const turn = next(options);
      const said = "tool" in turn ? [writeCall(turn, at)] : writeWords(turn.say);
      const unified = "tool" in turn ? "tool-calls" : "stop";
      const finish = { type: "finish" as const, finishReason: { unified, raw: undefined } as const, usage: USAGE };
      return Promise.resolve({ stream: simulateReadableStream({ chunks: [...said, finish] }) });
    },
  });
}

function writeCall(turn: { readonly tool: string; readonly input: unknown }, at: number) {
  const input = typeof turn.input === "string" ? turn.input : JSON.stringify(turn.input);
  return { type: "tool-call" as const, toolCallId: `call-${String(at)}`, toolName: turn.tool, input };
}

function writeWords(text: string) {
  return [
    { type: "text-start" as const, id: "1" },
    { type: "text-delta" as const, id: "1", delta: text },
    { type: "text-end" as const, id: "1" },
  ];
}

/** The results of tools in what a model is sent, as it is sent. */
export function listSeen({ prompt }: CallOptions): readonly unknown[] {
  return prompt.flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => ("output" in part ? [part.output] : [])) : [],
  );
}
