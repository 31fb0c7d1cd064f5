/**
 * Reads a spec in which a value is none of its choices: an unknown aggregation, order, operator, unit, zone or period.
 *
 * Such a spec is a question that nobody can answer, and refused like any other. It is read without what the value
 * belongs to, and each value is noted with the questions that have the nearest choices in its place.
 */

import { isObject } from "@service-nb/records";
import { compareTexts } from "../values/order.js";
import { UTC } from "../values/zones.js";
import { type ServiceError } from "../errors.js";
import { isInvalidIntent } from "./faults.js";
import { findNearest } from "./matching.js";
import { type Refusal, type Way } from "./outcomes.js";
import { parseSpec } from "./spec.js";
import { SYNONYMS } from "./tables.js";
import { describeValue, foldCase } from "./text.js";
import { type Question } from "./types.js";

/** The slot of a value, by the last step of its path. */
const SLOTS: ReadonlyMap<string, string> = new Map([
  ["aggregation", "aggregation"],
  ["order", "order"],
  ["op", "operator"],
  ["unit", "unit"],
  ["zone", "zone"],
  ["period", "period"],
]);
const MOST_NOTED = 5; // of one spec
const STEP = /[a-z_]+|\[([0-9]+)\]/g;

type Path = readonly (string | number)[];
type Node = Record<string | number, unknown>;

/** A value that is none of its choices, with the nearest of these. */
interface Unknown {
  readonly path: Path;
  readonly slot: string;
  readonly met: unknown;
  readonly near: readonly string[];
  readonly message: string;
}

/** A question, and a refusal for each value that it was read without. */
export interface ReadQuestion {
  readonly question: Question;
  readonly unknown: readonly Refusal[];
}

/**
 * Reads a spec, and lists a refusal for each value in it that is none of its choices.
 *
 * @throws {ServiceError} It is no QuerySpec.
 */
export function readSpec(raw: unknown): ReadQuestion {
  let filled = raw;
  const unknown: Unknown[] = [];
  for (;;) {
    try {
      const question = parseSpec(filled);
      if (unknown.length === 0) return { question, unknown: [] };
      break;
    } catch (error) {
      if (!isInvalidIntent(error)) throw error;
      const path = readPath(error);
      // What was filled in may not fit the rest, of which no question can be made then.
      if (path === undefined && unknown.length > 0) break;
      if (path === undefined || unknown.length === MOST_NOTED || !isObject(filled)) throw error;
      if (unknown.length === 0) filled = copySpec(filled);
      unknown.push(fillChoice(filled, path, error));
    }
  }
  const left = copyParts(filled);
  const removed = new Set<string>(); // one condition may hold two such values
  for (const { path } of [...unknown].sort((one, other) => comparePaths(other.path, one.path))) {
    const owner = path.slice(0, -1).join(".");
    if (owner === "" || !removed.has(owner)) removeValue(left, path);
    removed.add(owner);
  }
  return { question: parseSpec(left), unknown: unknown.map((each) => buildRefusal(filled, each, unknown)) };
}

/** Where a value is none of its choices; undefined if that is not the fault. */
function readPath(error: ServiceError): Path | undefined {
  const { path, expected } = error.details;
  if (typeof path !== "string" || !Array.isArray(expected) || !SLOTS.has(path.split(".").at(-1) ?? ""))
    return undefined;
  return Array.from(path.matchAll(STEP), (step) => (step[1] === undefined ? step[0] : Number(step[1])));
}

function comparePaths(one: Path, other: Path): number {
  const [first, second] = [one, other].map((path) => path.map((step) => String(step).padStart(9, "0")));
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const apart = compareTexts(first?.[at] ?? "", second?.[at] ?? "");
    if (apart !== 0) return apart;
  }
  return one.length - other.length;
}

function copySpec(raw: unknown): unknown {
  const spec = copyParts(raw) as Node;
  if (isObject(spec["group_by"])) spec["group_by"] = [spec["group_by"]];
  return spec;
}

/** Copies objects and lists, each place of its own: the same object may stand in several. */
function copyParts(raw: unknown): unknown {
  if (Array.isArray(raw)) return Array.from(raw, copyParts);
  if (!isObject(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, copyParts(value)]));
}

/** The object or list that a path ends in. A path is made of what was read, so that each step leads on. */
function findParent(spec: unknown, path: Path): Node {
  return path.slice(0, -1).reduce<unknown>((found, step) => (found as Node)[step], spec) as Node;
}

/** Puts a choice in place of a value that is none, and notes it: the nearest, or one that can be read. */
function fillChoice(spec: unknown, path: Path, error: ServiceError): Unknown {
  const parent = findParent(spec, path);
  const key = path.at(-1) ?? "";
  const choices = error.details["expected"] as readonly string[];
  const met = Object.hasOwn(parent, key) ? parent[key] : undefined;
  // Of zones what is expected are those that are near already.
  const found = key === "zone" ? (choices[0] === UTC ? [] : choices) : undefined;
  const near = typeof met === "string" ? (found ?? findNear(foldCase(met), choices)) : [];
  parent[key] = near[0] ?? findLikely(parent, key) ?? choices[0];
  return { path, slot: SLOTS.get(String(key)) ?? "", met, near, message: error.message };
}

function findLikely(parent: Node, key: string | number): string | undefined {
  if (key === "op") return Object.hasOwn(parent, "values") ? "in" : Object.hasOwn(parent, "value") ? "eq" : "is_null";
  if (key !== "aggregation") return undefined;
  return (parent["percent"] ?? undefined) === undefined ? "sum" : "percentile";
}

/** The choices that are spelled alike, that are other words for it, or that it begins with. */
function findNear(met: string, choices: readonly string[]): readonly string[] {
  const meant = Object.hasOwn(SYNONYMS, met) ? SYNONYMS[met as keyof typeof SYNONYMS] : undefined;
  if (meant !== undefined && choices.includes(meant)) return [meant];
  const near = findNearest(met, choices);
  return near.length > 0 ? near : choices.filter((each) => met.startsWith(each));
}

/** The refusal of a value; it leads to questions only if every unknown value has a choice that is near. */
function buildRefusal(filled: unknown, noted: Unknown, unknown: readonly Unknown[]): Refusal {
  const { slot, near, met } = noted;
  const canMend = unknown.every((each) => each.near.length > 0);
  const ways = canMend ? near.flatMap((name) => buildWay(filled, noted, name)) : [];
  const told = { reason: noted.message, unknown: { slot, value: describeValue(met) }, didYouMean: near, ways };
  if (ways.length > 0) return { status: "needs_clarification", ...told };
  return { status: "rejected", code: `unknown_${slot}`, rule: `${slot}s are named exactly`, ...told };
}

function buildWay(filled: unknown, { path, slot }: Unknown, name: string): Way[] {
  const mended = copyParts(filled);
  findParent(mended, path)[path.at(-1) ?? ""] = name;
  try {
    return [{ slot, name, type: slot, spec: parseSpec(mended) }];
  } catch (error) {
    if (isInvalidIntent(error)) return [];
    throw error;
  }
}

/** Removes a value with what means nothing without it: a measure, a condition, the unit of a date. */
function removeValue(spec: unknown, path: Path): void {
  const root = spec as Node;
  const [first = "", second] = path;
  if (path.length === 1) {
    Reflect.deleteProperty(root, first);
    if (first === "aggregation") Reflect.deleteProperty(root, "percent");
  } else if (second === "time_filter") {
    root["filter"] = { ...(root["filter"] as Node), time_filter: null };
  } else if (first === "group_by" && typeof second === "number") {
    const keys = root["group_by"] as Node[];
    if (path.at(-1) === "zone") Reflect.deleteProperty(keys[second] ?? {}, "zone");
    else keys.splice(second, 1, keys[second]?.["column"] as Node);
  } else {
    removeItem(spec, path.slice(0, -1));
    if (Array.isArray(root["measures"]) && root["measures"].length === 0) Reflect.deleteProperty(root, "measures");
  }
}

/** Removes an item of a list, and a group of conditions with its last one. */
function removeItem(spec: unknown, path: Path): void {
  const items = findParent(spec, path) as unknown as unknown[];
  items.splice(Number(path.at(-1)), 1);
  if (items.length === 0 && ["any", "all"].includes(String(path.at(-2)))) removeItem(spec, path.slice(0, -2));
}
