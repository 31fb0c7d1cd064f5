import { type Card, CARD_KINDS, type Check, failed, own, passed } from "@service-nb/records";

/** Whether the card shows an outcome of the kind that it states, and no more rows than there are. */
export function checkKind(card: Card): Check {
  const status = own(card.view, "status");
  if (typeof status !== "string" || !(CARD_KINDS[card.kind].statuses as readonly string[]).includes(status)) {
    return failed("kind", "kind_contradicted", `A ${card.kind} does not have the status that the card shows.`);
  }
  if (card.kind === "query" && !countsItsRows(card.view)) {
    return failed("kind", "kind_contradicted", "The number of rows is not one that the shown rows can be part of.");
  }
  return passed("kind");
}

function countsItsRows(view: Card["view"]): boolean {
  const total = own(view, "row_count");
  const rows = own(view, "rows") ?? [];
  return Number.isSafeInteger(total) && Array.isArray(rows) && (total as number) >= rows.length;
}
