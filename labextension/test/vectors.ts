import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../tests/vectors/evidence");

/** The text of the first case of a file of the shared vectors. */
export function firstDocument(file: string): string {
  const { cases } = JSON.parse(readFileSync(join(FOLDER, `${file}.json`), "utf-8")) as {
    cases: { document: string }[];
  };
  const [first] = cases;
  if (first === undefined) throw new Error(`there are no cases in ${file}`);
  return first.document;
}
