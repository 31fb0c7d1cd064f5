import { type Card, own } from "@service-nb/records";
import type { Block } from "../blocks.js";
import { askLine } from "../compose/parts.js";
import { answerDigest, isReplayable, resultId } from "../identity.js";
import { visible } from "../visible.js";
import { copy, type Desk } from "./copying.js";
import { disclosure } from "./disclosure.js";
import { button, element } from "./element.js";
import { save } from "./save.js";

/** What is shown, as far as actions need it. `card` is undefined where the value is none. */
export interface Shown {
  readonly value: unknown;
  readonly card: Card | undefined;
  readonly blocks: readonly Block[];
}

/** The row of what can be done with a card, and how to have it offer what the page can do now. */
export interface Actions {
  readonly row: HTMLElement;
  refresh(): void;
}

export function actions(shown: Shown, desk: Desk, verify: (() => void) | undefined): Actions {
  const { environment } = desk;
  const row = element("div", "service-actions");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", environment.say("Actions"));
  if (verify !== undefined) row.append(button("service-button", environment.say("Verify"), verify));
  const copying = disclosure("service-menu", environment.say("Copy"), (box) => {
    box.append(...copies(shown, desk));
  });
  const exporting = disclosure("service-menu", environment.say("Export"), (box) => {
    box.append(...exports(shown, desk));
  });
  row.append(copying, exporting, desk.readout);
  let offered: HTMLElement | undefined;
  const refresh = (): void => {
    const { card } = shown;
    if (card !== undefined && isReplayable(card.kind) && environment.onReplay !== undefined) {
      if (offered === undefined) copying.before((offered = replay(card, desk)));
      return;
    }
    const hadFocus = offered !== undefined && offered === globalThis.document.activeElement;
    offered?.remove();
    offered = undefined;
    if (hadFocus) row.querySelector<HTMLElement>("button, summary")?.focus();
  };
  refresh();
  return { row, refresh };
}

/** Who runs it is asked for when it is pressed: a kernel may be another one by then. */
function replay(card: Card, { environment, readout }: Desk): HTMLElement {
  return button("service-button", environment.say("Replay"), () => {
    const id = resultId(card);
    if (id === undefined) readout.textContent = environment.say("Not replayed: the card does not state its id.");
    else environment.onReplay?.(id);
  });
}

function copies({ value, card }: Shown, desk: Desk): readonly HTMLElement[] {
  const { environment } = desk;
  const copyButton = (label: string, text: () => string): HTMLElement =>
    button("service-button", environment.say(label), () => {
      copy(desk, text(), environment.say(label));
    });
  const question = card === undefined ? undefined : own(card.view, "ask");
  const line = typeof question === "string" && question !== "" ? askLine(question) : undefined;
  return [
    ...(card === undefined ? [] : [copyButton("Copy hash", () => answerDigest(card))]),
    ...(line === undefined ? [] : [copyButton("Copy question", () => visible(line))]),
    copyButton("Copy card JSON", () => JSON.stringify(value)),
  ];
}

// The rows are saved below their table.
function exports({ value, card }: Shown, { environment }: Desk): readonly HTMLElement[] {
  const name = card === undefined ? "card" : (resultId(card) ?? `${card.kind}_${answerDigest(card).slice(0, 16)}`);
  const cardFile = button("service-button", environment.say("Card (.servicecard.json)"), () => {
    save(`${name}.servicecard.json`, "application/json", JSON.stringify(value));
  });
  return [cardFile];
}
