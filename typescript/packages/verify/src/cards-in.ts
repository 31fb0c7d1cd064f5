import { CARD_MIME, isObject, own, ShapeError } from "@service-nb/records";
import { isMarked } from "./mark.js";

/** An output with data; its subject names its place: cells, widgets and outputs count from 1, as people do. */
export interface PlacedOutput {
  readonly subject: string;
  readonly data: Members;
  /** The cell that it stands below; null of what a widget shows. */
  readonly cell: Members | null;
}

/** A card among the outputs of a notebook. */
export interface PlacedCard {
  readonly subject: string;
  readonly card: unknown;
}

type Members = Readonly<Record<string, unknown>>;

const WIDGETS_MIME = "application/vnd.jupyter.widget-state+json";

/**
 * The outputs of a notebook in the order of its cells, then those that its widgets show, as of `interact`.
 *
 * @throws {ShapeError} a cell, an output or its data is not an object: a card may hide where nobody looks
 */
export function outputsIn(notebook: Members): PlacedOutput[] {
  const belowCells = objects(own(notebook, "cells"), "cells").flatMap((cell, cellIndex) =>
    optional(cell, "outputs", objects, []).map((output, outputIndex) => ({
      subject: `cell ${String(cellIndex + 1)}, output ${String(outputIndex + 1)}`,
      data: optional(output, "data", object, {}),
      cell,
    })),
  );
  return [...belowCells, ...inWidgets(metadataOf(notebook))];
}

/** The cards among outputs, in their order. */
export function cardsAmong(outputs: readonly PlacedOutput[]): PlacedCard[] {
  return outputs.flatMap(({ subject, data }) =>
    Object.hasOwn(data, CARD_MIME) ? [{ subject, card: data[CARD_MIME] }] : [],
  );
}

/** Whether an output shows what a card looks like elsewhere, and holds no card. */
export function isWithoutCard({ data }: PlacedOutput): boolean {
  return !Object.hasOwn(data, CARD_MIME) && isMarked(data);
}

/** The metadata of a notebook, empty where it has none. */
export function metadataOf(notebook: Members): Members {
  return optional(notebook, "metadata", object, {});
}

/** What has another shape is shown by no front end, and is passed over. */
function inWidgets(metadata: Members): PlacedOutput[] {
  const models = ["widgets", WIDGETS_MIME, "state"].reduce<unknown>(member, metadata);
  if (!isObject(models)) return [];
  // Sorted by UTF-16, as the keys of canonical JSON are.
  const lists = Object.keys(models)
    .sort()
    .map((id) => member(member(models[id], "state"), "outputs"))
    .filter((outputs): outputs is unknown[] => Array.isArray(outputs) && outputs.length > 0);
  return lists.flatMap((outputs, widget) =>
    outputs.flatMap((output, index) => {
      const data = member(output, "data");
      if (!isObject(data)) return [];
      return [{ subject: `widget ${String(widget + 1)}, output ${String(index + 1)}`, data, cell: null }];
    }),
  );
}

function member(value: unknown, key: string): unknown {
  return isObject(value) ? own(value, key) : undefined;
}

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
