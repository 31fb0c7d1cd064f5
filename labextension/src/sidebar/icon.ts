import { LabIcon } from "@jupyterlab/ui-components";

const CARD =
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
  '<path class="jp-icon3 jp-icon-selectable" fill="#616161" fill-rule="evenodd" d="M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2' +
  " 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Zm0 2v14h14V5H5Zm2 3h7v2H7V8Zm0 4h4v2H7v-2Zm5.1 2.6 1.4-1.4 1.6 1.6 2.9-2.9 1.4" +
  ' 1.4-4.3 4.3-3-3Z"/></svg>';

/** A card with a tick: the sidebar, and the commands of this extension. */
export const serviceIcon = new LabIcon({ name: "service-nb:card", svgstr: CARD });
