/**
 * The heads of an answer's columns: what each column is, in the words of its plan. `service_nb/cards/heads.py` is the twin.
 *
 * Names are for programs: rows, copies and hashes have them.
 */

import {
  AGGREGATIONS,
  type Card,
  decodeText,
  isObject,
  JsonError,
  type KeyText,
  measuresOf,
  type MeasureText,
  parseJson,
  type PlanText,
  resultColumns,
  ShapeError,
} from "@service-nb/records";
import { CELL_WIDTH, clip, word } from "../format.js";

interface Named {
  readonly name: string;
  readonly zone?: string | undefined;
}

/** What a column is: words around the name of a column of the source, or words alone. */
interface Words {
  readonly before?: string;
  readonly name?: string;
  readonly after?: string;
}

const ROWS: Words = { before: "rows" };

/**
 * The heads of an answer's columns, no two of them equal.
 *
 * Without a plan that gives these columns they are the names. A column that is called like another head stands in quotes.
 */
export function headsOf(card: Card, columns: readonly Named[]): readonly string[] {
  const described = describe(planIn(card.canonical.plan), columns);
  if (described === undefined) return columns.map(nameHead);
  const taken = new Set(described.filter((words) => !isName(words)).map((words) => write(words, word)));
  const quoted = (name: string): string => (taken.has(word(name)) ? `'${word(name)}'` : word(name));
  return numberEqual(described.map((words, at) => write(words, quoted) + zoneOf(columns[at]?.zone)));
}

/** The name of a column, and of instants and their periods whose clocks show them. */
export function nameHead({ name, zone }: Named): string {
  return word(name) + zoneOf(zone);
}

/** The card without its plan: composed so, names are the heads, as versions of `NAME_HEADS` wrote them. */
export function withoutPlan(card: Card): Card {
  const kept = Object.entries(card.canonical).filter(([name]) => name !== "plan");
  return { ...card, canonical: Object.fromEntries(kept) };
}

function zoneOf(zone = ""): string {
  return zone === "" ? "" : ` (${word(zone)})`;
}

function isName({ before = "", after = "" }: Words): boolean {
  return before === "" && after === "";
}

function write({ before = "", name, after = "" }: Words, written: (name: string) => string): string {
  return before + (name === undefined ? "" : written(name)) + after;
}

/** Heads cut to the width of a cell; those that are then equal to one before them get a number. */
function numberEqual(heads: readonly string[]): readonly string[] {
  const told = new Set<string>();
  for (const head of heads) {
    let shown = clip(head, CELL_WIDTH);
    for (let number = 2; told.has(shown); number += 1) {
      const end = ` (${String(number)})`;
      shown = clip(head, CELL_WIDTH - end.length) + end;
    }
    told.add(shown);
  }
  return [...told];
}

function planIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseJson(text, { integers: "exact" });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Describes the columns of a plan's result; nothing where it is no plan, or its result has other columns. */
function describe(plan: unknown, columns: readonly Named[]): readonly Words[] | undefined {
  // What shows a source has its columns, or says what it counts of them.
  if (isObject(plan) && Object.hasOwn(plan, "inspect")) return columns.map(({ name }) => ({ name }));
  try {
    const asked = decodeText.plan(plan);
    if (measuresOf(asked).length === 0) return undefined;
    const due = resultColumns(asked);
    const isDue = due.length === columns.length && due.every(({ name }, at) => name === columns[at]?.name);
    return isDue ? [...(asked.group_by ?? []).map(keyWords), ...metricWords(asked), ROWS] : undefined;
  } catch (error) {
    if (error instanceof ShapeError) return undefined;
    throw error;
  }
}

function keyWords(key: string | KeyText): Words {
  if (typeof key === "string") return { name: key };
  if (key.unit === undefined) return { name: key.column, after: ` in bins of ${key.width ?? ""}` };
  return { before: `${key.unit} of `, name: key.column };
}

function metricWords(plan: PlanText): readonly Words[] {
  return measuresOf(plan).flatMap(({ aggregation, metric, percent }: MeasureText) => {
    if (metric === undefined) return [];
    const noun = AGGREGATIONS[aggregation].noun.replace("{percent}", () => percent ?? "");
    return [{ before: `${noun.charAt(0).toLowerCase()}${noun.slice(1)} `, name: metric }];
  });
}
