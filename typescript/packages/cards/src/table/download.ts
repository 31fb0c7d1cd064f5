/** The formats in which rows leave a page, and the names of their files, which carry the hash of the whole result. */

import type { Recorded, Rows, Table } from "../blocks.js";

/** A format of rows as they are shown. */
export interface TextFormat {
  readonly name: string;
  readonly ending: string;
  readonly type: string; // of MIME
  readonly text: (shown: Table) => string;
}

const MOST_NAME = 40;

/**
 * The name of a file: the id of the outcome and, where the file has all rows, the hash of the result, which no reader of
 * the format trips over. A file of some of the rows says that it is a part.
 */
export function fileName(recorded: Recorded | undefined, isWhole: boolean, ending: string): string {
  const stem = (recorded?.id() ?? "rows").slice(0, MOST_NAME);
  const hash = isWhole && recorded !== undefined ? `.${recorded.name}-${recorded.hash.replace(/^sha256:/, "")}` : "";
  return `${stem}${isWhole ? hash : ".part"}.${ending}`;
}

/** Whether these are all rows of an answer. */
export function isWhole(rows: Rows, { total }: Table): boolean {
  return rows.size >= (total ?? 0);
}
