/**
 * Time zones: the offsets from UTC of a place, by rules that are a part of the package and the same on every machine.
 *
 * They are those of `service_nb/core/zones.py`, which says how they are written. Seconds are counted from 1970 in UTC.
 */

import { countDays, findDay } from "./calendar.js";
import { TZ_VERSION, ZONE_NAMES, ZONE_OFFSETS, ZONE_PLACES, ZONE_RULES, ZONE_TIMES } from "./zone-table.js";

export const UTC = "UTC";
export const TZ_DATABASE = TZ_VERSION;
const DAY = 86_400;
const QUARTER = 900;
const FIRST_YEAR = 2; // whose neighbours are in the calendar
const LAST_YEAR = 9_998;

/** Month, week (5 is the last), weekday (0 is Sunday), second of the day. */
type Edge = readonly [number, number, number, number];

/** A second, and the offset that holds from then on. */
export type Span = readonly [number, number];

interface Rule {
  readonly standard: number;
  readonly summer: number;
  readonly begins: Edge;
  readonly ends: Edge;
}

/** The offsets of a zone: those that changed at known seconds, and the rule after the last, if there is one. */
interface Zone {
  readonly known: readonly Span[]; // the first is from the beginning of time
  readonly rule: Rule | undefined;
}

const ZONES = new Map<string, Zone>();
const PLACES = readPlaces();

export function hasZone(name: string): boolean {
  return PLACES.has(name);
}

/** Whether a zone is UTC under one of its names. */
export function isUtc(name: string): boolean {
  return PLACES.get(name) === PLACES.get(UTC);
}

/** The names of all zones. */
export function listZones(): readonly string[] {
  return [...PLACES.keys()];
}

/** The offsets that hold from one second to another, each with the second at which it begins. */
export function listSpans(name: string, low: number, high: number): readonly Span[] {
  const zone = readZone(name);
  const last = zone.known.at(-1)?.[0] ?? 0;
  const changes: Span[] = [...zone.known];
  if (zone.rule !== undefined && high > last) {
    for (let year = findYear(Math.max(low, last)) - 1; year <= findYear(high) + 1; year += 1)
      changes.push(...listYear(zone.rule, year).filter(([second]) => second > last));
  }
  const before = changes.filter(([second]) => second <= low).at(-1)?.[1] ?? 0;
  const spans: Span[] = [[low, before]];
  for (const [second, offset] of changes) {
    if (low < second && second <= high && offset !== spans.at(-1)?.[1]) spans.push([second, offset]);
  }
  return spans;
}

/** The place of each zone's rule. A name without a place behind it is the first one of the next rule. */
function readPlaces(): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let next = 0;
  for (const line of ZONE_NAMES) {
    const [area = "", ...names] = line.split(" ");
    for (const each of names) {
      const [name = "", place] = each.split(".");
      places.set(area === "" ? name : `${area}/${name}`, place === undefined ? next : Number(place));
      if (place === undefined) next += 1;
    }
  }
  return places;
}

function readZone(name: string): Zone {
  const read = ZONES.get(name);
  if (read !== undefined) return read;
  const parts = [ZONE_OFFSETS, ZONE_TIMES, ZONE_PLACES, ZONE_RULES].map((part) => part[PLACES.get(name) ?? -1]);
  const [offsets = "", times = "", places = "", rule = ""] = parts;
  const numbers = offsets.split(" ").map(Number);
  const known: Span[] = [[-Infinity, numbers[0] ?? 0]];
  let second = 0;
  for (const [at, each] of times.split(" ").slice(0, places.length).entries()) {
    second += each.startsWith("~") ? parseInt(each.slice(1), 36) : parseInt(each, 36) * QUARTER;
    known.push([second, numbers[parseInt(places.charAt(at), 36)] ?? 0]);
  }
  const zone = { known, rule: rule === "" ? undefined : readRule(rule.split(" ").map(Number)) };
  ZONES.set(name, zone);
  return zone;
}

function readRule(parts: readonly number[]): Rule {
  const edge = (from: number): Edge => [0, 1, 2, 3].map((at) => parts[from + at] ?? 0) as unknown as Edge;
  return { standard: parts[0] ?? 0, summer: parts[1] ?? 0, begins: edge(2), ends: edge(6) };
}

/** The year of a second in UTC; beyond the calendar its nearest year with neighbours. */
function findYear(second: number): number {
  return Math.min(Math.max(findDay(Math.floor(second / DAY)).year, FIRST_YEAR), LAST_YEAR);
}

/** Both changes of a year in their order. */
function listYear({ standard, summer, begins, ends }: Rule, year: number): readonly Span[] {
  const spans: Span[] = [
    [findSecond(begins, year) - standard, summer],
    [findSecond(ends, year) - summer, standard],
  ];
  return spans.sort(([one], [other]) => one - other);
}

/** When a change happens, on the clock of before. */
function findSecond([month, week, weekday, second]: Edge, year: number): number {
  const first = countDays(year, month, 1) ?? 0;
  const next = month === 12 ? first + 31 : (countDays(year, month + 1, 1) ?? 0);
  const day = ((((weekday - first - 4) % 7) + 7) % 7) + 7 * (week - 1); // 1970-01-01 was a Thursday
  return (first + (day < next - first ? day : day - 7)) * DAY + second;
}
