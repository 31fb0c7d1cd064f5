import { z } from "zod";
import { expect, test } from "vitest";
import { TOOLS } from "../src/declared.js";
import { call, connectSales, RESTRICTED, ROWS } from "./surroundings.js";

const SCHEMAS = new Map(TOOLS.map(({ name, result }) => [name, z.fromJSONSchema(result as never)]));

function check(name: "listSources" | "queryData" | "explainQuery", result: unknown): void {
  expect(SCHEMAS.get(name)?.safeParse(result).error).toBeUndefined();
}

test("an answer has exact texts, its hashes, what nulls became, and the id of its card", async () => {
  const { tools, outcomes } = await connectSales();
  const input = { source_name: "sales", aggregation: "sum", metric: "amount", group_by: ["region"] };
  const result = await call(tools, "queryData", input);
  check("queryData", result);
  const [outcome] = outcomes;
  expect(result).toMatchObject({
    status: "ok",
    columns: [
      { name: "region", type: "string" },
      { name: "amount", type: "number" },
      { name: "count", type: "number" },
    ],
    rows: [
      ["North", "0.75", "2"],
      ["South", "0.125", "1"],
      [null, null, "1"],
    ],
    row_count: 3,
    truncated: false,
    used_rows: 4,
    nulls: [{ column: "amount", rows: 1 }],
    ask: "sum amount by region from sales",
    result_hash: outcome?.data?.result_hash,
    plan_hash: outcome?.data?.plan_hash,
    card_id: outcome?.data?.query_id,
  });
  expect(result.text).toContain(`Card: ${outcome?.data?.query_id ?? "?"}.`);
});

test("a value that stands alone is in the text, and what was relative is told", async () => {
  const { tools } = await connectSales();
  const one = await call(tools, "queryData", { source_name: "sales", aggregation: "sum", metric: "amount" });
  expect(one.text).toContain("The value is 0.875.");
  const filter = { time_filter: { column: "day", period: "last_year" } };
  const result = await call(tools, "queryData", { source_name: "sales", aggregation: "count", filter });
  check("queryData", result);
  const year = new Date().getFullYear();
  expect(result.period).toMatchObject({
    period: "last_year",
    from: `${String(year - 1)}-01-01`,
    below: `${String(year)}-01-01`,
  });
  expect(result.text).toContain(`from ${String(year - 1)}-01-01 until before ${String(year)}-01-01`);
  check("explainQuery", await call(tools, "explainQuery", { source_name: "sales", aggregation: "count", filter }));
});

test("at most 50 rows are sent, with the count of all and how to narrow", async () => {
  const rows = Array.from({ length: 70 }, (_, at) => ({ name: `n${String(at)}`, amount: at }));
  const { tools } = await connectSales({}, rows);
  const input = { source_name: "sales", aggregation: "sum", metric: "amount", group_by: ["name"] };
  const result = await call(tools, "queryData", input);
  check("queryData", result);
  expect(result).toMatchObject({ row_count: 70, truncated: true });
  expect(result.rows).toHaveLength(50);
  expect(result.narrow).toContain("limit");
  expect(result.text).toContain("Only the first 50 rows are here; the result hash is of all 70.");
  const whole = await call(tools, "queryData", { ...input, limit: 50 });
  expect(whole).toMatchObject({ row_count: 50, truncated: false });
});

test("a reply is bounded: long cells are cut, long numbers are not shown, and rows end before it is too long", async () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({
    ...Object.fromEntries(
      Array.from({ length: 5 }, (__, column) => [`c${String(column)}`, `${String(at)}${"x".repeat(500)}`]),
    ),
    amount: 1,
  }));
  const { tools } = await connectSales({}, rows);
  const group_by = ["c0", "c1", "c2", "c3", "c4"];
  const result = await call(tools, "queryData", { source_name: "sales", aggregation: "count", group_by });
  check("queryData", result);
  expect(JSON.stringify(result).length).toBeLessThan(30_000);
  expect(result.truncated).toBe(true);
  expect(result.rows?.[0]?.[0]).toHaveLength(200);
  expect(result.altered_cells).toBe((result.rows?.length ?? 0) * 5);
});

test("candidates are questions that run as they stand", async () => {
  const { tools } = await connectSales();
  const result = await call(tools, "queryData", { source_name: "sales", metric: "amount", aggregation: "averge" });
  check("queryData", result);
  const ways = [...(result.candidates ?? [])];
  const missing = await call(tools, "explainQuery", { source_name: "sales", metric: "amount" });
  check("explainQuery", missing);
  ways.push(...(missing.candidates ?? []));
  expect(ways.length).toBeGreaterThan(5);
  for (const { question } of ways) expect((await call(tools, "queryData", question)).status).toBe("ok");
});

test("sources are listed with the fields that may be asked, one with all of them", async () => {
  const { tools, service } = await connectSales(RESTRICTED);
  const listed = await call(tools, "listSources", {});
  check("listSources", listed);
  expect(listed.sources).toEqual([
    {
      name: "sales",
      row_count: 4,
      field_count: 3,
      fields: [
        { name: "region", type: "string" },
        { name: "amount", type: "number" },
        { name: "day", type: "date" },
      ],
    },
  ]);
  expect(await call(tools, "listSources", { source_name: "sales" })).toMatchObject({ source_count: 1 });
  for (const source_name of ["hidden", "nowhere"])
    expect(await call(tools, "listSources", { source_name })).toMatchObject({ code: "source_not_available" });
  expect(service.sources).toEqual(["sales"]);
  const wide = await connectSales({}, [
    Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${String(at)}`, at])),
  ]);
  const some = await call(wide.tools, "listSources", {});
  expect(some.sources?.[0]?.fields).toHaveLength(30);
  expect(some).toMatchObject({ truncated: true });
  const more = await call(wide.tools, "listSources", { source_name: "sales" });
  expect(more.sources?.[0]).toMatchObject({ field_count: 300 });
  expect(more.sources?.[0]?.fields).toHaveLength(200);
});

test("without a source the model is told to ask for one", async () => {
  const { createService } = await import("@service-nb/client");
  const { createTools } = await import("../src/index.js");
  const tools = createTools(createService());
  const listed = await call(tools, "listSources", {});
  check("listSources", listed);
  expect(listed.text).toContain("Tell the user to connect one");
  const asked = await call(tools, "queryData", { aggregation: "count" });
  expect(asked).toMatchObject({ status: "rejected", code: "no_source" });
});

test("tools are not made over what is no client, nor with an option that is none", async () => {
  const { createService } = await import("@service-nb/client");
  const { createTools } = await import("../src/index.js");
  const make = createTools as (...given: unknown[]) => unknown;
  const service = createService();
  for (const wrong of [[], [null], [Promise.resolve(service)], [{ ask: 1 }]])
    expect(() => make(...wrong)).toThrow("createTools takes a client first");
  for (const wrong of [{ onOutcom: () => 0 }, { onOutcome: 3 }, "sales", null])
    expect(() => make(service, wrong)).toThrow("createTools takes one option");
  expect(() => make(service, { onOutcome: undefined })).not.toThrow();
});

test("a denied column cannot be told from one that does not exist", async () => {
  const absent = ROWS.map(({ region, amount, day }) => ({ region, amount, day }));
  const questions = (column: string): readonly object[] => [
    { aggregation: "sum", metric: column },
    { aggregation: "count", group_by: [column] },
    { aggregation: "count", filter: { conditions: [{ column, op: "gt", value: 5 }] } },
    {
      aggregation: "count",
      filter: {
        conditions: [
          {
            any: [
              { column, op: "is_null" },
              { column: "amount", op: "gt", value: 1 },
            ],
          },
        ],
      },
    },
    { aggregation: "count", filter: { time_filter: { column, period: "this_year" } } },
    { aggregation: "count", group_by: ["region"], order_by: column },
    {
      aggregation: "count",
      group_by: ["region"],
      having: { conditions: [{ aggregation: "max", metric: column, op: "gt", value: 1 }] },
    },
    {
      measures: [
        { aggregation: "sum", metric: "amount" },
        { aggregation: "sum", metric: column },
      ],
    },
    { aggregation: "summ", metric: column },
    { metric: column },
  ];
  const worlds = [
    [await connectSales(RESTRICTED), "secret"],
    [await connectSales(RESTRICTED), "zzzzzz"],
    [await connectSales(RESTRICTED, absent), "secret"],
  ] as const;
  const told: string[] = [];
  for (const [{ tools }, column] of worlds) {
    const results: unknown[] = [];
    for (const question of questions(column))
      for (const name of ["queryData", "explainQuery"] as const) {
        const result = await call(tools, name, { source_name: "sales", ...question });
        expect(result.status).not.toBe("ok");
        results.push({ ...result, refusal_hash: "", card_id: "", text: result.text.replace(/[0-9a-f]{16,64}/g, "#") });
      }
    told.push(JSON.stringify(results).replaceAll(column, "COLUMN"));
  }
  expect(told[1]).toBe(told[0]);
  expect(told[2]).toBe(told[0]);
  expect(told[0]).not.toMatch(/policy|allow|denied/i);
});
