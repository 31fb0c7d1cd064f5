import type { Capability, ColumnLook, Field, Source } from "@service-nb/link";

// Words that an ask line reads as its own; a name that is one of them stands in backticks.
const ASK_WORDS = new Set(
  "by from where order limit asc desc and or not in between is null contains starts_with during true false".split(" "),
);
const BARE = /^[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*$/u;

/** Whether a word, in small letters, is one of the language of questions wherever it stands. */
export function isAskWord(word: string): boolean {
  return ASK_WORDS.has(word);
}

/** A column or a source as it stands in a line: bare where it can be, else in backticks. */
export function nameInLine(name: string): string {
  if (BARE.test(name) && !isAskWord(name.toLowerCase())) return name;
  return `\`${name.replaceAll("`", "``")}\``;
}

/** Whether a name can stand in a line at all: a magic is one line. */
export function fitsInLine(name: string): boolean {
  return name !== "" && !/[\p{Cc}\u2028\u2029]/u.test(name);
}

/** A question to begin with: the sum of the first number, or how many rows there are. */
export function askLine(source?: Pick<Source, "name" | "fields">): string {
  if (source === undefined) return "%service_ask ";
  const metric = source.fields.find((field) => field.type === "number" && fitsInLine(field.name));
  const question = metric === undefined ? "count" : `sum ${nameInLine(metric.name)}`;
  return `%service_ask ${question} from ${nameInLine(source.name)}`;
}

const FEW = 50; // values of a column to group by

/** A question about one column: a number by a column of few values, the rows of each month or of each value. */
export function columnLine(
  source: Pick<Source, "name" | "fields">,
  field: Pick<Field, "name" | "type">,
  looks: ReadonlyMap<string, Pick<ColumnLook, "distinct">>,
): string {
  const from = `from ${nameInLine(source.name)}`;
  const column = nameInLine(field.name);
  if (field.type === "date" || field.type === "datetime") return `%service_ask count by month of ${column} ${from}`;
  if (field.type !== "number") return `%service_ask count by ${column} ${from}`;
  const kinds = source.fields.filter(({ name, type }) => ["string", "boolean"].includes(type) && fitsInLine(name));
  const distinct = ({ name }: Field): number | null | undefined => looks.get(name)?.distinct;
  const few = kinds.find((each) => (distinct(each) ?? 0) > 1 && (distinct(each) ?? 0) <= FEW);
  const group = few ?? kinds.find((each) => (distinct(each) ?? null) === null);
  return `%service_ask sum ${column} ${group === undefined ? "" : `by ${nameInLine(group.name)} `}${from}`;
}

/** What connects a source whose name says all: the deployment's, or one that the project keeps. */
export function connectLine({ name }: Pick<Source, "name">): string {
  return `%service_connect ${nameInLine(name)}`;
}

/** A call with what a case of the contract gives to each parameter; a gap where there is none. */
export function computeLine(capability: Pick<Capability, "name" | "params" | "needs_seed">): string {
  const given = capability.params.map(({ name, example }) => `${nameInLine(name)}=${example ?? ""}`);
  if (capability.needs_seed && !capability.params.some((each) => each.name === "seed")) given.push("seed=1");
  return ["%service_compute", capability.name, ...given].join(" ");
}
