import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = new URL("../../tests/vectors/", import.meta.url);

/** The cases of a file of vectors, which every implementation of the same rules shares. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows what the file holds
export function cases<T>(file: string): readonly T[] {
  return (read(new URL(file, FOLDER)) as { readonly cases: readonly T[] }).cases;
}

/** The JSON documents of a folder of the repository, by their names. */
export function documents(folder: string): readonly (readonly [string, unknown])[] {
  const url = new URL(`../../${folder}/`, import.meta.url);
  const names = readdirSync(fileURLToPath(url)).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => [name, read(new URL(name, url))] as const);
}

/** The double with these bits, as 16 hex digits. */
export function fromBits(bits: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return view.getFloat64(0);
}

function read(url: URL): unknown {
  return JSON.parse(readFileSync(url, "utf-8"));
}
