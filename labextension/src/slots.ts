import type { NotebookPanel } from "@jupyterlab/notebook";
import type { IDisplayData, IOutput } from "@jupyterlab/nbformat";
import type { KernelMessage } from "@jupyterlab/services";
import { isObject, own } from "@service-nb/records";

type Notebook = Pick<NotebookPanel, "sessionContext"> & { readonly content: Pick<NotebookPanel["content"], "model"> };

/**
 * Fills outputs that JupyterLab no longer finds: it knows the id of an output only as long as the notebook is open that
 * showed it. Below a panel that runs on, the old card would stay. Such an output has its id in its metadata.
 */
export function fillSlotsOf(notebook: Notebook): void {
  notebook.sessionContext.iopubMessage.connect((_, message) => {
    if (message.header.msg_type !== "update_display_data") return;
    fill(notebook, (message as KernelMessage.IUpdateDisplayDataMsg).content);
  });
}

function fill({ content: { model } }: Notebook, given: KernelMessage.IUpdateDisplayDataMsg["content"]): void {
  const slot: unknown = own(isObject(given.transient) ? given.transient : {}, "display_id");
  if (typeof slot !== "string") return; // a kernel may say anything
  for (const cell of model?.cells ?? []) {
    const outputs = "outputs" in cell ? (cell as unknown as Outputs).outputs : undefined;
    for (let at = 0; outputs !== undefined && at < outputs.length; at += 1) {
      const there = outputs.get(at).toJSON() as IDisplayData;
      if (slotIn(there) !== slot) continue;
      // JupyterLab has filled it already where it knows it.
      if (JSON.stringify(there.data) === JSON.stringify(given.data)) continue;
      outputs.set(at, { output_type: "display_data", data: given.data, metadata: given.metadata });
    }
  }
}

interface Outputs {
  readonly outputs: {
    readonly length: number;
    get(index: number): { toJSON(): IOutput };
    set(index: number, output: IOutput): void;
  };
}

/** The id that the kernel gave to an output; undefined for any other. */
function slotIn({ metadata }: Partial<IDisplayData>): unknown {
  const said = own(isObject(metadata) ? metadata : {}, "service_nb");
  const slot = own(isObject(said) ? said : {}, "slot");
  return typeof slot === "string" ? slot : undefined;
}
