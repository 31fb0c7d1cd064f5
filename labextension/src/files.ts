import { PathExt } from "@jupyterlab/coreutils";

const DATA_FILE = /\.(?:csv|tsv|parquet|xlsx|json|ndjson|sqlite|db)$/i;

/** Whether a file can be connected as a source, by its ending. */
export function isDataFile(path: string): boolean {
  return DATA_FILE.test(path);
}

/** What connects a file, as the kernel of a notebook finds it; both paths are those of the server. */
export function fileLine(path: string, notebook: string): string {
  const relative = PathExt.relative(PathExt.dirname(notebook), path);
  const written = relative.startsWith("~") ? `./${relative}` : relative; // a tilde would be somebody's home
  return `%service_connect ${sourceNameOf(path)} ${wordInLine(written)}`;
}

/** The name that a file's source gets: letters, digits and underscores. */
function sourceNameOf(path: string): string {
  const stem = PathExt.basename(path, PathExt.extname(path));
  const name = stem
    .replaceAll(/[^\p{L}\p{N}_]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
    .toLowerCase();
  return name === "" || /^\p{N}/u.test(name) ? `source_${name}`.replace(/_+$/, "") : name;
}

/** A path as one word of a magic: in quotes where it needs them. */
function wordInLine(text: string): string {
  return /^[^\s'"`#;$-][^\s'"`#;]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
}
