/** Which rows of a long table stand in the page: those in sight, some around them, and the one with the cursor. */

/** A longer table is built only as far as it is in sight. */
export const MANY = 200;

const AROUND = 16; // rows above and below, so that a frame that scrolls finds them there
const MOST_PIXELS = 15_000_000; // browsers draw no element that is higher than about this

/** Where a scrolled table stands; all in pixels. */
export interface Scrolled {
  readonly top: number; // scrolled away
  readonly height: number; // in sight, below the heads
  readonly row: number; // the height of one
}

/** What stands in the page, from top to bottom: rows by their position, and blanks in place of others, in pixels. */
export type Stood = { readonly position: number } | { readonly blank: number };

/** What stands in the page of a table of `count` rows; the row of the cursor stands there wherever it is. */
export function standing(count: number, { top, height, row }: Scrolled, cursor: number | null): Stood[] {
  const inSight = Math.ceil(height / row);
  const first = Math.min(Math.max(firstInSight(count, { top, height, row }), 0), Math.max(count - 1, 0));
  const from = Math.max(first - AROUND, 0);
  const to = Math.min(first + inSight + AROUND, count);
  const all = Math.min(count * row, MOST_PIXELS);
  const isWhole = count * row <= MOST_PIXELS;
  const above = isWhole ? from * row : from === 0 ? 0 : Math.max(top - (first - from) * row, 0);
  const below = to === count ? 0 : Math.max(all - above - (to - from) * row, 0);
  const rows = Array.from({ length: to - from }, (_, at) => ({ position: from + at }));
  const around = (blank: number, before: number, position: number | null): Stood[] => {
    if (position === null) return blank > 0 ? [{ blank }] : [];
    const [one, other] = [Math.min(before * row, blank - row), Math.max(blank - row - before * row, 0)];
    return [...(one > 0 ? [{ blank: one }] : []), { position }, ...(other > 0 ? [{ blank: other }] : [])];
  };
  const isAbove = cursor !== null && cursor < from;
  const isBelow = cursor !== null && cursor >= to && cursor < count;
  return [
    ...around(above, isAbove ? cursor : 0, isAbove ? cursor : null),
    ...rows,
    ...around(below, isBelow ? cursor - to : 0, isBelow ? cursor : null),
  ];
}

/** How far a table has to be scrolled so that a row is in sight; `top` where it is already. */
export function topFor(position: number, count: number, { top, height, row }: Scrolled): number {
  if (count * row > MOST_PIXELS) {
    const first = firstInSight(count, { top, height, row });
    if (position >= first && position < first + Math.floor(height / row)) return top;
    return (position / Math.max(count - height / row, 1)) * (MOST_PIXELS - height);
  }
  if (position * row < top) return position * row;
  return Math.max(top, (position + 1) * row - height);
}

/** A table that is higher than browsers draw is scrolled faster, in proportion. */
function firstInSight(count: number, { top, height, row }: Scrolled): number {
  if (count * row <= MOST_PIXELS) return Math.floor(top / row);
  return Math.floor((top / (MOST_PIXELS - height)) * Math.max(count - height / row, 0));
}
