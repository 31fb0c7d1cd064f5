/** Where keys that are dates, periods or counted numbers stand on a line; null where they are names. */

const INSTANT = /^([0-9]{4})-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?[^T]*)?)?$/;
const QUARTER = /^([0-9]{4})-?Q([1-4])$/;
const WEEK = /^([0-9]{4})-?W([0-9]{2})$/;
const YEAR = /^[12][0-9]{3}$/;
const WHOLE = /^-?[0-9]{1,15}$/;
const SPARSE = 2; // whole numbers with more holes than this are names of things

/** The place of each key of a column of a type, or null where not all of them have one. */
export function placesOf(keys: readonly string[], type: string): number[] | null {
  for (const parse of [instant, quarter, week]) {
    const places = keys.map(parse);
    if (places.every((place) => place !== null)) return places;
  }
  return type === "number" || keys.every((key) => YEAR.test(key)) ? counted(keys) : null;
}

function instant(text: string): number | null {
  const found = INSTANT.exec(text);
  if (found === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part || 0));
  // `Date.UTC` takes the years 0 to 99 for those of the last century.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day || 1);
  return date.setUTCHours(hour, minute, second);
}

function quarter(text: string): number | null {
  const [, year, part] = QUARTER.exec(text) ?? [];
  return year === undefined ? null : Number(year) * 4 + Number(part);
}

function week(text: string): number | null {
  const [, year, part] = WEEK.exec(text) ?? [];
  return year === undefined ? null : Number(year) * 53 + Number(part);
}

function counted(keys: readonly string[]): number[] | null {
  if (!keys.every((key) => WHOLE.test(key))) return null;
  const places = keys.map(Number);
  const distinct = new Set(places).size;
  return Math.max(...places) - Math.min(...places) < distinct * SPARSE ? places : null;
}
