export const PANEL = "panel";
