import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ITranslator } from "@jupyterlab/translation";
import { IServiceSettings, ISidebar } from "../tokens.js";
import type { Sidebar } from "./sidebar.js";

export const sidebarPlugin: JupyterFrontEndPlugin<Sidebar> = {
  id: "@service-nb/lab:sidebar",
  description: "Sources, capabilities and evidence beside the notebook.",
  autoStart: true,
  provides: ISidebar,
  requires: [IServiceSettings],
  optional: [INotebookTracker, ILayoutRestorer, ITranslator],
  activate: async (
    app: JupyterFrontEnd,
    settings: IServiceSettings,
    notebooks: INotebookTracker | null,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null,
  ): Promise<Sidebar> => {
    const { startSidebar } = await import("./start.js");
    return startSidebar({ app, settings, notebooks, restorer, translator });
  },
};
