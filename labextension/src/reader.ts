import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator } from "@jupyterlab/translation";
import { IServiceSettings } from "./tokens.js";

export const readerPlugin: JupyterFrontEndPlugin<IServiceSettings> = {
  id: "@service-nb/lab:plugin",
  description: "Whose keys are trusted, by settings and by what the server knows; which contracts are known.",
  autoStart: true,
  provides: IServiceSettings,
  optional: [ISettingRegistry, ITranslator],
  activate: async (
    app: JupyterFrontEnd,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ): Promise<IServiceSettings> => {
    const { askServer } = await import("./server-keys.js");
    const { startReading } = await import("./reading.js");
    const ask = (): ReturnType<typeof askServer> => askServer(app.serviceManager.serverSettings);
    return startReading("@service-nb/lab:plugin", registry, translator, ask);
  },
};
