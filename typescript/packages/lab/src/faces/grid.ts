import { clip, type Table, width } from "@service-nb/cards";

export const GAP = "  ";

const NARROWEST = 8; // a column of text is never cut below this

/** The padded headings and cells of a table. With `room`, columns of text are cut to fit, widest first. */
export function grid(table: Table, room?: number): { heads: readonly string[]; rows: readonly (readonly string[])[] } {
  const columns = table.heads.map(({ aligned }, at) => {
    const cells = table.rows.map((row) => row[at] ?? "");
    return aligned === "point" ? points(cells) : cells;
  });
  const widths = table.heads.map(({ text }, at) => Math.max(width(text), ...(columns[at] ?? []).map(width)));
  if (room !== undefined) squeeze(widths, table, room - GAP.length * (widths.length - 1));
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

function squeeze(widths: number[], table: Table, room: number): void {
  while (widths.reduce((sum, size) => sum + size, 0) > room) {
    let widest = -1; // of those that are as wide the last
    widths.forEach((size, at) => {
      if (table.heads[at]?.aligned === "left" && size >= (widths[widest] ?? 0)) widest = at;
    });
    const size = widths[widest] ?? 0;
    if (size <= NARROWEST) return;
    widths[widest] = size - 1;
  }
}

function pad(text: string, size: number, isRight: boolean): string {
  const shown = clip(text, size);
  const blank = " ".repeat(size - width(shown));
  return isRight ? blank + shown : shown + blank;
}

/** How many code points a text has, which is what Python counts. */
export function characters(text: string): number {
  return Array.from(text).length;
}
