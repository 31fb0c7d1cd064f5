import { characters } from "./grid.js";

/** Lines of at most `width` characters, as Python's `textwrap.wrap` makes them of visible text without hyphenation. */
export function wrap(text: string, width: number, first: string, rest: string): readonly string[] {
  const chunks = text.split(/( +)/).filter((chunk) => chunk !== "");
  const lines: string[] = [];
  let at = 0;
  while (at < chunks.length) {
    const indent = lines.length === 0 ? first : rest;
    const room = width - characters(indent);
    if (lines.length > 0 && chunks[at]?.trim() === "") at += 1;
    const line: string[] = [];
    let used = 0;
    for (; at < chunks.length; at += 1) {
      const chunk = chunks[at] ?? "";
      if (used + characters(chunk) > room) break;
      line.push(chunk);
      used += characters(chunk);
    }
    const long = Array.from(chunks[at] ?? "");
    if (long.length > room) {
      const end = room < 1 ? 1 : room - used;
      line.push(long.slice(0, end).join(""));
      chunks[at] = long.slice(end).join("");
    }
    if (line.at(-1)?.trim() === "") line.pop();
    if (line.length > 0) lines.push(indent + line.join(""));
  }
  return lines;
}
