/** The columns of a compute line, with what selects their rows, as bindings of a spec. */

import { type AskFilter } from "../query/ask-spec.js";
import { invalidIntent } from "../query/faults.js";

/** A column that a parameter is bound to, and the condition in brackets behind it. */
export class Reference {
  readonly source: string;
  readonly field: string;
  readonly selection: Selection | undefined;

  constructor(source: string, field: string, selection?: Selection) {
    this.source = source;
    this.field = field;
    this.selection = selection;
  }
}

/** The text of a condition, and where in the line it begins. */
export interface Selection {
  readonly text: string;
  readonly place: number;
}

/** Joins the filter of a column and that of all columns: both hold. */
export function joinFilters(own: AskFilter | undefined, common: AskFilter | undefined): AskFilter | undefined {
  if (own === undefined || common === undefined) return own ?? common;
  if (own.time_filter !== undefined && common.time_filter !== undefined) {
    const message = "Two periods select the rows of one column: that in its brackets and that of `where`.";
    const hint = "Write one of them as dates: `column between 2013-01-01 and 2013-03-31`.";
    throw invalidIntent(message, { expected: "at most one period" }, hint);
  }
  const conditions = [...(own.conditions ?? []), ...(common.conditions ?? [])];
  const period = own.time_filter ?? common.time_filter;
  return { ...(conditions.length > 0 && { conditions }), ...(period !== undefined && { time_filter: period }) };
}

/** A binding of the columns of one source under one condition: of one, or of several that are read row by row. */
export function buildBindings(
  columns: readonly { readonly name: string; readonly value: Reference }[],
  filters: ReadonlyMap<Reference, AskFilter | undefined>,
): Readonly<Record<string, unknown>>[] {
  const groups = new Map<string, (typeof columns)[number][]>();
  for (const column of columns) {
    const { source, selection } = column.value;
    const key = JSON.stringify([source, selection?.text]);
    groups.set(key, [...(groups.get(key) ?? []), column]);
  }
  return [...groups.values()].map((bound) => {
    const [only] = bound;
    const source = only?.value.source;
    const filter = only === undefined ? undefined : filters.get(only.value);
    const selected = filter === undefined ? {} : { filter };
    if (bound.length === 1 && only !== undefined)
      return { parameter: only.name, source, field: only.value.field, ...selected };
    const [parameters, fields] = [bound.map(({ name }) => name), bound.map(({ value }) => value.field)];
    return { parameters, fields, source, alignment: "rowwise", ...selected };
  });
}
