import { isObject, own } from "@service-nb/records";
import { SECTIONS, type SectionName } from "./sidebar/sections.js";

/** What a command was given is not what it takes; other extensions and agents call commands too. */
export class ArgumentsError extends Error {
  override readonly name = "ArgumentsError";
  readonly code = "invalid_arguments";
}

const LINE = { type: "string", maxLength: 10_000, pattern: "^[^\\u0000-\\u001f]*$" };
const PLACE = {
  cell: { type: "integer", minimum: 1, description: "The cell, counted from 1; the active one if not given." },
  output: {
    type: "integer",
    minimum: 1,
    description: "The output of the cell, counted from 1; its first card if not given.",
  },
  pointed: { type: "boolean", description: "Whether it is the output that the context menu was opened on." },
};

/** The JSON schemas of what commands take. */
export const TAKES = {
  nothing: schema({}),
  section: schema({ section: { type: "string", enum: [...SECTIONS], description: "Which section to show." } }),
  ask: schema({ question: { ...LINE, description: "The question, without %service_ask." } }),
  compute: schema({ call: { ...LINE, description: "The call, without %service_compute." } }),
  path: schema({
    path: {
      ...LINE,
      description: "The file, as the server names it; what is selected in the file browser if not given.",
    },
  }),
  place: schema(PLACE),
} as const;

type Schema = ReturnType<typeof schema>;

function schema(properties: Readonly<Record<string, object>>): {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties: boolean;
} {
  // Menus and the palette add keys of their own, so strangers are let through and not read.
  return { type: "object", properties, additionalProperties: true };
}

/** As `describedBy` wants it. */
export function describedBy(args: Schema): { args: { type: "object"; properties: Record<string, never> } } {
  return { args: args as never };
}

export function sectionIn(args: unknown): SectionName {
  const value = given(args, "section");
  if (value === undefined) return "evidence";
  const section = SECTIONS.find((name) => name === value);
  if (section === undefined) throw new ArgumentsError(`section is one of ${SECTIONS.join(", ")}.`);
  return section;
}

/** A line to stand behind a magic: one line, and nothing that would end it. */
export function lineIn(args: unknown, key: "question" | "call"): string {
  const value = given(args, key);
  if (value === undefined) return "";
  if (typeof value !== "string" || value.length > LINE.maxLength || /[\p{Cc}\u2028\u2029]/u.test(value)) {
    throw new ArgumentsError(`${key} is one line of at most ${String(LINE.maxLength)} characters.`);
  }
  return value.trim();
}

/** A path of the server; null where none is given. */
export function pathIn(args: unknown): string | null {
  const value = given(args, "path");
  if (value === undefined) return null;
  if (typeof value !== "string" || value === "" || value.length > LINE.maxLength) {
    throw new ArgumentsError(`path is a file's path of at most ${String(LINE.maxLength)} characters.`);
  }
  return value;
}

export interface Place {
  readonly cell: number | null;
  readonly output: number | null;
  readonly isPointed: boolean;
}

export function placeIn(args: unknown): Place {
  return { cell: numberIn(args, "cell"), output: numberIn(args, "output"), isPointed: given(args, "pointed") === true };
}

function numberIn(args: unknown, key: "cell" | "output"): number | null {
  const value = given(args, key);
  if (value === undefined) return null;
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    throw new ArgumentsError(`${key} is a whole number, counted from 1.`);
  }
  return value as number;
}

function given(args: unknown, key: string): unknown {
  return isObject(args) ? (own(args, key) ?? undefined) : undefined;
}
