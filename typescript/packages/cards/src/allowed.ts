/**
 * Every rule of the style sheets asks for this attribute on the card: JupyterLab's sanitizer takes it off whatever HTML a
 * notebook brings along, so that nothing but a card looks like one.
 */
export const LOOK_ATTRIBUTE = "data-service-nb";

/**
 * Every attribute that an element of a card may have, whatever the card holds. Values come from this package alone, but
 * for `aria-label` and `value`, which are read and never obeyed.
 */
export const ALLOWED_ATTRIBUTES: ReadonlySet<string> = new Set([
  "aria-controls",
  "aria-describedby",
  "aria-expanded",
  "aria-hidden",
  "aria-invalid",
  "aria-label",
  "aria-labelledby",
  "aria-live",
  "aria-pressed",
  "aria-rowcount",
  "aria-rowindex",
  "aria-sort",
  "autocomplete",
  "class",
  "colspan",
  LOOK_ATTRIBUTE,
  "dir",
  "disabled",
  "height",
  "hidden",
  "id",
  "lang",
  "open",
  "placeholder",
  "role",
  "scope",
  "spellcheck",
  "tabindex",
  "title",
  "type",
  "value",
  "width",
]);

/** Every attribute that an element of a chart or an icon may have. */
export const ALLOWED_SVG_ATTRIBUTES: ReadonlySet<string> = new Set([
  "aria-hidden",
  "aria-label",
  "class",
  "cx",
  "cy",
  "d",
  "height",
  "r",
  "role",
  "tabindex",
  "text-anchor",
  "viewBox",
  "width",
  "x",
  "x1",
  "x2",
  "y",
  "y1",
  "y2",
]);
