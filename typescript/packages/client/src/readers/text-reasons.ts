/**
 * Says why a column of a text file is text: a code, and options with which it has another type. Each set of options was
 * tried on the whole column; where two would fit and differ, none is proposed. The rules are those of Python's readers.
 */

import { type TextReason } from "../query/text-columns.js";
import { type Column } from "../values/columns.js";
import { convert, convertFormed, isOfKind, proposeKind, readHead, type Kind } from "./conversions.js";
import { BLANKS, CURRENCY, DATE_FORMS, FORMS, GROUPING, REASONS, SPECIAL, THIN, WIDER } from "./rules.js";
import {
  buildDatePattern,
  buildNumberPattern,
  cleanTexts,
  isPlainNumber,
  PLAIN,
  rewriteDates,
  rewriteNumber,
  strip,
  type TextForm,
  type Texts,
} from "./text-forms.js";

const NO_TEXTS: ReadonlySet<string> = new Set();
const PRICE = new RegExp(`^(?:-?(${CURRENCY})[${THIN}]?-?[0-9].*|-?[0-9](?:.*[0-9])?[${THIN}]?(${CURRENCY}))$`);
const SPECIAL_NUMBER = new RegExp(`^(?:${SPECIAL})$`);
const USUAL: readonly Kind[] = ["boolean", "date", "datetime", "datetime zoned"];
const OF_FORM = ["decimal", "thousands", "date_format", "percent", "currency"];

/** Explains why texts stayed text; undefined of a column without values. */
export function findTextReason(texts: Texts, form: TextForm): TextReason | undefined {
  const head = headOf(texts);
  if (head.length === 0) return undefined;
  const hasBlanks = !form.trim && texts.some((text) => text !== null && strip(text, BLANKS) !== text);
  if (!hasBlanks) return explainValues(texts, form, head);
  const trimmed = { ...form, trim: true };
  const clean = cleanTexts(texts, trimmed, NO_TEXTS);
  const isRead = convertFormed(clean, trimmed) !== undefined || clean.every((text) => text === null);
  const inner = isRead ? {} : explainValues(clean, trimmed, headOf(clean)).options;
  return { code: "blanks", options: { ...inner, trim: true } };
}

/** The same of texts that were typed already, as those of JSON are: only another form of numbers or dates is told. */
export function findFormReason(texts: Texts, form: TextForm): TextReason | undefined {
  const reason = findTextReason(texts, form);
  const isPlain = isPlainNumber(form) && form.dateFormat === undefined && !form.percent;
  return !isPlain || OF_FORM.some((key) => key in (reason?.options ?? {})) ? reason : undefined;
}

/** Whether a column of numbers with places may have points between thousands, as others have a decimal comma. */
export function mayBeGrouped(column: Column): boolean {
  if (column.kind === "decimal") return column.scale === 0 || column.scale === 3;
  if (column.kind !== "float64") return true;
  const { values, nulls } = column;
  return values.every((value, row) => nulls?.[row] === 1 || /^-?[0-9]{1,3}(?:\.[0-9]{3})?$/.test(String(value)));
}

function headOf(texts: Texts): readonly string[] {
  return readHead(texts.length, (row) => texts[row] ?? null);
}

function isEnough(count: number, head: readonly string[]): boolean {
  return count >= REASONS.enough * head.length;
}

function countOf<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.reduce((count, item) => count + Number(test(item)), 0);
}

function explainValues(texts: Texts, form: TextForm, head: readonly string[]): TextReason {
  if (
    isEnough(
      countOf(head, (text) => /[0-9]/.test(text)),
      head,
    )
  ) {
    const found = explainPadded(texts, head) ?? explainDates(texts, form, head) ?? explainNumbers(texts, form, head);
    if (found !== undefined) return found;
  }
  const usual = USUAL.find((kind) => countOf(head, (text) => isOfKind(text, kind)) > REASONS.enough * head.length);
  const proposed = proposeKind(head) ?? (usual as keyof typeof WIDER | undefined);
  if (proposed !== undefined) {
    const widest = WIDER[proposed].at(-1) ?? proposed;
    return { code: convert(texts, widest) === undefined ? "mixed" : "digits", options: {} };
  }
  if (isPlainNumber(form) && head.some((text) => isOfKind(text, "float64"))) return explainMixed(texts, PLAIN, form);
  return { code: "text", options: {} };
}

/** Whole numbers of which one has a leading zero are codes. */
function explainPadded(texts: Texts, head: readonly string[]): TextReason | undefined {
  const isPadded = head.every((text) => /^\p{Nd}+$/u.test(text)) && texts.some((text) => /^0[0-9]+$/.test(text ?? ""));
  return isPadded ? { code: "leading_zeros", options: {} } : undefined;
}

// --- numbers ------------------------------------------------------------------------------------------------------------

function explainNumbers(
  texts: Texts,
  form: TextForm,
  head: readonly string[],
  currency?: string,
): TextReason | undefined {
  const percent = !form.percent && countOf(head, (text) => text.endsWith("%")) > REASONS.enough * head.length;
  const isOpen = isPlainNumber({ ...form, currency: undefined });
  const sign = currency ?? form.currency;
  const tried = (isOpen ? listForms(form) : listGroupings(form)).map((each) => {
    return { ...each, percent, trim: form.trim, currency: sign };
  });
  const fitting = tried.map((each) => {
    const pattern = buildNumberPattern(each);
    return { form: each, fits: countOf(head, (text) => pattern.test(text)) };
  });
  const best = Math.max(...fitting.map(({ fits }) => fits));
  if (!isEnough(best, head)) return currency === undefined ? explainCurrency(texts, form, head) : undefined;
  const counts = fitting.filter(({ fits }) => fits === best).map((each) => ({ ...each, misfits: countMisfits(texts, each.form) })); // prettier-ignore
  const least = Math.min(...counts.map(({ misfits }) => misfits));
  const equal = counts.filter(({ misfits }) => misfits === least).map((each) => each.form);
  const [chosen = PLAIN] = equal;
  if (least > 0) return explainMixed(texts, chosen, form);
  if (equal.some(({ thousands }) => thousands === ",") && chosen.decimal === ",")
    return { code: "number_form", options: {} }; // 1,234 may be either
  if (currency !== undefined && meanOthers(texts, equal)) return { code: "currency", options: {} };
  if (convertFormed(texts, chosen) === undefined) return undefined; // of too many digits for any type
  return { code: percent ? "percent" : sign === undefined ? "number_form" : "currency", options: listOptions(chosen) };
}

function listForms(form: TextForm): readonly TextForm[] {
  return FORMS.split("|").map(([decimal = ".", thousands]) => ({ ...PLAIN, decimal, thousands, trim: form.trim }));
}

function listGroupings(form: TextForm): readonly TextForm[] {
  const said = { ...form, percent: false };
  if (form.thousands !== undefined) return [said];
  const signs = GROUPING.split("|").filter((sign) => sign !== form.decimal);
  return [said, ...signs.map((thousands) => ({ ...said, thousands }))];
}

function countMisfits(texts: Texts, form: TextForm): number {
  const pattern = buildNumberPattern(form);
  return countOf(texts, (text) => text !== null && !pattern.test(text));
}

/** Whether two forms read a text as different numbers. */
function meanOthers(texts: Texts, [first, ...rest]: readonly TextForm[]): boolean {
  if (first === undefined) return false;
  return rest.some((form) => texts.some((text) => text !== null && rewriteNumber(text, form) !== rewriteNumber(text, first))); // prettier-ignore
}

function listOptions(form: TextForm): Readonly<Record<string, unknown>> {
  return {
    ...(form.decimal !== PLAIN.decimal && { decimal: form.decimal }),
    ...(form.thousands !== undefined && { thousands: form.thousands }),
    ...(form.currency !== undefined && { currency: form.currency }),
    ...(form.percent && { percent: true }),
  };
}

/** Numbers among which other text stands, and what stands for a missing value if that is all there is. */
function explainMixed(texts: Texts, chosen: TextForm, form: TextForm): TextReason {
  const pattern = buildNumberPattern(chosen);
  const others = new Set(texts.filter((text) => text !== null && !pattern.test(text)) as string[]);
  if (others.size > REASONS.missing || ![...others].every(mayBeMissing)) return { code: "mixed", options: {} };
  const emptied = texts.map((text) => (text === null || others.has(text) ? null : text));
  if (convertFormed(emptied, chosen) === undefined) return { code: "mixed", options: {} };
  const options = { ...listOptions(chosen), nulls: [...others].sort() };
  const isOfNulls = Object.keys(options).length === 1;
  return { code: "mixed", options: isPlainNumber(form) || isOfNulls ? options : {} };
}

/** Whether a text may stand for a missing value: a short word without a digit, never a number. */
function mayBeMissing(text: string): boolean {
  const isShort = Array.from(text).length <= REASONS.missingChars;
  return isShort && !text.includes(",") && !SPECIAL_NUMBER.test(text) && !/\p{N}/u.test(text);
}

/** Numbers with a currency sign, of which the most frequent one is tried. */
function explainCurrency(texts: Texts, form: TextForm, head: readonly string[]): TextReason | undefined {
  const signs = head.flatMap((text) => {
    const found = PRICE.exec(text);
    return found === null ? [] : [found[1] ?? found[2] ?? ""];
  });
  if (!isEnough(signs.length, head)) return undefined;
  const counts = new Map<string, number>();
  for (const sign of signs) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const [most = ""] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  const reason = form.currency === undefined ? explainNumbers(texts, form, head, most) : undefined;
  return reason ?? { code: "currency", options: {} };
}

// --- dates --------------------------------------------------------------------------------------------------------------

/** Texts most of which are dates of some format. */
function explainDates(texts: Texts, form: TextForm, head: readonly string[]): TextReason | undefined {
  const formats = form.dateFormat === undefined ? DATE_FORMS.split("|") : [form.dateFormat];
  const isTried = (text: string): boolean =>
    Array.from(text).length <= REASONS.longestDate && !/^\p{Nd}+$/u.test(text) && !isIso(text);
  const some = head.filter(isTried).slice(0, REASONS.sample);
  const near = formats.filter((format) => {
    const pattern = buildDatePattern(format);
    return (
      some.some((text) => pattern.test(text)) &&
      isEnough(
        countOf(head, (text) => pattern.test(text)),
        head,
      )
    );
  });
  if (near.length === 0) return undefined;
  const fitting = form.dateFormat === undefined ? near.filter((format) => isDate(texts, format)) : [];
  const [only, ...others] = fitting;
  if (only !== undefined) return { code: "date_form", options: others.length > 0 ? {} : { date_format: only } };
  const lost = (format: string): number => countOf(rewriteDates(head, format), (date) => date === null);
  const [best = ""] = [...near].sort((one, other) => lost(one) - lost(other));
  const isMixed = rewriteDates(texts, best).some((date, row) => date === null && texts[row] !== null);
  return { code: isMixed ? "mixed" : "calendar", options: {} };
}

function isIso(text: string): boolean {
  return isOfKind(text, "date") || isOfKind(text, "datetime") || isOfKind(text, "datetime zoned");
}

function isDate(texts: Texts, dateFormat: string): boolean {
  const found = convertFormed(texts, { ...PLAIN, dateFormat });
  return found?.kind === "date" || found?.kind === "datetime";
}
