/** Dates and times as texts in ISO 8601, whose order is that of time. They are read as Python's client reads them. */

import { type Period } from "./types.js";

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DAY_MS = 86_400_000;
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** Whether a text is written as a day. */
export function isWrittenDay(text: string): boolean {
  return DAY.test(text);
}

/** Whether a text is a day of the calendar. */
export function isDay(text: string): boolean {
  if (!DAY.test(text) || text.startsWith("0000")) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/** The moment a number of days later; undefined beyond the calendar. */
export function addDays(moment: string, days: number): string | undefined {
  const day = new Date(Date.parse(`${moment.slice(0, 10)}T00:00:00Z`) + days * DAY_MS).toISOString();
  return isDay(day.slice(0, 10)) && day.charAt(10) === "T" ? day.slice(0, 10) + moment.slice(10) : undefined;
}

/** The moment that a text writes, without its zone: in UTC if it names one. Undefined of a text that writes none. */
export function readMoment(text: string): string | undefined {
  const day = text.slice(0, 10);
  if (!isDay(day)) return undefined;
  const time = Array.from(text.slice(10)).slice(1).join("");
  if (text === day) return `${day}T00:00:00`;
  const zone = time.search(/[-+Z]/);
  const read = readTime(zone < 0 ? time : time.slice(0, zone), zone >= 0);
  if (read === undefined || read.hour > 23 || read.minute > 59 || read.second > 59) return undefined;
  const offset = zone < 0 ? { seconds: 0, micros: 0 } : readOffset(time.slice(zone));
  return offset === undefined
    ? undefined
    : writeMoment(day, secondsOf(read) - offset.seconds, read.micro - offset.micros);
}

interface Time {
  hour: number;
  minute: number;
  second: number;
  micro: number;
}

function secondsOf({ hour, minute, second }: Time): number {
  return hour * 3_600 + minute * 60 + second;
}

/** Reads `HH[:MM[:SS[.ffffff]]]`, or the same without colons, by the steps of Python's own reader. */
function readTime(text: string, hasZone: boolean): Time | undefined {
  const time: Time = { hour: 0, minute: 0, second: 0, micro: 0 };
  let at = 0;
  let hasColons = true;
  for (const part of ["hour", "minute", "second"] as const) {
    const digits = text.slice(at, at + 2);
    if (!/^[0-9]{2}$/.test(digits)) return undefined;
    time[part] = Number(digits);
    const sign = text.charAt(at + 2);
    at += 3;
    if (part === "hour") hasColons = sign === ":";
    // A sign behind the last digits is let through before a zone only.
    if (at >= text.length) return at > text.length || hasZone ? time : undefined;
    if (hasColons && sign === ":") continue;
    if (sign === "." || sign === ",") break;
    if (hasColons) return undefined;
    at -= 1;
  }
  const micro = text.slice(at, at + 6);
  if (!/^[0-9]+$/.test(micro)) return undefined;
  time.micro = Number(micro.padEnd(6, "0"));
  return hasZone || /^[0-9]+$/.test(text.slice(at)) ? time : undefined;
}

function readOffset(text: string): { readonly seconds: number; readonly micros: number } | undefined {
  if (text.startsWith("Z")) return text === "Z" ? { seconds: 0, micros: 0 } : undefined;
  const read = readTime(text.slice(1), false);
  if (read === undefined) return undefined;
  const sign = text.startsWith("-") ? -1 : 1;
  const seconds = sign * secondsOf(read);
  const micros = seconds === 0 ? 0 : sign * read.micro; // an offset of less than a second is none
  return Math.abs(seconds) < DAY_MS / 1_000 ? { seconds, micros } : undefined;
}

function writeMoment(day: string, seconds: number, micros: number): string | undefined {
  const borrowed = Math.floor(micros / 1_000_000);
  const date = new Date(Date.parse(`${day}T00:00:00Z`) + (seconds + borrowed) * 1_000);
  const text = date.toISOString();
  if (!isDay(text.slice(0, 10)) || text.charAt(10) !== "T") return undefined;
  const rest = micros - borrowed * 1_000_000;
  return text.slice(0, 19) + (rest === 0 ? "" : `.${String(rest).padStart(6, "0")}`);
}

/** The first day of a period and the first day after it, seen from a day. */
export function computePeriodBounds(period: Period, today: string): readonly [string, string] {
  const length = MONTHS[period.split("_")[1] ?? ""] ?? 1;
  const index = Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)) - 1;
  const start = index - (index % length) - (period.startsWith("last_") ? length : 0);
  return [writeMonth(start), writeMonth(start + length)];
}

function writeMonth(index: number): string {
  return `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}-01`;
}
