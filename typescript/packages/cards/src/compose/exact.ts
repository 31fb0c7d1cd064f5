import { JsonError, parseJson } from "@service-nb/records";
import type { Block, Fact, Table } from "../blocks.js";
import { rounded } from "../digits.js";
import { clip } from "../format.js";
import { code, fact, text } from "./facts.js";

const ROUNDED = "rounded for reading; digits=exact shows every digit";
const MOST_EXACT = 400; // characters of a number that is written out beside its rounded form

/** What the details say of numbers that are shown rounded: the exact text of a single one, and that they are. */
export function exactFacts(answer: Block): readonly Fact[] {
  if (answer.block === "table") return answer.isRounded === true ? [fact("numbers", [text(ROUNDED)])] : [];
  if (answer.block !== "figure") return [];
  const { exact, isCut, isRounded: isShort } = answer;
  return [
    ...(isCut && exact.length <= MOST_EXACT ? [fact("exact value", [code(exact)])] : []),
    ...(isShort ? [fact("numbers", [text(ROUNDED)])] : []),
  ];
}

/** Whether a number of a table is shown rounded. */
export function isRounded({ heads, exact }: Pick<Table, "heads" | "exact">): boolean {
  return exact.some((row) =>
    heads.some(({ type, digits }, at) => {
      const value = row[at] ?? null;
      return type === "number" && value !== null && rounded(value, digits) !== value;
    }),
  );
}

/** The rows with every digit, where they say more than the shown ones; a text of thousands of digits is cut. */
export function everyDigit(shown: Table["rows"], exact: Table["rows"]): Pick<Table, "everyDigit"> {
  if (exact.every((row, at) => row.every((each, column) => each === shown[at]?.[column]))) return {};
  return { everyDigit: exact.map((row) => row.map((each) => clip(each, MOST_EXACT))) };
}

const MOST_BYTES = 128 * 1024 ** 2; // of a text that was loaded
const HALF_PAIR = /\\ud[89a-f]/i;

/** The items of a hashed text that is a list, or null where it is none. */
export function listIn(text: string): readonly unknown[] | null {
  const value = quickly(text) ?? strictly(text);
  return Array.isArray(value) ? value : null;
}

/**
 * What a text says, where the browser's own reader is as strict as ours: a text that is written again letter by letter has
 * no key twice, no number that would change, and nothing between its parts.
 */
function quickly(text: string): unknown {
  if (HALF_PAIR.test(text) || !text.isWellFormed()) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function strictly(text: string): unknown {
  try {
    return parseJson(text, { integers: "exact", maxBytes: MOST_BYTES });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** The exact text of a value; whole numbers of more digits than are safe were floats. */
export function exactText(value: unknown): string | null {
  if (typeof value === "bigint") return String(Number(value));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

/** The exact texts of a list of values, or null where it is none. */
export function exactTexts(text: string): readonly (string | null)[] | null {
  return listIn(text)?.map(exactText) ?? null;
}
