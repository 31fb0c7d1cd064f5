import type { Card } from "@service-nb/records";
import type { Block, Commands, Fact, Status, Tone } from "../blocks.js";
import { sentence } from "./facts.js";
import { attempt, type Maker } from "./read.js";

/** What a card is composed of; each part is read on its own. */
export interface Parts {
  readonly status: { readonly tone: Tone; readonly label: string; readonly note: () => string };
  readonly blocks: readonly Maker<Block>[];
  readonly facts: readonly Maker<Fact>[];
}

/** The blocks of a card in reading order. Where the view does not have its shape, the card says so. */
export function composed(card: Card, parts: Parts): Block[] {
  const note = attempt(() => [parts.status.note()]);
  const blocks = attempt(...parts.blocks);
  const facts = attempt(...parts.facts);
  const { tone, label } = parts.status;
  const status: Status = { block: "status", tone, label, note: note.made[0] ?? "" };
  const unread = note.unread ?? blocks.unread ?? facts.unread;
  const hint =
    unread === undefined
      ? []
      : [sentence(`Part of this ${card.kind} cannot be shown: in its view, ${unread.message}`, "hint")];
  return [status, ...blocks.made, ...hint, { block: "facts", facts: facts.made }];
}

const ASK = "%service_ask";
const MAGIC = "%service_"; // of what shows a source, the line is a magic already

/** Questions as lines to run; a note says what each is. */
export function ask(title: string, questions: readonly string[], notes: readonly string[] = []): Commands {
  const commands = questions.map((question, at) => ({
    line: question.startsWith(MAGIC) ? question : `${ASK} ${question}`,
    note: notes[at] ?? "",
  }));
  return { block: "commands", title, commands };
}
