import { type GroupKey, type Measure, trimPercent } from "./question.js";

/** The names that the kernel gives the columns of an answer: `name_keys` and `build_result_columns` in Python. */
export function nameColumns(
  measures: readonly Measure[],
  groups: readonly GroupKey[],
): { readonly measures: readonly string[]; readonly groups: readonly string[] } {
  const isPlain = ({ unit, width }: GroupKey): boolean => unit === undefined && width === undefined;
  const taken = new Set(groups.filter(isPlain).map(({ column }) => column));
  const keys = groups.map((key) => (isPlain(key) ? key.column : take(taken, `${key.column}_${key.unit ?? "bin"}`)));
  const named = measures.map(({ aggregation, metric, percent }) => {
    if (metric === null) return null;
    const short = percent === undefined ? (aggregation ?? "") : `p${trimPercent(percent).replace(".", "_")}`;
    const long = `${short}_${metric}`;
    return take(taken, measures.length > 1 || taken.has(metric) ? long : metric);
  });
  const count = free(taken, taken.has("count") ? "row_count" : "count");
  return { measures: named.map((name) => name ?? count), groups: keys };
}

function take(taken: Set<string>, wanted: string): string {
  const name = free(taken, wanted);
  taken.add(name);
  return name;
}

function free(taken: ReadonlySet<string>, wanted: string): string {
  let name = wanted;
  while (taken.has(name)) name += "_";
  return name;
}
