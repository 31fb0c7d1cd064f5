/** All rows of an answer, from whoever keeps them: checked against the hash of the card before one is shown. */

import type { Recorded, Rows } from "../blocks.js";
import type { Loading, ResultKeeper } from "../environment.js";
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

/** The whole result as JSON: its hashed text as it stands, the hash, and the hash that goes before it. */
export function jsonText(recorded: Recorded, text: string): string {
  const { name, hash, after } = recorded;
  const [own, before] = name === "result" ? ["result_hash", "plan_hash"] : ["computation_hash", "invocation_hash"];
  const head = { id: recorded.id() ?? null, [own]: hash, [before]: after };
  return `${JSON.stringify(head).slice(0, -1)},"${name}":${text}}\n`;
}
