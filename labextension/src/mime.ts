import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import type { Message } from "@lumino/messaging";
import { Widget } from "@lumino/widgets";
import { CARD_MIME } from "@service-nb/records";
import { linesOutput } from "./lines-output.js";
import { type CardOutput, outputOf } from "./output.js";
import { ShownCard } from "./shown.js";
import { viewer } from "./viewer.js";

const NOTHING: CardOutput = { card: undefined, others: {} };

/**
 * Shows the card of an output. It builds text and elements and nothing else, so a notebook need not be trusted for it;
 * and it never writes to the model, which is the notebook.
 */
class CardRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #card: ShownCard;

  constructor({ latexTypesetter }: IRenderMime.IRendererOptions) {
    super();
    this.addClass("service-output");
    this.#card = new ShownCard(this.node, latexTypesetter);
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    return this.#card.show(() => outputOf(model.data, model.metadata) ?? NOTHING);
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#card.place();
  }

  protected override onBeforeDetach(message: Message): void {
    this.#card.leave();
    super.onBeforeDetach(message);
  }

  override dispose(): void {
    if (!this.isDisposed) this.#card.dispose();
    super.dispose();
  }
}

// Before all else that an output may hold, JSON and widgets too, or that would be shown in the card's place; and safe, or
// a notebook that is not trusted would show the face for others.
const RANK = -100;

const card: IRenderMime.IExtension = {
  id: "@service-nb/lab:card",
  description: "Shows provenance cards and verifies them.",
  rendererFactory: {
    safe: true,
    mimeTypes: [CARD_MIME],
    defaultRank: RANK,
    createRenderer: (options) => new CardRenderer(options),
  },
  rank: RANK,
  dataType: "json",
};
const extensions: readonly [IRenderMime.IExtension, IRenderMime.IExtension, IRenderMime.IExtension] = [
  card,
  viewer,
  linesOutput,
];
export default extensions;
