/** What a relative period of a question was, by the clock that its plan notes. */

import { cleanText } from "./cleaning.js";
import { type QueryResult } from "./results.js";

type Period = NonNullable<QueryResult["period"]>;

const PERIOD = /^((this|last)_(month|quarter|year)) /;
const MONTHS = { month: 1, quarter: 3, year: 12 } as const;
const ZONE_CHARS = 60;

/** Finds the bounds of the period that notes of a plan tell of; undefined where they tell of none. */
export function findPeriod(notes: Readonly<Record<string, string>>): Period | undefined {
  const [, period, side, unit] = PERIOD.exec(notes["period"] ?? "") ?? [];
  const { clock, zone } = notes;
  if (period === undefined || clock === undefined || zone === undefined) return undefined;
  const months = MONTHS[unit as keyof typeof MONTHS];
  const [year = 0, month = 1] = clock.split("-").map(Number);
  const now = year * 12 + month - 1;
  const first = now - (now % months) - (side === "last" ? months : 0);
  return {
    period,
    from: writeMonth(first),
    below: writeMonth(first + months),
    clock,
    zone: cleanText(zone, ZONE_CHARS),
  };
}

/** The first day of a month, counted from year 0. */
function writeMonth(month: number): string {
  const [year, place] = [Math.floor(month / 12), (month % 12) + 1];
  return `${String(year).padStart(4, "0")}-${String(place).padStart(2, "0")}-01`;
}
