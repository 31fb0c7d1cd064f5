import {
  type Card,
  CARD_KINDS,
  type Check,
  failed,
  notCheckable,
  passed,
  ShapeError,
  type TextName,
} from "@service-nb/records";
import { digest } from "../digest.js";
import { compareView, type Derived, Differs } from "../shown/comparing.js";
import { deriveComputation, OlderForm } from "../shown/computation.js";
import { deriveError, deriveRefusal, deriveReplay } from "../shown/others.js";
import { deriveQuery } from "../shown/query.js";
import { separated } from "../shown/words.js";
import { strictly } from "../texts.js";

/** The hashed texts of a card as values, each read once; one that is not strict JSON has none. */
export type ReadTexts = Readonly<Partial<Record<TextName, unknown>>>;

export function readTexts({ canonical }: Card): ReadTexts {
  return Object.fromEntries(Object.entries(canonical).map(([name, text]) => [name, strictly(text)]));
}

const NO_ROWS = digest("service:rows:v1", "[]");

/** Whether each leaf of the view is what the hashed texts give, or one of the author's words. */
export function checkShown(card: Card, texts: ReadTexts): Check {
  const missing = CARD_KINDS[card.kind].shownFrom.filter((name) => !Object.hasOwn(texts, name));
  if (missing.length > 0) return notKept(`The card does not hold its ${missing.join(", ")}.`);
  try {
    const { leaves, hasRows } = derive(card, texts);
    const rows = card.view["rows"];
    const isEmpty = Array.isArray(rows) && rows.length === 0;
    const isEmptied = isEmpty && card.digests.rows_hash !== NO_ROWS; // which says that there were some
    compareView(card.view, { leaves, hasRows: hasRows && !isEmptied });
    if (hasRows || isEmpty) return passed("shown");
    return notKept(rowsKept(rows, card.view["row_count"]) ?? "The card does not hold what its rows show.");
  } catch (error) {
    if (error instanceof OlderForm) return notCheckable("shown", "older_form");
    if (!(error instanceof Differs || error instanceof ShapeError)) throw error;
    return failed("shown", "shown_differs", error.message);
  }
}

/** How many rows of its result a card shows, where those are not all: `20 of 5,000 rows kept`. */
function rowsKept(rows: unknown, total: unknown): string | undefined {
  if (!Array.isArray(rows) || !Number.isSafeInteger(total) || (total as number) <= rows.length) return undefined;
  return `${separated(rows.length)} of ${separated(total as number)} rows kept`;
}

function notKept(message: string): Check {
  return notCheckable("shown", "shown_not_kept", message);
}

function derive(card: Card, texts: ReadTexts): Derived {
  switch (card.kind) {
    case "query":
      return deriveQuery(texts, card.view["ask"]);
    case "computation":
      return deriveComputation(texts, card.digests, card.view);
    case "clarification":
      return deriveRefusal("needs_clarification", texts);
    case "rejection":
      return deriveRefusal("rejected", texts);
    case "error":
      return deriveError(texts);
    case "replay":
      return deriveReplay(texts);
  }
}
