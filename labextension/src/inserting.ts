import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { Notification } from "@jupyterlab/apputils";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ITranslator, type TranslationBundle } from "@jupyterlab/translation";
import { cellText, INSERT_EVENT, type InsertRefusal, isRunnable, lineOf } from "./insert.js";
import { cellAt, insertAndRun, insertBelow } from "./notebook.js";
import { wordsOf } from "./translation.js";

export const insertPlugin: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:insert",
  description: "Puts the line that a panel built, or whose button is pressed, into a new cell below it.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: async (
    _app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    translator: ITranslator | null,
  ): Promise<void> => {
    const { setRun } = await import("./environment.js");
    const trans = wordsOf(translator);
    setRun((line, from) => {
      const panel = notebooks.find((each) => each.content.node.contains(from)) ?? notebooks.currentWidget;
      if (panel === null)
        return void Notification.info(trans.__("Open a notebook to run this line."), { autoClose: 5000 });
      if (!isRunnable(line)) return void Notification.warning(refusalInWords("not_ours", trans), { autoClose: 8000 });
      void insertAndRun(panel, line, cellAt(panel, from));
    });
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
  Notification.warning(refusalInWords(cell.refusal, trans), { autoClose: 8000 });
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
