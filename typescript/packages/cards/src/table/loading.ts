/** The rows that a card does not hold: one press loads them, another breaks that off, and what came of it is told. */

import type { Recorded, Rows } from "../blocks.js";
import type { Loading, ResultKeeper } from "../environment.js";
import { create } from "./grid.js";
import { told, type Say } from "./words.js";

/** What a table needs to have all of its rows. */
export interface Loader {
  readonly recorded: Recorded;
  readonly total: number;
  readonly say: Say;
  readonly keeper: () => ResultKeeper | undefined;
}

/** Why no rows were loaded, in words for the reader. */
export class LoadError extends Error {
  override readonly name = "LoadError";
}

/** All rows and the text that they are in, checked against the hash of the card by whoever fetched it. */
export async function loadAll(loader: Loader, loading: Loading): Promise<{ rows: Rows; text: string }> {
  const { recorded, total, say } = loader;
  const text = recorded.text ?? (await keeperOf(loader).text(idOf(loader), recorded, loading));
  const rows = recorded.read(text);
  if (rows === null) throw new LoadError(say("Refused: the text of this result is not rows of these columns."));
  if (rows.size !== total) {
    const counts = [String(total), String(rows.size)];
    throw new LoadError(told(say, "Refused: the card says %1 rows, and its result has %2.", ...counts));
  }
  return { rows, text };
}

/** The rows as a Parquet file. */
export async function loadParquet(loader: Loader, loading: Loading): Promise<Uint8Array<ArrayBuffer>> {
  return keeperOf(loader).parquet(idOf(loader), loader.recorded, loading);
}

function keeperOf({ keeper, say }: Loader): ResultKeeper {
  const found = keeper();
  if (found === undefined) {
    throw new LoadError(
      say("This needs a kernel: choose one for this notebook, run %load_ext service_nb there, and press again."),
    );
  }
  return found;
}

function idOf({ recorded, say }: Loader): string {
  const id = recorded.id();
  if (id === undefined)
    throw new LoadError(say("The card does not state its id, so nobody can be asked for its rows."));
  return id;
}

/** A button that turns into *Cancel* while its work is under way; `readout` tells how far it is and what came of it. */
export function workButton(
  label: string,
  say: Say,
  readout: HTMLElement,
  work: (loading: Loading) => Promise<string>,
): HTMLButtonElement {
  const button = create("button", "service-copy");
  button.type = "button";
  button.textContent = label;
  let underWay: AbortController | undefined;
  const settle = (text: string): void => {
    underWay = undefined;
    button.textContent = label;
    readout.textContent = text;
  };
  button.addEventListener("click", () => {
    if (underWay !== undefined) {
      underWay.abort();
      return;
    }
    const controller = new AbortController();
    underWay = controller;
    button.textContent = say("Cancel");
    readout.textContent = say("Loading…");
    const loading: Loading = {
      signal: controller.signal,
      progress: (done, total) => {
        if (underWay === controller) readout.textContent = told(say, "Loading: %1 of %2", size(done), size(total));
      },
    };
    work(loading).then(settle, (error: unknown) => {
      settle(controller.signal.aborted ? say("Cancelled: nothing was loaded.") : messageOf(error));
    });
  });
  return button;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const MEGABYTE = 1_000_000;

function size(characters: number): string {
  return characters < MEGABYTE
    ? `${String(Math.ceil(characters / 1_000))} kB`
    : `${(characters / MEGABYTE).toFixed(1)} MB`;
}
