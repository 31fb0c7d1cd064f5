// Judges in a thread of its own: what is asked and what is answered are the messages of `judge-elsewhere.ts`.
import { judged } from "./judge.js";
import { type Answer, type Question, READY } from "./judge-elsewhere.js";

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  void judged(data).then((verdicts) => {
    const answer: Answer = { id: data.id, verdicts };
    postMessage(answer);
  });
});
// Every card in a notebook needs it. Where it does not load, nothing says "ready", and the page judges instead.
void import("./faces/compare.js").then(() => {
  postMessage(READY);
});
