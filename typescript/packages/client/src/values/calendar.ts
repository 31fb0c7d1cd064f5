/** Days and moments of the proleptic Gregorian calendar, years 1 to 9999, as whole numbers since 1970-01-01. */

export const DAY_MICROS = 86_400_000_000n;
export const FIRST_DAY = -719_162;
export const LAST_DAY = 2_932_896;

/** A day of the calendar. */
export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The days since 1970-01-01; undefined of what is no day of the calendar. */
export function countDays(year: number, month: number, day: number): number | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > countDaysOfMonth(year, month)) return undefined;
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

function countDaysOfMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** The day that lies so many days after 1970-01-01. */
export function findDay(days: number): Day {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const year = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  const part = Math.floor((5 * ofYear + 2) / 153);
  const month = part < 10 ? part + 3 : part - 9;
  const day = ofYear - Math.floor((153 * part + 2) / 5) + 1;
  return { year: year + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** A day in ISO 8601. */
export function writeDay(days: number): string {
  const { year, month, day } = findDay(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** A moment in ISO 8601, with microseconds where it has any. */
export function writeMoment(micros: bigint): string {
  const days = floorDivide(micros, DAY_MICROS);
  const rest = Number(micros - days * DAY_MICROS);
  const seconds = Math.floor(rest / 1_000_000);
  const fraction = rest % 1_000_000;
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map((each) => pad(each, 2));
  return `${writeDay(Number(days))}T${clock.join(":")}${fraction === 0 ? "" : `.${pad(fraction, 6)}`}`;
}

/** The day on which a moment lies. */
export function findDayOf(micros: bigint): number {
  return Number(floorDivide(micros, DAY_MICROS));
}

/** The quotient, rounded towards minus infinity. */
export function floorDivide(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  return quotient * bottom !== top && top < 0n !== bottom < 0n ? quotient - 1n : quotient;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const MOMENT =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?)?(?:(Z)|([+-])([0-9]{2}):?([0-9]{2}))?$/;

/** The days of a text `YYYY-MM-DD`; undefined of any other. */
export function readDay(text: string): number | undefined {
  const found = DATE.exec(text);
  return found === null ? undefined : countDays(Number(found[1]), Number(found[2]), Number(found[3]));
}

/** The microseconds of a date, or a date and a time; `isZoned` texts have a zone, all others have none. */
export function readMoment(text: string, isZoned: boolean): bigint | undefined {
  const found = MOMENT.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", utc, sign, ahead, behind] = found;
  const hasZone = utc !== undefined || sign !== undefined;
  if (hasZone !== isZoned || (hasZone && hour === undefined)) return undefined;
  const days = countDays(Number(year), Number(month), Number(day));
  const clock = [Number(hour ?? 0), Number(minute ?? 0), Number(second)] as const;
  if (days === undefined || clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return undefined;
  const seconds = days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2];
  const offset = readOffset(sign, ahead, behind);
  if (offset === undefined) return undefined;
  const micros = BigInt(seconds - offset) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
  const dayInUtc = findDayOf(micros);
  return dayInUtc < FIRST_DAY || dayInUtc > LAST_DAY ? undefined : micros;
}

function readOffset(sign: string | undefined, hours = "0", minutes = "0"): number | undefined {
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
}
