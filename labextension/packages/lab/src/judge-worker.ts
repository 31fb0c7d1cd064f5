// Judges in a thread of its own: what is asked and what is answered are the messages of `judge-elsewhere.ts`.
import * as beside from "./faces/beside.js";
import { judged } from "./judge.js";
import { type Answer, type Question, READY } from "./judge-elsewhere.js";

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const answer: Answer = { id: data.id, verdicts: judged(data, beside) };
  postMessage(answer);
});
postMessage(READY);
