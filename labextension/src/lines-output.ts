import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Widget } from "@lumino/widgets";
import { linesElement } from "@service-nb/cards";
import { environmentOf } from "./environment.js";
import { linesIn } from "./lines-in.js";

const LINES_MIME = "application/vnd.service-nb.lines.v1+json";
const RANK = -90; // before the HTML that stands beside it

/** Shows lines to run. Like a card it builds text and elements and nothing else, so a notebook need not be trusted. */
class LinesRenderer extends Widget implements IRenderMime.IRenderer {
  constructor() {
    super();
    this.addClass("service-output");
  }

  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const environment = environmentOf(this.node.ownerDocument, null, () => undefined);
    this.node.replaceChildren(linesElement(linesIn(model.data[LINES_MIME]), environment));
    return Promise.resolve();
  }
}

export const linesOutput: IRenderMime.IExtension = {
  id: "@service-nb/lab:lines",
  description: "Shows the lines that lead on from an error, each with a button that runs it.",
  rendererFactory: {
    safe: true,
    mimeTypes: [LINES_MIME],
    defaultRank: RANK,
    createRenderer: () => new LinesRenderer(),
  },
  rank: RANK,
  dataType: "json",
};
