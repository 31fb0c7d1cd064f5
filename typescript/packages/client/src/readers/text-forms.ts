/** Numbers and dates in the form that a caller declares, 1.143,22 and 22.12.2024: rewritten into that of programs. */

import { ServiceError } from "../errors.js";
import { cut, quoteText } from "../query/text.js";
import { countChars } from "../values/order.js";
import { ALIKE, BLANKS, DATE_PARTS, MONTHS, MOST_CURRENCY, SPECIAL, THIN } from "./rules.js";

/** How numbers and dates are written. */
export interface TextForm {
  readonly decimal: string;
  readonly thousands: string | undefined;
  readonly dateFormat: string | undefined;
  readonly percent: boolean;
  readonly trim: boolean;
  readonly currency: string | undefined;
}

/** The form of programs: 1143.22 and 2024-12-22. */
export const PLAIN: TextForm = {
  decimal: ".",
  thousands: undefined,
  dateFormat: undefined,
  percent: false,
  trim: false,
  currency: undefined,
};

/** The texts of a column; null where a cell is. */
export type Texts = readonly (string | null)[];

export function isPlainNumber(form: TextForm): boolean {
  return form.decimal === "." && form.thousands === undefined && form.currency === undefined;
}

/** Whether a text may be the sign of a currency: €, US$, CHF, Fr. */
export function isCurrency(text: string): boolean {
  const letters = text.replace(/\.$/, "");
  return letters !== "" && countChars(text) <= MOST_CURRENCY && /^[\p{L}\p{Sc}]+$/u.test(letters);
}

/** The form that a text of a type was expected in; nothing if that of programs. */
export function describeForm(form: TextForm, physical: string): string {
  if (physical.startsWith("date")) return form.dateFormat === undefined ? "" : ` of the format ${form.dateFormat}`;
  const signs = [
    ...(form.decimal === "." ? [] : [`decimal ${quoteText(form.decimal)}`]),
    ...(form.thousands === undefined ? [] : [`thousands ${quoteText(form.thousands)}`]),
    ...(form.currency === undefined ? [] : [`currency ${quoteText(form.currency)}`]),
  ];
  return signs.length > 0 && physical !== "boolean" && physical !== "string" ? ` with ${signs.join(" and ")}` : "";
}

function escapeSigns(signs: string): string {
  return signs.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

function listSigns(form: TextForm): string {
  if (form.thousands === undefined) return "";
  return (ALIKE as Readonly<Record<string, string>>)[form.thousands] ?? form.thousands;
}

/** The pattern of a whole text that is a number of this form, or with `percent` one with a percent sign. */
export function buildNumberPattern(form: TextForm): RegExp {
  const point = escapeSigns(form.decimal);
  const plain = "(?:0|[1-9][0-9]*)";
  const signs = listSigns(form);
  const whole = signs === "" ? plain : `(?:[1-9][0-9]{0,2}(?:[${escapeSigns(signs)}][0-9]{3})+|${plain})`;
  const number = `(?:${whole}(?:${point}[0-9]*)?|${point}[0-9]+)`;
  if (form.percent) return new RegExp(`^(?:-?${number})[${THIN}]?%$`);
  const sign = form.currency === undefined ? undefined : escapeSigns(form.currency);
  const blank = `[${THIN}]?`;
  const priced = `|${sign ?? ""}${blank}-?${number}|-${sign ?? ""}${blank}${number}|-?${number}${blank}${sign ?? ""}`;
  return new RegExp(`^(?:-?${number}(?:[eE][+-]?[0-9]+)?|${SPECIAL}${sign === undefined ? "" : priced})$`);
}

/** Rewrites texts that fit into the form of programs. */
export function rewriteNumber(text: string, form: TextForm): string {
  let bare = form.currency === undefined ? text : removeSign(text, form.currency);
  for (const sign of listSigns(form)) bare = bare.replaceAll(sign, "");
  return form.decimal === "." ? bare : bare.replaceAll(form.decimal, ".");
}

/** A text without the sign of a currency, and without a blank on either side of it. */
function removeSign(text: string, sign: string): string {
  return text.replace(new RegExp(`[${THIN}]?${escapeSigns(sign)}[${THIN}]?`, "g"), "");
}

/** Rewrites texts that fit, `7,5%`, into their hundredth, `0.075`, all with the same number of places. */
export function rewritePercents(texts: Texts, form: TextForm): Texts {
  const bare = texts.map((text) => (text === null ? null : rewriteNumber(strip(text, `${THIN}%`), form)));
  const places = 2 + bare.reduce((most, text) => Math.max(most, text === null ? 0 : findFraction(text).length), 0);
  return bare.map((text) => (text === null ? null : writeHundredth(text, places)));
}

function findFraction(text: string): string {
  const point = text.indexOf(".");
  return point < 0 ? "" : text.slice(point + 1);
}

function writeHundredth(text: string, places: number): string {
  const fraction = findFraction(text);
  const isNegative = text.startsWith("-");
  const digits = text.replace(/[-.]/g, "").padEnd(text.replace(/[-.]/g, "").length + places - 2 - fraction.length, "0");
  const filled = digits.padStart(places + 1, "0");
  const whole = filled.slice(0, -places).replace(/^0+(?=[0-9])/, "");
  return `${isNegative ? "-" : ""}${whole}.${filled.slice(-places)}`;
}

/** A text without these characters at its ends. */
export function strip(text: string, signs: string): string {
  let [start, end] = [0, text.length];
  while (start < end && signs.includes(text.charAt(start))) start += 1;
  while (end > start && signs.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Removes blanks around values, if `trim` says so; what is empty then, or stands for null, is null. */
export function cleanTexts(texts: Texts, form: TextForm, nulls: ReadonlySet<string>): Texts {
  if (!form.trim) return texts;
  return texts.map((text) => {
    const bare = text === null ? "" : strip(text, BLANKS);
    return bare === "" || nulls.has(bare) ? null : bare;
  });
}

/** Rewrites dates, and dates with a time, into ISO 8601; what does not fit the format becomes null. */
export function rewriteDates(texts: Texts, format: string): Texts {
  const pattern = buildDatePattern(format);
  return texts.map((text) => (text === null ? null : rewriteDate(text, pattern)));
}

function rewriteDate(text: string, pattern: RegExp): string | null {
  const parts: Readonly<Record<string, string | undefined>> | undefined = pattern.exec(text)?.groups;
  if (parts === undefined) return null;
  const pad = (digits: string | undefined): string => (digits ?? "0").padStart(2, "0");
  const { year, short, month, named, day, hour, minute, second, fraction } = parts;
  const years = year ?? `${(short ?? "") >= "69" ? "19" : "20"}${short ?? ""}`;
  const place = MONTHS.findIndex((each) => each === named?.toLowerCase());
  const date = `${years}-${pad(month ?? String(place + 1))}-${pad(day)}`;
  if (hour === undefined) return date;
  return `${date}T${pad(hour)}:${minute ?? "00"}:${second ?? "00"}${fraction === undefined ? "" : `.${fraction}`}`;
}

const CLOCK = ["hour", "minute", "second", "fraction"];

/**
 * Builds the pattern of a date format.
 *
 * @throws {ServiceError} `invalid_intent` unless it is one that leaves nothing open.
 */
export function buildDatePattern(format: string): RegExp {
  const parts: Readonly<Record<string, readonly [string, string]>> = {
    ...DATE_PARTS,
    "%b": ["named", MONTHS.map(ignoreCase).join("|")],
  };
  const names: string[] = [];
  let pattern = "";
  for (const piece of format.match(/%.?|[^%]+/gsu) ?? []) {
    const [name, digits] = parts[piece] ?? ["", ""];
    if (name === "" && piece.startsWith("%")) throw formatError(format);
    names.push(name);
    pattern += name === "" ? escapeSigns(piece) : `(?<${name}>${digits})`;
  }
  checkDateParts(names, format);
  // Two numbers of one or two digits that touch could be parted in more than one way.
  const isOpen = names.some((name, at) => {
    const next = names[at + 1] ?? "";
    return name !== "" && next !== "" && [name, next].some((each) => ["month", "day", "hour"].includes(each));
  });
  return new RegExp(`^(?:${isOpen ? pattern.replaceAll("{1,2}", "{2}") : pattern})$`);
}

function ignoreCase(word: string): string {
  return Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`).join("");
}

function checkDateParts(names: readonly string[], format: string): void {
  const given = names.filter((name) => name !== "");
  const clock = given.filter((name) => CLOCK.includes(name));
  const date = given.filter((name) => !CLOCK.includes(name)).sort();
  const isDay = ["month", "named"].some((month) =>
    ["year", "short"].some((year) => ["day", month, year].sort().join() === date.join()),
  );
  const isClock = [...clock].sort().join() === CLOCK.slice(0, clock.length).sort().join() && clock.length !== 1;
  if (!isDay || !isClock) throw formatError(format);
}

function formatError(format: string): ServiceError {
  const met = cut(format, 60);
  return new ServiceError("invalid_intent", `dateFormat is ${quoteText(met)}, which is no format of a whole date.`, {
    hint: "A format has %d, %m (or %b) and %Y (or %y), and perhaps %H:%M, %H:%M:%S or %H:%M:%S.%f: %d.%m.%Y",
    details: { path: "date_format", met, expected: "%d.%m.%Y" },
  });
}
