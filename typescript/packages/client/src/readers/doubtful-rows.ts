/** Rows and values that may mean something else: by the rules of `service_nb/readers/doubtful_rows.py`. */

import { type ReadingNote } from "@service-nb/records";
import { readDay } from "../values/calendar.js";
import { type Field, type Table } from "../values/columns.js";
import { type TellPlace } from "./changed-texts.js";
import { noteRemarks } from "./remarks.js";
import { PATTERNS, YEARS } from "./rules.js";
import { noteSentinels } from "./sentinels.js";
import { noteTotals } from "./totals.js";

const NUMBER = new RegExp(`^(?:${PATTERNS.float64})$`);
const MOMENT = new RegExp(`^(?:${PATTERNS.datetime})$`);
const EVEN = 1e-9;

/** The texts of a file that columns were made of. */
export interface Texts {
  readonly tell: TellPlace;
  /** The text of a cell as it stands in the file; undefined where there are none. */
  readonly read?: (row: number, column: number) => string | null;
}

/** Finds what the rows of a table may mean beside what they say. */
export function findRowNotes(table: Table, { tell, read }: Texts): readonly ReadingNote[] {
  if (table.rowCount === 0) return [];
  const rows = [...noteTotals(table, tell), ...noteRemarks(table, tell)];
  return [...noteHeader(table.fields), ...noteNames(table, tell), ...rows, ...noteSentinels(table, read)];
}

/** Names that are dates of columns of dates, or numbers of columns of numbers and no axis such as years. */
function noteHeader(fields: readonly Field[]): readonly ReadingNote[] {
  const isDay = ({ name, type }: Field): boolean => (type === "date" || type === "datetime") && isDate(name);
  const isNumber = ({ name, type }: Field): boolean => type === "number" && NUMBER.test(name) && /[0-9]/.test(name);
  const days = fields.filter(isDay);
  const numbers = fields.filter(isNumber);
  if (days.length === 0 && (numbers.length === 0 || isAxis(numbers.map(({ name }) => Number(name))))) return [];
  return [{ kind: "header", columns: fields.filter((each) => isDay(each) || isNumber(each)).map(({ name }) => name) }];
}

/** Rows that have the names of the columns as their values; all of the table is text. */
function noteNames({ fields, columns, rowCount }: Table, tell: TellPlace): readonly ReadingNote[] {
  if (fields.length < 2) return [];
  const rows: number[] = [];
  for (let row = 0; row < rowCount; row += 1)
    if (columns.every((column, at) => column.kind === "string" && column.values[row] === fields[at]?.name))
      rows.push(row);
  const [first] = rows;
  if (first === undefined) return [];
  const facts = { count: String(rows.length), place: tell(first + 1) };
  return [{ kind: "names_again", columns: fields.map(({ name }) => name), facts }];
}

function isDate(name: string): boolean {
  return MOMENT.test(name) && readDay(name.slice(0, 10)) !== undefined;
}

function isAxis(numbers: readonly number[]): boolean {
  const [low, high] = YEARS;
  if (numbers.every((each) => each >= low && each <= high && Number.isInteger(each))) return true;
  const steps = numbers.slice(1).map((each, at) => each - (numbers[at] ?? 0));
  const [step = 0] = steps;
  const isEven = steps.every((each) => Math.abs(each - step) <= Math.abs(step) * EVEN);
  if (steps.length === 0 || !isEven) return false;
  return steps.length === 1 ? step === 1 : step !== 0;
}
