import type { Lines } from "@service-nb/cards";
import { isObject, own } from "@service-nb/records";

const MOST_LINES = 20;

/** The lines that an output has, whatever it holds: it may be a file from anywhere. */
export function linesIn(value: unknown): Lines {
  const text = (from: unknown, key: string): string => {
    const found = isObject(from) ? own(from, key) : undefined;
    return typeof found === "string" ? found : "";
  };
  const lines = isObject(value) ? own(value, "lines") : undefined;
  return {
    says: text(value, "says"),
    title: text(value, "title"),
    more: text(value, "more"),
    lines: (Array.isArray(lines) ? lines.slice(0, MOST_LINES) : [])
      .map((each) => ({ line: text(each, "line"), note: text(each, "note") }))
      .filter(({ line }) => line !== ""),
  };
}
