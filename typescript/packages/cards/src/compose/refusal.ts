import type { Card } from "@service-nb/records";
import { type Block, type Fact, WAYS_ON } from "../blocks.js";
import { word } from "../format.js";
import { code, fact, sentence, text } from "./facts.js";
import { ask, askLine, composed, type Parts, QUESTION_LABEL } from "./parts.js";
import { proof } from "./proof.js";
import { type Maker, type Members, objectsAt, optionalText, textAt, textsAt } from "./read.js";

/** What is said of a question that was not run: why, and what could be asked instead. */
export function composeRefusal(card: Card): Block[] {
  const { view } = card;
  return composed(card, {
    status: statusOf(card),
    blocks: [() => [sentence(textAt(view, "reason"), "message")], () => candidates(objectsAt(view, "candidates"))],
    facts: [...refusalFacts(view), () => proof(card)],
  });
}

function statusOf({ kind, view }: Card): Parts["status"] {
  if (kind === "clarification") return { tone: "unclear", label: "Needs clarification", note: () => "not run" };
  return { tone: "rejected", label: "Rejected", note: () => `not run · ${textAt(view, "rejection_reason")}` };
}

function candidates(found: readonly Members[]): readonly Block[] {
  if (found.length === 0) return [];
  const questions = found.map((candidate) => textAt(candidate, "ask"));
  const notes = found.map((candidate) =>
    [textAt(candidate, "slot").replaceAll("_", " "), textAt(candidate, "name"), textAt(candidate, "type")]
      .filter((part) => part !== "")
      .join(" · "),
  );
  return [ask(WAYS_ON, questions, notes)];
}

function refusalFacts(view: Members): readonly Maker<Fact>[] {
  return [
    () => (textAt(view, "question") === textAt(view, "ask") ? [] : [fact("asked", [text(textAt(view, "question"))])]),
    () => (textAt(view, "ask") === "" ? [] : [fact(QUESTION_LABEL, [code(askLine(textAt(view, "ask")))])]),
    () => listed("missing", textsAt(view, "missing")),
    () => listed("similar", textsAt(view, "did_you_mean").map(word)),
    () =>
      listed(
        "rule",
        [optionalText(view, "rule")].filter((rule) => rule !== ""),
      ),
  ];
}

function listed(label: string, items: readonly string[]): readonly Fact[] {
  return items.length === 0 ? [] : [fact(label, [text(items.join(", "))])];
}
