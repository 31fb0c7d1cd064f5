import type { JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ITranslator } from "@jupyterlab/translation";
import { IServiceSettings } from "./tokens.js";

export const readerPlugin: JupyterFrontEndPlugin<IServiceSettings> = {
  id: "@service-nb/lab:plugin",
  description: "Settings of service_nb: whose keys are trusted, which contracts are known.",
  autoStart: true,
  provides: IServiceSettings,
  optional: [ISettingRegistry, ITranslator],
  activate: async (
    _app,
    registry: ISettingRegistry | null,
    translator: ITranslator | null,
  ): Promise<IServiceSettings> => {
    const { startReading } = await import("./reading.js");
    return startReading("@service-nb/lab:plugin", registry, translator);
  },
};
