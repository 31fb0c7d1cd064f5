import type { TranslationBundle } from "@jupyterlab/translation";
import { button, make } from "./dom.js";
import type { Situation } from "./state.js";

export interface NoticeActions {
  /** Puts `%load_ext service_nb` into a cell, which the reader sees, and runs it. */
  readonly load: () => void;
  readonly retry: () => void;
}

/** What stands in the way of a section that needs the kernel, and what to do; null where nothing does. */
export function notice(situation: Situation, actions: NoticeActions, trans: TranslationBundle): HTMLElement | null {
  const { link, isBusy } = situation;
  switch (link.is) {
    case "ready":
      return null;
    case "no_notebook":
      return told(trans.__("No notebook is open"), [
        trans.__("Open one: sources and capabilities come from its kernel, evidence from its cards."),
      ]);
    case "no_kernel":
      return told(trans.__("No kernel"), [
        trans.__("Sources and capabilities come from the kernel of the notebook. Its cards are verified without one."),
      ]);
    case "connecting":
      return told(trans.__("Asking the kernel…"), [
        isBusy
          ? trans.__("A cell is running; the kernel answers when it is done.")
          : trans.__("The link to service_nb in the kernel is being opened."),
      ]);
    case "not_loaded":
      return told(
        trans.__("service_nb is not loaded"),
        [trans.__("The kernel runs, and has not loaded the extension. This puts the line into a cell and runs it:")],
        make("code", { class: "service-side-line" }, "%load_ext service_nb"),
        button(
          trans.__("Load service_nb"),
          () => {
            actions.load();
          },
          { class: "service-side-button service-side-primary" },
        ),
      );
    case "failed":
      return told(
        trans.__("The kernel did not answer (%1)", link.code),
        [link.message, link.hint ?? ""],
        button(trans.__("Try again"), () => {
          actions.retry();
        }),
      );
  }
}

/** What a notice is made of: while it is the same, it need not be made again, and keeps the focus. */
export function keyOf({ link, isBusy }: Situation): string {
  return JSON.stringify([link.is, link.is === "failed" ? link : null, link.is === "connecting" && isBusy]);
}

/** An error of one question, with its code and hint. */
export function failureNotice(
  failure: { readonly code: string; readonly message: string; readonly hint: string | null },
  trans: TranslationBundle,
): HTMLElement {
  return told(trans.__("Not answered (%1)", failure.code), [failure.message, failure.hint ?? ""]);
}

function told(title: string, lines: readonly string[], ...more: readonly Node[]): HTMLElement {
  const said = lines.filter((line) => line !== "").map((line) => make("p", {}, line));
  return make(
    "div",
    { class: "service-side-notice" },
    make("p", { class: "service-side-notice-title" }, title),
    ...said,
    ...more,
  );
}
