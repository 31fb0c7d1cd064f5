import type { TranslationBundle } from "@jupyterlab/translation";
import { isReplayable } from "@service-nb/cards";
import type { Replayed } from "@service-nb/link";
import type { Evidence } from "../evidence.js";
import type { Judged } from "../tracking.js";
import { allow, button, make, setText } from "./dom.js";
import { headlineOf, kindInWords, placeInWords, signerOf, standingOf } from "./words.js";

/** What came of a replay, while it runs or after it failed too. */
export type ReplayState =
  | { readonly is: "running" }
  | { readonly is: "done"; readonly replayed: Replayed }
  | { readonly is: "failed"; readonly why: string; readonly hint: string | null };

export interface RowActions {
  goTo(evidence: Evidence): void;
  replay(evidence: Evidence): void;
}

/** A card in the list: its question, its verdict in words, where it stands; and what came of a replay. */
export class EvidenceRow {
  readonly node: HTMLElement;
  readonly #trans: TranslationBundle;
  readonly #jump: HTMLButtonElement;
  readonly #replay: HTMLButtonElement;
  readonly #replayCell: HTMLElement;
  readonly #sign = make("span", { class: "service-side-sign", "aria-hidden": "true" });
  readonly #question = make("span", { class: "service-side-row-question" });
  readonly #verdict = make("span", { class: "service-side-row-verdict" });
  readonly #place = make("span", { class: "service-side-row-place" });
  readonly #replayed = make("span", { class: "service-side-row-replayed", hidden: true });
  #judged: Judged;
  #told: Judged["verdict"] | undefined;

  constructor(judged: Judged, actions: RowActions, trans: TranslationBundle) {
    this.#judged = judged;
    this.#trans = trans;
    this.#jump = button("", () => {
      actions.goTo(this.#judged.evidence);
    });
    this.#jump.className = "service-side-row-jump";
    this.#jump.tabIndex = -1; // the grid is one stop of Tab, and says which
    this.#jump.append(
      this.#sign,
      make(
        "span",
        { class: "service-side-row-text" },
        this.#question,
        make("span", { class: "service-side-row-line" }, this.#verdict, this.#place),
        this.#replayed,
      ),
    );
    this.#replay = button("↻", () => {
      actions.replay(this.#judged.evidence);
    });
    this.#replay.className = "service-side-row-action";
    this.#replay.tabIndex = -1;
    this.#replayCell = make("div", { role: "gridcell" }, this.#replay);
    this.node = make(
      "div",
      { role: "row", class: "service-side-row" },
      make("div", { role: "gridcell", class: "service-side-row-main" }, this.#jump),
      this.#replayCell,
    );
    this.update(judged);
  }

  update(judged: Judged): void {
    const { evidence, verdict } = judged;
    if (this.#told === verdict && this.#judged.evidence === evidence) return;
    this.#judged = judged;
    const trans = this.#trans;
    const { state, sign, label } = standingOf(judged, trans);
    this.node.dataset["state"] = state;
    setText(this.#sign, sign);
    setText(this.#question, questionInWords(evidence, trans));
    setText(this.#verdict, label);
    // Most cards are answered questions, and their text says so.
    const isPlain = evidence.kind === "query" || evidence.face !== null;
    const kind = isPlain ? "" : `${kindInWords(evidence.kind, trans)} · `;
    setText(this.#place, kind + placeInWords(evidence, trans));
    this.#jump.title = titleOf(judged, label, trans);
    this.#told = verdict;
    this.#replay.hidden = !canReplay(evidence);
    this.#replayCell.hidden = this.#replay.hidden;
    this.#replay.setAttribute("aria-label", trans.__("Replay %1", placeInWords(evidence, trans)));
  }

  showReplay(state: ReplayState | undefined): void {
    this.#replayed.hidden = state === undefined;
    if (state === undefined) return;
    this.#replayed.dataset["state"] = state.is === "done" ? state.replayed.status : state.is;
    setText(this.#replayed, replayInWords(state, this.#trans));
    this.#replayed.title = state.is === "failed" ? (state.hint ?? "") : "";
  }

  allowReplay(reason: string | null): void {
    allow(this.#replay, reason);
    if (reason === null) this.#replay.title = this.#trans.__("Replay: run it again from the source, and compare");
  }
}

/** Whether a card can be run again: what it is the evidence of, and the name under which it is found. */
export function canReplay({ kind, id }: Evidence): boolean {
  return id !== null && kind !== null && isReplayable(kind);
}

/** What a card says that it answers; of what is no card, what is there instead. */
export function questionInWords({ question, face }: Evidence, trans: TranslationBundle): string {
  if (face !== null) return trans.__("A card was taken out here; what it showed was left");
  return question === "" ? trans.__("A card that cannot be read") : question;
}

export function replayInWords(state: ReplayState, trans: TranslationBundle): string {
  switch (state.is) {
    case "running":
      return trans.__("↻ Replaying…");
    case "failed":
      return trans.__("⊘ Not replayed: %1", state.why);
    case "done":
      return outcomeInWords(state.replayed, trans);
  }
}

function outcomeInWords({ status, message, cause }: Replayed, trans: TranslationBundle): string {
  const why = cause === null ? message : `${message} (${cause})`;
  switch (status) {
    case "identical":
      return trans.__("= Replay: identical");
    case "differs":
      return trans.__("≠ Replay differs: %1", why);
    case "refused":
      return trans.__("⊘ Not replayed: %1", why);
  }
}

function titleOf({ evidence, verdict }: Judged, label: string, trans: TranslationBundle): string {
  const notes = verdict === null ? [] : headlineOf(verdict, trans, signerOf(evidence)).notes;
  return [evidence.question, label, ...notes].join("\n");
}
