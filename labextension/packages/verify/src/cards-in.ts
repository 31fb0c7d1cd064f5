import { CARD_MIME, isObject, own, ShapeError } from "@service-nb/records";

/** A card among the outputs of a notebook; cell and output count from 1, as people do. */
export interface PlacedCard {
  readonly cell: number;
  readonly output: number;
  readonly card: unknown;
}

/**
 * The cards of a notebook in the order of its cells.
 *
 * @throws {ShapeError} a cell, an output or its data is not an object: a card may hide where nobody looks
 */
export function cardsIn(notebook: Readonly<Record<string, unknown>>): PlacedCard[] {
  return objects(own(notebook, "cells"), "cells").flatMap((cell, cellIndex) =>
    optional(cell, "outputs", objects, []).flatMap((output, outputIndex) => {
      const data = optional(output, "data", object, {});
      if (!Object.hasOwn(data, CARD_MIME)) return [];
      return [{ cell: cellIndex + 1, output: outputIndex + 1, card: data[CARD_MIME] }];
    }),
  );
}

/** The metadata of a notebook, empty where it has none. */
export function metadataOf(notebook: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return optional(notebook, "metadata", object, {});
}

type Members = Readonly<Record<string, unknown>>;

function optional<T>(holder: Members, key: string, decode: (value: unknown, key: string) => T, otherwise: T): T {
  return Object.hasOwn(holder, key) ? decode(holder[key], key) : otherwise;
}

function object(value: unknown, key: string): Members {
  if (!isObject(value)) throw new ShapeError(key, "an object");
  return value;
}

function objects(value: unknown, key: string): readonly Members[] {
  if (!Array.isArray(value)) throw new ShapeError(key, "a list of objects");
  return value.map((each: unknown) => object(each, key));
}
