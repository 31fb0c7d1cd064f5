import { JsonError, parseJson } from "@service-nb/records";

/** The items of a hashed text that is a list, or null where it is none. */
export function listIn(text: string): readonly unknown[] | null {
  try {
    const value = parseJson(text, { integers: "exact" });
    return Array.isArray(value) ? value : null;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

/** The exact text of a value; whole numbers of more digits than are safe were floats. */
export function exactText(value: unknown): string | null {
  if (typeof value === "bigint") return String(Number(value));
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

/** The exact texts of a list of values, or null where it is none. */
export function exactTexts(text: string): readonly (string | null)[] | null {
  return listIn(text)?.map(exactText) ?? null;
}
