import { type Table, width } from "@service-nb/cards";

export const GAP = "  ";

/** The padded headings and cells of a table. */
export function grid(table: Table): { heads: readonly string[]; rows: readonly (readonly string[])[] } {
  const columns = table.heads.map(({ aligned }, at) => {
    const cells = table.rows.map((row) => row[at] ?? "");
    return aligned === "point" ? points(cells) : cells;
  });
  const widths = table.heads.map(({ text }, at) => Math.max(width(text), ...(columns[at] ?? []).map(width)));
  const padded = (text: string, at: number): string => pad(text, widths[at] ?? 0, table.heads[at]?.aligned === "point");
  return {
    heads: table.heads.map(({ text }, at) => padded(text, at)),
    rows: table.rows.map((_, row) => columns.map((cells, at) => padded(cells[row] ?? "", at))),
  };
}

function points(cells: readonly string[]): readonly string[] {
  const tails = cells.map((cell) => (cell.includes(".") ? characters(cell.slice(cell.indexOf("."))) : 0));
  const longest = Math.max(0, ...tails);
  return cells.map((cell, at) => cell + " ".repeat(longest - (tails[at] ?? 0)));
}

function pad(text: string, size: number, isRight: boolean): string {
  const blank = " ".repeat(size - width(text));
  return isRight ? blank + text : text + blank;
}

/** How many code points a text has, which is what Python counts. */
export function characters(text: string): number {
  return Array.from(text).length;
}
