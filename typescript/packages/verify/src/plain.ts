import { type FormCause, isObject, MAX_DEPTH } from "@service-nb/records";

/**
 * Why a value cannot have come out of a strict JSON text that every reader keeps as it is, or undefined if it can. An
 * object that a program hands over may hold itself, or what JSON has no word for.
 */
export function refusalOf(value: unknown, depth = 0): FormCause | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "malformed_json";
    case "number":
      return Number.isFinite(value) ? undefined : "unsafe_number";
    case "bigint":
      return "unsafe_number";
    case "boolean":
      return undefined;
    default:
      return value === null ? undefined : refusalIn(value, depth);
  }
}

/**
 * Whether a value that `refusalOf` lets pass holds a whole number that a parser may have rounded. Below 1e21 it is
 * written with all its digits when it is saved again, and a strict reader refuses those.
 */
export function mayBeRounded(value: unknown): boolean {
  if (typeof value === "number") return isUnsafe(value);
  if (Array.isArray(value)) return value.some(mayBeRounded);
  return isObject(value) && Object.values(value).some(mayBeRounded);
}

function isUnsafe(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
}

function refusalIn(value: unknown, depth: number): FormCause | undefined {
  if (depth === MAX_DEPTH) return "too_deep";
  if (Array.isArray(value)) return first(value, depth);
  if (!isObject(value)) return "malformed_json";
  return first(Object.keys(value), depth) ?? first(Object.values(value), depth);
}

function first(values: readonly unknown[], depth: number): FormCause | undefined {
  for (const value of values) {
    const refusal = refusalOf(value, depth + 1);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
