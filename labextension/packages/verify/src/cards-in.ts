import { CARD_MIME, isObject, own } from "@service-nb/records";

/** A card among the outputs of a notebook; cell and output count from 1, as people do. */
export interface PlacedCard {
  readonly cell: number;
  readonly output: number;
  readonly card: unknown;
}

/** The cards of a notebook in the order of its cells; what has not the shape of a cell or an output holds none. */
export function cardsIn(notebook: Readonly<Record<string, unknown>>): PlacedCard[] {
  return listed(notebook, "cells").flatMap((cell, cellIndex) =>
    listed(cell, "outputs").flatMap((output, outputIndex) => {
      const data = isObject(output) ? own(output, "data") : undefined;
      if (!isObject(data) || !Object.hasOwn(data, CARD_MIME)) return [];
      return [{ cell: cellIndex + 1, output: outputIndex + 1, card: data[CARD_MIME] }];
    }),
  );
}

function listed(value: unknown, key: string): readonly unknown[] {
  const list = isObject(value) ? own(value, key) : undefined;
  return Array.isArray(list) ? list : [];
}
