import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { ITranslator } from "@jupyterlab/translation";
import { wordsOf } from "./translation.js";

export const panelsPlugin: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:panels",
  description:
    "Shows panel and controls of service_nb where their kernel runs, their cards below them, and else what to run.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator],
  activate: async (
    _app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    translator: ITranslator | null,
  ): Promise<void> => {
    const { showPanelsOf } = await import("./panel-output.js");
    const { fillSlotsOf } = await import("./slots.js");
    const trans = wordsOf(translator);
    const add = (panel: NotebookPanel): void => {
      showPanelsOf(panel, trans);
      fillSlotsOf(panel);
    };
    notebooks.forEach(add);
    notebooks.widgetAdded.connect((_, panel) => {
      add(panel);
    });
  },
};
