import type { Measure, Operator } from "./question.js";

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  eq: "is",
  ne: "is not",
  gt: "is above",
  gte: "is at least",
  lt: "is below",
  lte: "is at most",
  between: "is between",
  in: "is one of",
  not_in: "is none of",
  contains: "contains",
  starts_with: "starts with",
  during: "is in the period",
  is_null: "is missing",
  is_not_null: "is there",
};

/** A text with its places `{0}`, `{1}` filled, after its translation. */
export function fill(text: string, ...parts: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (place, index: string) => String(parts[Number(index)] ?? place));
}

/** A measure in words: `sum price`, `count rows`, `percentile 90 of price`. */
export function spellMeasure({ aggregation, metric, percent }: Measure, say: (text: string) => string): string {
  const of = metric ?? (aggregation === "count" ? say("rows") : "…");
  const name = aggregation?.replace("_", " ") ?? "…";
  return percent === undefined ? `${name} ${of}` : fill(say("{0} {1} of {2}"), name, percent.trim() || "…", of);
}
