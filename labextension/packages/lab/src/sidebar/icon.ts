import { LabIcon } from "@jupyterlab/ui-components";

const CARD =
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
  '<g class="jp-icon3 jp-icon-selectable" fill="none" stroke="#616161" stroke-width="2" stroke-linecap="round"' +
  ' stroke-linejoin="round"><rect x="3" y="4" width="18" height="16" rx="2"/><path d="M7 9h6M7 13h3"/>' +
  '<path d="m12.5 14.5 2.2 2.2 4-4.4"/></g></svg>';

/** A card with a tick: the sidebar, and the commands of this extension. */
export const serviceIcon = new LabIcon({ name: "service-nb:card", svgstr: CARD });
