import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { EditorExtensionRegistry, IEditorExtensionRegistry } from "@jupyterlab/codemirror";

export const highlightPlugin: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:highlight",
  description: "Colours the questions of %service_ask and %service_explain.",
  autoStart: true,
  optional: [IEditorExtensionRegistry],
  activate: async (_app: JupyterFrontEnd, extensions: IEditorExtensionRegistry | null): Promise<void> => {
    if (extensions === null) return;
    const { highlight } = await import("./highlight.js");
    extensions.addExtension({
      name: "service-nb:ask",
      factory: ({ inline, model }) =>
        inline ? EditorExtensionRegistry.createImmutableExtension(highlight(() => isPython(model.mimeType))) : null,
    });
  },
};

function isPython(mimeType: string): boolean {
  return mimeType === "text/x-ipython" || mimeType === "text/x-python";
}
