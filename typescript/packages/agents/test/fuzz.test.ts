/** Calls with generated inputs: none throws. As many as SERVICE_FUZZED_CALLS says; the long tail runs 10,000. */

import { expect, test } from "vitest";
import { z } from "zod";
import { TOOLS } from "../src/declared.js";
import { call, connectSales, RESTRICTED } from "./surroundings.js";

const CALLS = Number(process.env["SERVICE_FUZZED_CALLS"] ?? "1000");
const WORDS = [
  ...["sales", "region", "amount", "day", "secret", "count", "sum", "percentile", "median", "total", "", "__proto__"],
  ...[
    "constructor",
    "asc",
    "desc",
    "eq",
    "between",
    "in",
    "this_year",
    "2024-01-31",
    "0.1",
    "1e999",
    "a\u0000b",
    "\ud800",
  ],
  ...["'; DROP TABLE sales; --", "x".repeat(5_000), "sum amount by region", "where", "\u202e", "$year", "<script>"],
];
const KEYS = [
  ...["source_name", "aggregation", "metric", "percent", "measures", "group_by", "filter", "conditions", "time_filter"],
  ...[
    "having",
    "order_by",
    "order",
    "limit",
    "column",
    "op",
    "value",
    "values",
    "unit",
    "width",
    "any",
    "all",
    "period",
  ],
];

/** A generator of numbers from a seed: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function createMaker(random: () => number): {
  readonly value: (depth: number) => unknown;
  readonly spec: () => object;
} {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const scalar = (): unknown =>
    pick([
      null,
      undefined,
      true,
      NaN,
      -0,
      1.5,
      1e308,
      -1,
      2 ** 60,
      10n ** 30n,
      Symbol("x"),
      () => 1,
      new Date(NaN),
      pick(WORDS),
      pick(WORDS),
    ]);
  const object = (depth: number): object =>
    Object.fromEntries(
      Array.from({ length: Math.floor(random() * 5) }, () => [
        random() < 0.8 ? pick(KEYS) : pick(WORDS),
        value(depth + 1),
      ]),
    );
  const value = (depth: number): unknown => {
    if (depth > 5 || random() < 0.5) return scalar();
    if (random() < 0.3) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
    return random() < 0.03 ? hostile() : object(depth);
  };
  const hostile = (): object => {
    const cyclic: Record<string, unknown> = {};
    cyclic["filter"] = cyclic;
    const throwing = { get metric(): never { throw new Error("read"); }, toJSON(): never { throw new Error("written"); } }; // prettier-ignore
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    return pick([
      cyclic,
      throwing,
      revoked.proxy,
      Object.create(null) as object,
      nest(10_000),
      new Map(),
      new Uint8Array(9),
    ]);
  };
  /** Mostly a well-formed question, with a part of it replaced. */
  const spec = (): object => {
    const sound: Record<string, unknown> = {
      source_name: "sales",
      aggregation: pick(["sum", "avg", "count", "median", "percentile", "max"]),
      metric: pick(["amount", "region", "secret", undefined]),
      group_by: pick([undefined, ["region"], [{ column: "day", unit: "month" }], [{ column: "amount", width: "0.5" }]]),
      filter: pick([undefined, { conditions: [{ column: "amount", op: "gt", value: 0 }] }]),
      limit: pick([undefined, 1, 50]),
    };
    return random() < 0.3 ? sound : { ...sound, [pick(KEYS)]: value(1) };
  };
  return { value, spec };
}

function nest(depth: number): object {
  let inner: object = {};
  for (let at = 0; at < depth; at += 1) inner = { any: [inner] };
  return inner;
}

test(`${String(CALLS)} fuzzed calls never throw, and each result has its declared form`, async () => {
  const random = createRandom(20_261_123);
  const { value, spec } = createMaker(random);
  const { tools } = await connectSales(RESTRICTED);
  const schemas = TOOLS.map(({ name, result }) => [name, z.fromJSONSchema(result as never)] as const);
  const statuses = new Map<string, number>();
  for (let at = 0; at < CALLS; at += 1) {
    const [name, schema] = schemas[at % 3] ?? schemas[0] ?? [];
    if (name === undefined || schema === undefined) throw new Error("no tools");
    const result = await call(tools, name, random() < 0.7 ? spec() : value(0));
    expect(schema.safeParse(result).error).toBeUndefined();
    const text = JSON.stringify(result);
    expect(text.length).toBeLessThan(60_000);
    expect(text).not.toMatch(/\d+\.\d+\.\d+\.\d+|\.ts:\d+|node_modules|TypeError/);
    statuses.set(result.status, (statuses.get(result.status) ?? 0) + 1);
  }
  for (const status of ["ok", "needs_clarification", "rejected", "error"])
    expect(statuses.get(status)).toBeGreaterThan(CALLS / 100);
  expect([...statuses.values()].reduce((sum, each) => sum + each, 0)).toBe(CALLS);
});
