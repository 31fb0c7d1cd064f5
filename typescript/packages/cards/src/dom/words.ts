import { type Card, own, type Verdict } from "@service-nb/records";
import type { CardEnvironment } from "../environment.js";
import { duration } from "../format.js";
import { element } from "./element.js";

type Say = CardEnvironment["say"];

const WORDS = "service-words";
const UNCOMPARED = "service-uncompared";

/**
 * Sets the author's words apart from evidence: how long something took, the id of an unsigned card, and rows whose
 * recorded text is not in the card. "certified" is a claim until the contract that the card names was compared.
 */
export function markShown(root: HTMLElement, card: Card, say: Say): void {
  const note = root.querySelector<HTMLElement>(".service-status > .service-note");
  if (note !== null) markNote(note, card, say);
  if (!hasUncomparedRows(card)) return;
  for (const rows of root.querySelectorAll(".service-data, .service-figure")) {
    rows.classList.add(WORDS);
    rows.after(
      element(
        "div",
        `service-hint ${WORDS} ${UNCOMPARED}`,
        say("As its author shows it: the card does not keep what was recorded."),
      ),
    );
  }
}

/** As `markShown`, for the details, which are built later. */
export function markDetails(details: HTMLElement, card: Card, say: Say): void {
  const id = own(card.view, "query_id") ?? own(card.view, "request_id");
  const codes = card.receipt === null ? details.querySelectorAll(".service-facts code") : [];
  for (const code of codes) if (code.textContent === id) code.classList.add(WORDS);
  const tier = [...details.querySelectorAll(".service-fact")].find(
    (fact) => fact.firstElementChild?.textContent === "tier",
  );
  if (isClaimed(card)) tier?.lastElementChild?.append(claim(say));
  if (Object.hasOwn(card.view, "latency_ms")) {
    details.append(
      element(
        "div",
        `service-hint ${WORDS}`,
        say("Set like this: the author's words, which nothing can be compared with."),
      ),
    );
  }
}

/** Whether the contract that a card names was compared with one that is known. */
export function isContractCompared(verdict: Verdict): boolean {
  return verdict.checks.some(({ check, status }) => check === "contract" && status === "passed");
}

/** Whether what is shown was compared with what was recorded. */
export function areRowsCompared(verdict: Verdict): boolean {
  return verdict.checks.some(({ check, status }) => check === "shown" && status === "passed");
}

/** Takes the author's mark off rows once they were compared, as those that were loaded are. */
export function markRows(root: HTMLElement, areCompared: boolean): void {
  for (const hint of root.querySelectorAll<HTMLElement>(`.${UNCOMPARED}`)) {
    hint.hidden = areCompared;
    hint.previousElementSibling?.classList.toggle(WORDS, !areCompared);
  }
}

function markNote(note: HTMLElement, card: Card, say: Say): void {
  const latency = own(card.view, "latency_ms");
  const took = typeof latency === "number" && latency >= 0 ? ` · ${duration(latency)}` : "";
  const text = note.textContent;
  if (took === "" || !text.endsWith(took)) return;
  note.replaceChildren(
    text.slice(0, -took.length),
    ...(isClaimed(card) ? [claim(say)] : []),
    element("span", WORDS, took),
  );
}

function isClaimed({ view }: Card): boolean {
  return own(view, "tier") === "certified";
}

/** Stands beside the claim until the style sheet takes it away: the contract was compared. */
function claim(say: Say): HTMLElement {
  return element("span", `service-claim ${WORDS}`, ` ${say("(claimed: the contract was not compared)")}`);
}

function hasUncomparedRows({ kind, canonical, view }: Card): boolean {
  const rows = own(view, "rows");
  const isKept =
    kind === "query" ? canonical.result !== undefined : kind !== "computation" || canonical.value !== undefined;
  return !isKept && Array.isArray(rows) && rows.length > 0;
}
