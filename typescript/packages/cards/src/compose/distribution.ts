import { separated, word } from "../format.js";
import { listIn } from "./exact.js";

const BLOCKS = "▁▂▃▄▅▆▇█";
const NONE = "·";
const MOST_VALUES = 3;

/** The distribution of a profiled column as it is shown: bins as blocks, frequent values with their counts. */
export function distribution(text: string): string {
  const counts = listIn(text)?.map(countOf);
  if (counts === undefined || counts.includes(undefined)) return word(text);
  const told = counts.filter((each) => each !== undefined);
  if (told.every(({ value }) => value === undefined)) {
    const most = Math.max(...told.map(({ count }) => count), 1);
    return told.map(({ count }) => (count === 0 ? NONE : (BLOCKS[Math.ceil((count * 8) / most) - 1] ?? ""))).join("");
  }
  return told
    .slice(0, MOST_VALUES)
    .map(({ value = "", count }) => `${word(value)} ${separated(String(count))}`)
    .join(" · ");
}

function countOf(item: unknown): { readonly value: string | undefined; readonly count: number } | undefined {
  if (!Array.isArray(item)) return undefined;
  const [count, value] = [item.at(-1) as unknown, item[0] as unknown];
  if (!Number.isSafeInteger(count) || (count as number) < 0 || typeof value !== "string") return undefined;
  return item.length === 2 || item.length === 3
    ? { value: item.length === 2 ? value : undefined, count: count as number }
    : undefined;
}
