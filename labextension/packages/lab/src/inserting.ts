import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { Notification } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ITranslator, type TranslationBundle } from "@jupyterlab/translation";
import { cellText, INSERT_EVENT, type InsertRefusal, lineOf } from "./insert.js";
import { cellAt, insertBelow } from "./notebook.js";
import { wordsOf } from "./translation.js";

export const insertPlugin: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:insert",
  description: "Puts the line that a panel built into a new cell below it.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: (_app: JupyterFrontEnd, notebooks: INotebookTracker, translator: ITranslator | null): void => {
    const trans = wordsOf(translator);
    globalThis.document.addEventListener(INSERT_EVENT, (event) => {
      const { target } = event;
      if (!(target instanceof Node)) return;
      const panel = notebooks.find((each) => each.content.node.contains(target));
      if (panel === undefined) return;
      const text = textOrNotice(lineOf(event), trans);
      if (text === null) return;
      event.preventDefault(); // taken: the panel need not reach for the clipboard
      insertBelow(panel, text, cellAt(panel, target));
    });
  },
};

/** The text of a new cell; null, once the reader was told why, where it is no line of ours. */
export function textOrNotice(line: unknown, trans: TranslationBundle): string | null {
  const cell = cellText(line);
  if ("text" in cell) return cell.text;
  Notification.warning(refusalInWords(cell.refusal, trans));
  return null;
}

function refusalInWords(refusal: InsertRefusal, trans: TranslationBundle): string {
  switch (refusal) {
    case "not_text":
    case "not_ours":
      return trans.__("A form wanted to insert something that is no line of service_nb. It was not inserted.");
    case "too_long":
      return trans.__("A form wanted to insert a line that is too long. It was not inserted.");
    case "odd_characters":
      return trans.__("A form wanted to insert a line with control characters. It was not inserted.");
  }
}
