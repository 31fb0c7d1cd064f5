import { PanelView } from "./panel-view.js";
import type { Model } from "./wire.js";

/** The panel as anywidget shows it; returns what is done when its view goes. */
function render({ model, el }: { readonly model: Model; readonly el: HTMLElement }): () => void {
  const view = new PanelView(el, model);
  return () => {
    view.dispose();
  };
}

// AFM, the format of anywidget's modules, asks for a default export.
export default { render };
