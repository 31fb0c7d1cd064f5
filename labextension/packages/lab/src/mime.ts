import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { verifyCard } from "@service-nb/verify";
import { CARD_MIME } from "@service-nb/records";

class CardRenderer extends Widget implements IRenderMime.IRenderer {
  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.node.textContent = verifyCard(model.data[CARD_MIME]).status;
    return Promise.resolve();
  }
}

const extension: IRenderMime.IExtension = {
  id: "@service-nb/lab:card",
  description: "Shows provenance cards and verifies them.",
  rendererFactory: { safe: true, mimeTypes: [CARD_MIME], defaultRank: 40, createRenderer: () => new CardRenderer() },
  rank: 40,
  dataType: "json",
};
export default extension;
