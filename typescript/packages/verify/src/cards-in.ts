import {
  CARD_MIME,
  CELL_TYPES,
  isObject,
  MAX_DEPTH,
  NOTEBOOK_FORMAT,
  OTHER_CELLS,
  OUTPUT_CELL,
  OUTPUT_TYPES,
  own,
  ShapeError,
} from "@service-nb/records";
import { isMarked } from "./mark.js";

/** An output with data; its subject names its place: cells, widgets and outputs count from 1, as people do. */
export interface PlacedOutput {
  readonly subject: string;
  readonly data: Members;
  /** The cell that it stands below; null of what a widget shows. */
  readonly cell: Members | null;
  /** Whether viewers show these data: not those of a stream, or below a cell of text. */
  readonly isShown: boolean;
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
  const belowCells = cellsOf(notebook).flatMap((cell, cellIndex) =>
    optional(cell, "outputs", objects, []).map((output, outputIndex) => ({
      subject: `cell ${String(cellIndex + 1)}, output ${String(outputIndex + 1)}`,
      data: optional(output, "data", object, {}),
      cell,
      isShown: own(cell, "cell_type") === OUTPUT_CELL && showsData(output),
    })),
  );
  return [...belowCells, ...inWidgets(metadataOf(notebook))];
}

/** The cards that outputs show, in their order. */
export function cardsAmong(outputs: readonly PlacedOutput[]): PlacedCard[] {
  return outputs.flatMap(({ subject, data, isShown }) =>
    isShown && Object.hasOwn(data, CARD_MIME) ? [{ subject, card: data[CARD_MIME] }] : [],
  );
}

/** Whether viewers show the data of an output, by its kind. */
export function showsData(output: Members): boolean {
  const shown: Readonly<Record<string, string>> = OUTPUT_TYPES;
  const kind = own(output, "output_type");
  return typeof kind === "string" && own(shown, kind) === "data";
}

/** Whether an output shows what a card looks like elsewhere, and holds no card. */
export function isWithoutCard({ data, isShown }: PlacedOutput): boolean {
  return isShown && !Object.hasOwn(data, CARD_MIME) && isMarked(data);
}

/** Why a notebook is of a form that viewers do not read alike; null where they do. */
export function otherForm(notebook: Members): string | null {
  const other = OTHER_CELLS.find((key) => Object.hasOwn(notebook, key));
  if (other !== undefined) return `The notebook has ${other} too.`;
  return own(notebook, "nbformat") === NOTEBOOK_FORMAT ? null : "The notebook is of another nbformat than 4.";
}

/** The first cell, from 1, that is of a kind that viewers do not know, or has such an output; null where none is. */
export function oddCell(notebook: Members): number | null {
  const isKnown = (cell: Members): boolean =>
    (CELL_TYPES as readonly unknown[]).includes(own(cell, "cell_type")) &&
    optional(cell, "outputs", objects, []).every((output) => {
      const kind = own(output, "output_type");
      return typeof kind === "string" && Object.hasOwn(OUTPUT_TYPES, kind);
    });
  const odd = cellsOf(notebook).findIndex((cell) => !isKnown(cell));
  return odd < 0 ? null : odd + 1;
}

export function cellsOf(notebook: Members): readonly Members[] {
  return objects(own(notebook, "cells"), "cells");
}

/**
 * Where cards stand outside of the data of outputs: cells, or the notebook itself. Widgets of other front ends have shapes
 * of their own, and what they hold is nobody's fault.
 */
export function straysIn(notebook: Members, outputs: readonly PlacedOutput[]): string[] {
  const placed = new Set<unknown>(outputs.map(({ data }) => data));
  const strays = cellsOf(notebook).flatMap((cell, index) =>
    holdsCard(cell, placed) ? [`cell ${String(index + 1)}`] : [],
  );
  const metadata = Object.fromEntries(Object.entries(metadataOf(notebook)).filter(([name]) => name !== "widgets"));
  return holdsCard({ ...notebook, cells: [], metadata }, placed) ? [...strays, "notebook"] : strays;
}

/** Whether a card stands in a value, but for the data of outputs. */
function holdsCard(value: unknown, placed: ReadonlySet<unknown>, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false; // which no document has
  if (Array.isArray(value)) return value.some((each) => holdsCard(each, placed, depth + 1));
  if (!isObject(value)) return false;
  const card = own(value, CARD_MIME); // or how a card is shown, in the metadata of its output
  if (isObject(card) && Object.hasOwn(card, "digests") && !placed.has(value)) return true;
  return Object.keys(value).some((key) => key !== CARD_MIME && holdsCard(value[key], placed, depth + 1));
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
      if (!isObject(output) || !isObject(data)) return [];
      const subject = `widget ${String(widget + 1)}, output ${String(index + 1)}`;
      return [{ subject, data, cell: null, isShown: showsData(output) }];
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
