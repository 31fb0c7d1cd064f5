import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { CardView } from "@service-nb/cards";
import { isObject } from "@service-nb/records";
import { type EnvironmentChange, environmentOf, onEnvironment } from "./environment.js";
import { onTerms, verdictsOfDocument } from "./verdicts.js";

const DOCUMENT_MIME = "application/vnd.service-nb.document";
const NAME = "Provenance card";
const MALFORMED = ""; // a value that is no card
const FILE_TYPE = "service-card";

/**
 * Shows a file: a card, or the verdicts of what holds or seals cards. It is judged by its text, in which nothing was
 * rounded, and no key stands twice unseen.
 */
class DocumentRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #typesetter: IRenderMime.ILatexTypesetter | null;
  readonly #stop: readonly (() => void)[];
  #text: string | undefined;
  #view: CardView | undefined;
  #turn = 0;

  constructor({ latexTypesetter }: IRenderMime.IRendererOptions) {
    super();
    this.addClass("service-document");
    this.node.tabIndex = 0; // it scrolls
    this.#typesetter = latexTypesetter;
    this.#stop = [onTerms(() => void this.#judge()), onEnvironment((change) => void this.#adapt(change))];
  }

  async renderModel({ data }: IRenderMime.IMimeModel): Promise<void> {
    const text = data[DOCUMENT_MIME];
    if (text === this.#text) return;
    // A notebook's verdict counts its cards by their own type, so none is shown by another.
    this.#text = typeof text === "string" && this.parent?.hasClass("jp-MimeDocument") === true ? text : undefined;
    await this.#show();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    for (const stop of this.#stop) stop();
    this.#view?.dispose();
    super.dispose();
  }

  async #show(): Promise<void> {
    this.#view?.dispose();
    this.#view = undefined;
    this.node.replaceChildren();
    if (this.#text === undefined) return;
    const value = parsed(this.#text);
    if (value === MALFORMED || isCard(value)) {
      const verify = (): void => void this.#judge();
      this.#view = new CardView(this.node, environmentOf(this.node.ownerDocument, this.#typesetter, verify));
      this.#view.show(value);
    }
    await this.#judge();
  }

  async #adapt(change: EnvironmentChange): Promise<void> {
    if (change === "words") await this.#show();
    else if (change === "actions") this.#view?.refresh();
  }

  async #judge(): Promise<void> {
    if (this.#text === undefined) return;
    const turn = ++this.#turn;
    const [verdicts, { reportElement }] = await Promise.all([verdictsOfDocument(this.#text), import("./reports.js")]);
    if (turn !== this.#turn || this.isDisposed) return;
    const [verdict] = verdicts;
    if (this.#view === undefined) this.node.replaceChildren(reportElement(verdicts, this.node.ownerDocument));
    else if (verdict !== undefined) this.#view.judge(verdict);
  }
}

/** What is shown of a text; that it is strict JSON, the verdict says. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MALFORMED;
  }
}

function isCard(value: unknown): boolean {
  return isObject(value) && "kind" in value && !("nbformat" in value);
}

/**
 * The viewer of `*.servicecard.json`. As an extension of MIME types and not as a factory of our own, because JupyterLab
 * then keeps its tabs over a reload, prints it, and hands over its typesetter. It asks for text, so a malformed file is
 * shown as well: parsed by JupyterLab it would close its tab. What it registers for outputs along the way stands behind
 * everything else and shows nothing there.
 */
export const viewer: IRenderMime.IExtension = {
  id: "@service-nb/lab:document",
  description: "Opens files of provenance cards, and verifies them.",
  rendererFactory: {
    safe: false,
    mimeTypes: [DOCUMENT_MIME],
    defaultRank: 1000,
    createRenderer: (options) => new DocumentRenderer(options),
  },
  rank: 1000,
  dataType: "string",
  fileTypes: [
    {
      name: FILE_TYPE,
      displayName: NAME,
      extensions: [".servicecard.json"],
      mimeTypes: [DOCUMENT_MIME],
      fileFormat: "text",
    },
  ],
  documentWidgetFactoryOptions: {
    name: NAME,
    primaryFileType: FILE_TYPE,
    fileTypes: [FILE_TYPE, "json", "notebook"],
    defaultFor: [FILE_TYPE],
  },
};
