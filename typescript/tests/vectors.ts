import { readFileSync } from "node:fs";

const FOLDER = new URL("../../tests/vectors/", import.meta.url);

/** The cases of a file of vectors, which every implementation of the same rules shares. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller knows what the file holds
export function cases<T>(file: string): readonly T[] {
  return (read(new URL(file, FOLDER)) as { readonly cases: readonly T[] }).cases;
}

/** The JSON lines of a file of the repository. */
export function lines(file: string): readonly unknown[] {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf-8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
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
