import type { JupyterFrontEndPlugin } from "@jupyterlab/application";

const sidebar: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:sidebar",
  description: "Sources, capabilities and evidence beside the notebook.",
  autoStart: true,
  activate: () => undefined,
};

export default [sidebar];
