import type { Card } from "@service-nb/records";
import type { Block, Commands, Fact, Status, Title, Tone } from "../blocks.js";
import { sentence } from "./facts.js";
import { attempt, type Maker } from "./read.js";

/** What a card is composed of; each part is read on its own. */
export interface Parts {
  readonly title?: () => Title;
  readonly status: { readonly tone: Tone; readonly label: string; readonly note: () => string };
  readonly blocks: readonly Maker<Block>[];
  /** What stands among the details, before the facts. */
  readonly folded?: Maker<Block>;
  readonly facts: readonly Maker<Fact>[];
}

/** The blocks of a card in reading order. Where the view does not have its shape, the card says so. */
export function composed(card: Card, parts: Parts): Block[] {
  const { title, folded = none } = parts;
  const note = attempt(() => [parts.status.note()]);
  const blocks = attempt(...(title === undefined ? [] : [() => [title()]]), ...parts.blocks);
  const more = attempt(folded);
  const facts = attempt(...parts.facts);
  const { tone, label } = parts.status;
  const status: Status = { block: "status", tone, label, note: note.made[0] ?? "" };
  const unread = note.unread ?? blocks.unread ?? more.unread ?? facts.unread;
  const hint =
    unread === undefined
      ? []
      : [sentence(`Part of this ${card.kind} cannot be shown: in its view, ${unread.message}`, "hint")];
  return [...blocks.made, ...hint, status, ...more.made, { block: "facts", facts: facts.made }];
}

function none(): readonly Block[] {
  return [];
}

/** A title without a sign. */
export function titled(text: string, note = ""): Title {
  return { block: "title", text, note, tone: "source" };
}

/** The label of the line that asks again. */
export const QUESTION_LABEL = "question";
const ASK = "%service_ask";
const MAGIC = "%service_"; // of what shows a source, the line is a magic already

/** The line that asks a question. */
export function askLine(question: string): string {
  return question.startsWith(MAGIC) ? question : `${ASK} ${question}`;
}

/** Questions as lines to run; a note says what each is. */
export function ask(title: string, questions: readonly string[], notes: readonly string[] = []): Commands {
  const commands = questions.map((question, at) => ({ line: askLine(question), note: notes[at] ?? "" }));
  return { block: "commands", title, commands };
}
