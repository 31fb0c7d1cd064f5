import type { Field, Parameter, Source } from "@service-nb/link";

export type Scalar = "number" | "boolean" | "string";

/** What a parameter is, as far as its control depends on it. */
export interface Kind {
  readonly scalar: Scalar;
  readonly rank: number; // 0 of a single value, 1 of a list, 2 of a matrix
}

export function kindOf({ type, shape }: Parameter): Kind {
  const name = /^\w+/.exec(type)?.[0] ?? "";
  const scalar = name === "bool" ? "boolean" : name === "string" ? "string" : "number";
  const brackets = type.split("[").length - 1;
  return { scalar, rank: Math.max(shape.length, brackets) };
}

/** What was typed, as an argument of a compute line; nothing typed is the empty text. Digits stay as they were typed. */
export function argumentText(typed: string, { scalar, rank }: Kind): string {
  const text = typed.trim();
  if (rank === 0) return scalar === "string" && typed !== "" ? quoted(typed) : text;
  // A column, a variable, and what already is a list are the kernel's to read.
  if (text === "" || /^[A-Za-z_`$[]/.test(text)) return text.replace(/\s*\n\s*/g, " ");
  const lines = text.split(/[\n;]/).map((line) => line.trim());
  const last = lines.length - 1;
  if (rank === 1) return `[${lines.map((line, at) => list(at < last ? line.replace(/,$/, "") : line)).join(", ")}]`;
  const rows = lines.filter((line) => line !== "");
  return `[${rows.map((row) => `[${list(row)}]`).join(", ")}]`;
}

/** An example of the contract, as a person would type it. */
export function typedExample(example: string, { scalar, rank }: Kind): string {
  if (rank === 0) return scalar === "string" ? unquoted(example) : example;
  if (rank === 1) return example.replace(/^\[|\]$/g, "");
  return example.replace(/^\[\[|\]\]$/g, "").replaceAll("], [", "\n");
}

/** A column as it stands in a compute line. */
export function columnText(source: string, field: string): string {
  return `${name(source)}.${name(field)}`;
}

/** The columns that an array of this kind can be read from. */
export function columnsFor(sources: readonly Source[], kind: Kind): readonly { text: string; label: string }[] {
  const fits = ({ type }: Field): boolean => type === kind.scalar;
  return sources.flatMap((source) =>
    source.fields.filter(fits).map((field) => ({
      text: columnText(source.name, field.name),
      label: `${source.name}.${field.name} · ${field.type}`,
    })),
  );
}

/** The items of a line. Blanks part them as they come; between commas or tabs an empty place stays, for it is a fault. */
function list(row: string): string {
  const places = row.replace(/^\[|\]$/g, "").split(/[,\t]/);
  return places.map((place) => place.trim().split(/ +/).join(", ")).join(", ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function unquoted(text: string): string {
  return /^'.*'$/s.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
}

function name(text: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : `\`${text.replaceAll("`", "``")}\``;
}
