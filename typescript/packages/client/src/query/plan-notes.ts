/** What a plan notes of how a question was read: no hash covers it, and a replay takes it as it was. */

import { type Field } from "../values/columns.js";
import { type Clock } from "./binder.js";
import { listLeaves } from "./condition-groups.js";
import { writeCount } from "./text.js";
import { type ConditionTree, type Question } from "./types.js";
import { type BoundValue } from "./values.js";

type Notes = Readonly<Record<string, string>>;

const MOST_ROUNDED = 3; // operands of a column that a note names

/** Of which zone the times of conditions are; the heads of the result say it of what it shows. */
export function noteZones(conditions: readonly ConditionTree<BoundValue>[], fields: ReadonlyMap<string, Field>): Notes {
  const notes: Record<string, string> = {};
  for (const { column } of listLeaves(conditions)) {
    const zone = fields.get(column)?.zone;
    if (zone !== undefined) notes[`times of ${column}`] = `in ${zone}`;
  }
  return notes;
}

/** The moment that a relative period was counted from. */
export function noteClock(period: Question["timeFilter"], { moment, zone }: Clock): Notes {
  return period === undefined ? {} : { period: `${period.period} of ${period.column}`, clock: moment, zone };
}

/** Which operands are compared as the nearest double, because they are no number that the column has. */
export function noteRounded(rounded: ReadonlyMap<string, ReadonlySet<string>>): Notes {
  const noted = [...rounded].map(([name, each]) => {
    const more = each.size - MOST_ROUNDED;
    const told = [...[...each].slice(0, MOST_ROUNDED), ...(more > 0 ? [`${writeCount(more)} more`] : [])];
    return [`compared with ${name}`, `${told.join(", ")}, the nearest double${each.size > 1 ? "s" : ""}`];
  });
  return Object.fromEntries(noted) as Notes;
}
