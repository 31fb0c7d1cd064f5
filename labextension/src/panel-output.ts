import type { NotebookPanel } from "@jupyterlab/notebook";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import type { TranslationBundle } from "@jupyterlab/translation";
import { Panel, type Widget } from "@lumino/widgets";
import { isObject, own } from "@service-nb/records";

const PANEL_MIME = "application/vnd.service-nb.panel.v1+json";
const WIDGET_MIME = "application/vnd.jupyter.widget-view+json";
const WIDGETS = "jupyter.widget"; // the target of their comms
const GONE = ["restarting", "autorestarting", "terminating", "dead"]; // the statuses of a kernel that has no widgets

// Before the widget itself, whose rank is -10: of a notebook that is trusted, and whose kernel is gone, that one shows an
// error. Safe, because a notebook that is not trusted is shown words alone.
const RANK = -20;

type Notebook = Pick<NotebookPanel, "sessionContext"> & {
  readonly content: Pick<NotebookPanel["content"], "rendermime">;
};

/** Has a notebook show the panels among its outputs by this, as soon as it renders them. */
export function showPanelsOf(notebook: Notebook, trans: TranslationBundle): void {
  notebook.content.rendermime.addFactory(
    { safe: true, mimeTypes: [PANEL_MIME], createRenderer: () => new PanelOutput(notebook, trans) },
    RANK,
  );
}

/**
 * A panel, or the controls of a question, among outputs. It lives as long as its kernel; a notebook that is opened later has its cards, and in the place
 * of the panel words that say so. Once a kernel turns out to have it, it is shown.
 */
class PanelOutput extends Panel implements IRenderMime.IRenderer {
  readonly #notebook: Notebook;
  readonly #trans: TranslationBundle;
  readonly #words: HTMLElement;
  #model: IRenderMime.IMimeModel | undefined;
  #shown: Widget | undefined;

  constructor(notebook: Notebook, trans: TranslationBundle) {
    super();
    this.#notebook = notebook;
    this.addClass("service-panel-output");
    this.#trans = trans;
    this.#words = wordsIn(this.node.ownerDocument);
    this.node.append(this.#words);
    notebook.sessionContext.kernelChanged.connect(this.#look, this);
    notebook.sessionContext.statusChanged.connect(this.#hear, this);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#model = model;
    this.#say();
    await this.#showIfThere();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#notebook.sessionContext.kernelChanged.disconnect(this.#look, this);
    this.#notebook.sessionContext.statusChanged.disconnect(this.#hear, this);
    super.dispose();
  }

  #look(): void {
    void this.#showIfThere();
  }

  /** Controls whose kernel has gone do nothing; a panel says so by itself. */
  #hear(_: unknown, status: string): void {
    if (this.#areControls && GONE.includes(status)) this.#say();
  }

  get #areControls(): boolean {
    return own(asObject(this.#model?.data[PANEL_MIME]), "kind") === "controls";
  }

  /** Puts words in the place of what was shown. */
  #say(): void {
    this.#shown?.dispose();
    this.#shown = undefined;
    this.#words.hidden = false;
    const [title, more] = this.#words.children;
    const __ = this.#trans.__.bind(this.#trans);
    if (title !== undefined)
      title.textContent = this.#areControls
        ? __("These controls of service_nb need their kernel")
        : __("The panel of service_nb needs its kernel");
    if (more !== undefined)
      more.textContent = this.#areControls
        ? __("Run this cell to use them again. Their last card stays below.")
        : __("Run this cell to open it again. Its results stay below.");
  }

  /** Shows the panel once the kernel has it. */
  async #showIfThere(): Promise<void> {
    const model = this.#model;
    const { rendermime } = this.#notebook.content;
    // A widget is a program that comes out of the notebook: not where nobody trusts it, nor where nobody shows widgets.
    if (model?.trusted !== true || !rendermime.mimeTypes.includes(WIDGET_MIME)) return;
    const id = own(asObject(model.data[WIDGET_MIME]), "model_id");
    if (typeof id !== "string" || !(await this.#isInKernel(id))) return;
    if (this.isDisposed || this.#shown !== undefined || this.#model !== model) return;
    const shown = rendermime.createRenderer(WIDGET_MIME);
    this.#shown = shown;
    this.#words.hidden = true;
    this.addWidget(shown);
    await shown.renderModel(model);
  }

  async #isInKernel(id: string): Promise<boolean> {
    const kernel = this.#notebook.sessionContext.session?.kernel;
    if (kernel === null || kernel === undefined) return false;
    // A panel that a cell has just opened is there at once; the kernel would be asked after the cell has ended.
    if (kernel.hasComm(id)) return true;
    try {
      const { content } = await kernel.requestCommInfo({ target_name: WIDGETS });
      return content.status === "ok" && Object.hasOwn(content.comms, id);
    } catch {
      return false; // the kernel ended before it answered: there is no panel
    }
  }
}

function wordsIn(page: Document): HTMLElement {
  const said = page.createElement("div");
  said.className = "service-scope service-panel-words";
  for (const name of ["service-panel-words-title", "service-panel-words-more"]) {
    const line = page.createElement("p");
    line.className = name;
    said.append(line);
  }
  return said;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
