/** Where data are: what the policy lists of a file or a table holds under every name that it is connected by. */

import { isObject } from "@service-nb/records";
import { ServiceError } from "../errors.js";
import { type Policy } from "../query/policy.js";
import { describeValue, foldCase } from "../query/text.js";
import { type Host } from "./host.js";
import { type Registered } from "./registry.js";

/** A file, and of a database its table, or its query. */
export interface DataPlace {
  readonly path: string;
  readonly isDatabase: boolean;
  readonly table: string | undefined;
  readonly query: string | undefined;
}

/** Finds the place that an input is read from; undefined of data in memory. */
export function findDataPlace(input: unknown, { findRealPath }: Host): DataPlace | undefined {
  const isDatabase = isObject(input) && input["provider"] === "sqlite";
  const path = isDatabase ? input["path"] : input;
  if (typeof path !== "string" || findRealPath === undefined) return undefined;
  const [table, query] = isDatabase ? [input["table"], input["query"]] : [];
  return { path: findRealPath(path), isDatabase, table: readText(table), query: readText(query) };
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Requires that the policy lists the same fields under all names of a place; a file and a table also bear their own.
 *
 * @throws {ServiceError} `policy_denied_source`
 */
export function requireOneList(
  policy: Policy,
  label: string,
  place: DataPlace | undefined,
  known: Iterable<Registered>,
): void {
  if (place === undefined) return;
  const named = policy.restrictedSources.filter((name) => bearsName(place, name));
  const others = [...known].filter((each) => each.place !== undefined && isOverlapping(place, each.place));
  for (const name of [...named, ...others.map((each) => each.name)]) requireSameList(policy, label, name);
}

function bearsName({ path, isDatabase, table, query }: DataPlace, name: string): boolean {
  const folded = foldCase(name);
  if (!isDatabase) return folded === foldCase(path.replace(/^.*[/\\]/, "").replace(/(?<=.)\.[^.]*$/, ""));
  return table === undefined ? foldCase(query ?? "").includes(folded) : folded === foldCase(table);
}

function isOverlapping(one: DataPlace, other: DataPlace): boolean {
  if (one.path !== other.path) return false;
  if (!one.isDatabase || !other.isDatabase || one.table === undefined || other.table === undefined) return true;
  return foldCase(one.table) === foldCase(other.table);
}

function requireSameList(policy: Policy, label: string, name: string): void {
  if (label === name || policy.listsSameFields(label, name)) return;
  const [said, meant] = [describeValue(label), describeValue(name)];
  const message = `What is to be connected as ${said} is ${meant} too, and the policy does not list the same fields of both.`;
  const hint = `Connect it as ${meant}, or list the same fields for both names.`;
  throw new ServiceError("policy_denied_source", message, { hint, details: { met: label } });
}
