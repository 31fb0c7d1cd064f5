import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { CARD_MIME } from "@service-nb/records";
import { followVerdict, type Waiting } from "./verdicts.js";

class CardRenderer extends Widget implements IRenderMime.IRenderer {
  #following: Waiting | undefined;

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#following?.dispose();
    this.#following = followVerdict(
      model.data[CARD_MIME],
      ({ status }) => {
        this.node.textContent = status;
      },
      this.node,
    );
    return Promise.resolve();
  }

  override dispose(): void {
    this.#following?.dispose();
    super.dispose();
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
