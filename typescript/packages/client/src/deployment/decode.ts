/** Holds what came from a deployment to the form of its message. Keys that a newer deployment adds stay unread. */

import { isObject, own } from "@service-nb/records";
import { FORMS, type Messages } from "./messages.js";

type Form = Readonly<Record<string, unknown>>;

/** The words of the form that a value does not have, with the place; undefined where it has it. */
type Misfit = string | undefined;

/** A message that does not have its form; the text says where, and never repeats the value. */
export class MisfitError extends Error {}

/** @throws {MisfitError} The value does not have the form of the message. */
export function decodeMessage<K extends keyof Messages>(kind: K, value: unknown): Messages[K] {
  const misfit = findMisfit(value, FORMS[kind], "$");
  if (misfit !== undefined) throw new MisfitError(misfit);
  return value as Messages[K];
}

function findMisfit(value: unknown, form: Form, path: string): Misfit {
  const { $ref: name, anyOf: branches, enum: choices } = form;
  if (typeof name === "string") return findMisfit(value, FORMS[name as keyof typeof FORMS], path);
  if (Array.isArray(branches)) {
    const misfits = (branches as readonly Form[]).map((each) => findMisfit(value, each, path));
    return misfits.includes(undefined) ? undefined : misfits[0];
  }
  if (Array.isArray(choices)) return choices.includes(value) ? undefined : `${path} is none of its choices`;
  switch (form["type"]) {
    case "object":
      return findMisfitOfObject(value, form, path);
    case "array":
      return findMisfitOfArray(value, form, path);
    case "string":
      return isText(value, form["pattern"]) ? undefined : `${path} is not the text that is expected`;
    case "integer":
    case "number":
      return isNumber(value, form) ? undefined : `${path} is not the number that is expected`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `${path} is not true or false`;
    case "null":
      return value === null ? undefined : `${path} is not null`;
    default:
      return undefined; // anything
  }
}

function findMisfitOfObject(value: unknown, form: Form, path: string): Misfit {
  if (!isObject(value)) return `${path} is not an object`;
  const { properties, required, additionalProperties: item } = form;
  const missing = ((required ?? []) as readonly string[]).find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${path}.${missing} is missing`;
  for (const [key, each] of Object.entries((properties ?? {}) as Readonly<Record<string, Form>>)) {
    const misfit = Object.hasOwn(value, key) ? findMisfit(own(value, key), each, `${path}.${key}`) : undefined;
    if (misfit !== undefined) return misfit;
  }
  if (item === undefined) return undefined;
  for (const key of Object.keys(value)) {
    const misfit = findMisfit(own(value, key), item as Form, `${path}[...]`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function findMisfitOfArray(value: unknown, form: Form, path: string): Misfit {
  if (!Array.isArray(value)) return `${path} is not a list`;
  const item = form["items"] as Form;
  for (const each of value as readonly unknown[]) {
    const misfit = findMisfit(each, item, `${path}[...]`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function isText(value: unknown, pattern: unknown): boolean {
  return typeof value === "string" && (typeof pattern !== "string" || new RegExp(pattern, "u").test(value));
}

function isNumber(value: unknown, { type, minimum }: Form): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return (type === "number" || Number.isInteger(value)) && (typeof minimum !== "number" || value >= minimum);
}
