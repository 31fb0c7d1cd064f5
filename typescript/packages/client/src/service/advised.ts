/** Advice on questions of a client: its sources as the policy shows them, and what a question would end in. */

import { addAdvice } from "../advice/offers.js";
import { ServiceError } from "../errors.js";
import { type Clock } from "../query/binder.js";
import { isInvalidIntent } from "../query/faults.js";
import { describePlan, resolveQuestion } from "../query/question.js";
import { type Registered, type Registry } from "./registry.js";

const MOST_TEXTS = 1_000; // different ones of a column, which are few

/** Reads and resolves a question, and adds to an error of its line what may be said to who typed it. */
export async function adviseOn<T>(
  question: unknown,
  registry: Registry,
  readClock: () => Clock,
  resolve: () => Promise<T>,
): Promise<T> {
  try {
    return await resolve();
  } catch (error) {
    if (typeof question !== "string" || !(error instanceof ServiceError) || !isInvalidIntent(error)) throw error;
    const catalog = registry.buildCatalog();
    addAdvice(error, question, {
      sources: registry.listNames().map((name) => registry.describe(registry.get(name))),
      resolve: (spec) => {
        try {
          return describePlan(resolveQuestion(spec, catalog, readClock()).resolution);
        } catch (met) {
          if (met instanceof ServiceError) return undefined;
          throw met;
        }
      },
      listValues: (name, column) =>
        catalog.sources.get(name)?.fields.has(column) === true ? listTexts(registry.get(name), column) : [],
    });
    throw error;
  }
}

/** The different texts of a column that is here and has few of them. */
function listTexts({ table }: Registered, name: string): readonly string[] {
  const column = table?.columns[table.fields.findIndex((field) => field.name === name)];
  if (column?.kind !== "string") return [];
  const found = new Set(column.values.filter((value) => value !== null));
  return found.size > MOST_TEXTS ? [] : [...found];
}
