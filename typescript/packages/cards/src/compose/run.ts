import { canonicalText, own, ShapeError } from "@service-nb/records";
import type { Span } from "../blocks.js";
import { CELL_WIDTH, clip, count, visible, whole, word } from "../format.js";
import { code, digest, text } from "./facts.js";
import { countAt, type Members, membersAt, objectsAt, optionalText, textAt, textsAt, wholeTextAt } from "./read.js";

type Lines = readonly (readonly Span[])[];

/** Columns of a source that stood in for arguments: which, how many rows, and their digests. */
export function binding(value: Members): Lines {
  const [parameters, fields] = [textsAt(value, "parameters"), textsAt(value, "fields")];
  if (parameters.length !== fields.length) throw new ShapeError("bindings", "a field for each parameter");
  const source = word(textAt(value, "source_name"));
  const named = parameters.map((parameter, at) => `${parameter} = ${source}.${word(fields[at] ?? "")}`).join(", ");
  const dropped = countAt(value, "dropped");
  const rows = count(countAt(value, "row_count")) + filtered(value);
  return [
    [text(`${named} · ${rows}${dropped === 0 ? "" : `, ${count(dropped)} with a null dropped`}`)],
    ...(Object.hasOwn(value, "filter") ? [[text(`where ${conditions(value)}`)]] : []),
    [text("input "), digest(textAt(value, "input_hash"))],
    [text("schema "), digest(textAt(value, "schema_revision"))],
  ];
}

/** Which rows a computation is of; this alone tells those of `over` apart. */
export function where(bindings: readonly Members[]): string {
  const told = new Set(bindings.filter((each) => Object.hasOwn(each, "filter")).map(conditions));
  return told.size === 0 ? "" : ` where ${[...told].join("; ")}`;
}

/** How many rows of each binding's source were used, and how many were left out for a null. */
export function boundRows(bindings: readonly Members[]): readonly string[] {
  const told = bindings.flatMap((each) => {
    const [used, dropped] = [countAt(each, "row_count"), countAt(each, "dropped")];
    const total = Object.hasOwn(each, "source_rows") ? countAt(each, "source_rows") : used;
    const rows = total === used ? count(used) : `${whole(used)} of ${count(total)}`;
    return [
      `${rows} of ${word(textAt(each, "source_name"))}`,
      ...(dropped === 0 ? [] : [`${count(dropped)} with a null left out`]),
    ];
  });
  return [...new Set(told)];
}

function filtered(value: Members): string {
  if (!Object.hasOwn(value, "filter")) return "";
  return `, ${count(leaves(objectsAt(membersAt(value, "filter"), "conditions")), "condition")}`;
}

const OPERATORS: Readonly<Record<string, string>> = { eq: "=", ne: "≠", gt: ">", gte: "≥", lt: "<", lte: "≤" };
const MOST_CONDITIONS = 5;

/** Which rows were taken: it is all that tells the computations of `over` apart. */
function conditions(value: Members): string {
  const all = objectsAt(membersAt(value, "filter"), "conditions");
  const told = all.slice(0, MOST_CONDITIONS).map((each) => clip(tree(each), CELL_WIDTH));
  const more = all.length - told.length;
  return [...told, ...(more === 0 ? [] : [`${whole(more)} more`])].join(" and ");
}

// By what the conditions of a group are joined.
const JOINERS: readonly (readonly [key: string, word: string])[] = [
  ["all", " and "],
  ["any", " or "],
];

function leaves(trees: readonly Members[]): number {
  const inside = (each: Members): number => {
    const key = JOINERS.find(([joiner]) => Object.hasOwn(each, joiner))?.[0];
    return key === undefined ? 1 : leaves(objectsAt(each, key));
  };
  return trees.reduce((sum, each) => sum + inside(each), 0);
}

function tree(value: Members): string {
  const found = JOINERS.find(([joiner]) => Object.hasOwn(value, joiner));
  return found === undefined ? condition(value) : `(${objectsAt(value, found[0]).map(tree).join(found[1])})`;
}

function condition(value: Members): string {
  const [column, op] = [wordAt(value, "column"), wordAt(value, "op")];
  const key = ["value", "values"].find((each) => Object.hasOwn(value, each));
  const operand = key === undefined ? "" : ` ${canonicalText(value[key])}`;
  const sign = Object.hasOwn(OPERATORS, op) ? (OPERATORS[op] ?? "") : op.replaceAll("_", " ");
  return visible(`${word(column)} ${sign}${operand}`);
}

function wordAt(value: Members, key: string): string {
  const found = own(value, key);
  return typeof found === "string" ? found : "…";
}

// The packages that computed and the C library; kernels, threads and digests are in the envelope.
const PACKAGES: readonly string[] = ["numpy", "python-flint", "scipy"];

/** What a computation ran on: kernels, libraries, place, bundle. */
export function run(view: Members): Lines {
  const envelope = membersAt(view, "determinism");
  const where = [
    textAt(view, "scope"),
    textAt(envelope, "precision_mode"),
    count(countAt(envelope, "thread_count"), "thread"),
    ...(Object.hasOwn(envelope, "seed") ? [`seed ${wholeTextAt(envelope, "seed")}`] : []),
    ...[optionalText(envelope, "pinning")].filter((pinning) => pinning !== ""),
  ];
  const profile = optionalText(envelope, "profile");
  const version = String(countAt(view, "version"));
  return [
    [text(`${textAt(envelope, "kernel_build")} · ${libraries(membersAt(envelope, "libraries"))}`)],
    [text(where.join(" · "))],
    bundle(textAt(envelope, "runtime_bundle_version"), textAt(envelope, "runtime_bundle_sha256")),
    [
      text(`${profile === "" ? "" : `profile ${profile} · `}version ${version} of the capability · `),
      code(textAt(view, "request_id")),
    ],
  ];
}

function libraries(effective: Members): string {
  const packages = PACKAGES.filter((name) => Object.hasOwn(effective, name));
  const told = packages.map((name) => `${name} ${textAt(effective, name)}`);
  return [...told, ...(own(effective, "libc") === undefined ? [] : [textAt(effective, "libc")])].join(", ");
}

function bundle(version: string, sha256: string): readonly Span[] {
  if (version === sha256) return [text(`runtime bundle ${version}`)];
  return [text(`runtime bundle ${version} `), digest(sha256)];
}
