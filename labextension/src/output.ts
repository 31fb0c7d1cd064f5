import { CARD_MIME, isObject, own } from "@service-nb/records";

/** A card where it stands: with all else that its output holds, which a front end might show in its place. */
export interface CardOutput {
  readonly card: unknown;
  /** The data of the output's other MIME types. */
  readonly others: Readonly<Record<string, unknown>>;
  /** The digits that its numbers are to be shown with, as the output's metadata has them. */
  readonly digits?: unknown;
}

/** The card among an output's data, and what stands beside it; undefined where there is none. */
export function outputOf(data: unknown, metadata?: unknown): CardOutput | undefined {
  if (!isObject(data) || !Object.hasOwn(data, CARD_MIME)) return undefined;
  const { [CARD_MIME]: card, ...others } = data;
  const told = isObject(metadata) ? own(metadata, CARD_MIME) : undefined;
  return { card, others, digits: isObject(told) ? own(told, "digits") : undefined };
}
