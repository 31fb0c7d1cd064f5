/** A line that the grammar refuses ends in the line that was meant, in a question about one slot, or in neither. */

import { beforeAll, describe, expect, it } from "vitest";
import { createService, type Service, ServiceError } from "../src/index.js";
import { listDays, listNumbers } from "../src/advice/scan.js";

const SALES =
  "region,Order Date,revenue,units,shipped\nNorth,2024-01-31,1.5,2,2024-02-01\nSüd,2024-02-01,2.5,3,2024-02-02\n";
let service: Service;

beforeAll(async () => {
  service = createService();
  await service.connect(new TextEncoder().encode(SALES), { name: "sales", format: "csv" });
});

async function refuse(line: string): Promise<ServiceError> {
  const error: unknown = await service.resolve(line).catch((met: unknown) => met);
  if (!(error instanceof ServiceError)) throw new Error(`${line} was understood`);
  return error;
}

describe("a correction means what was typed", () => {
  it.each([
    ["SELECT region, AVG(revenue) FROM sales GROUP BY region", "avg revenue by region from sales"],
    ["SELECT COUNT(*) FROM sales WHERE units >= 2 OR region IS NULL", "count from sales where units >= 2 or region is null"], // prettier-ignore
    ["what is the average revenue per region?", "avg revenue by region"],
    ["Summe revenue nach region aus sales", "sum revenue by region from sales"],
    ["please sum units where region is sud", "sum units where region = 'Süd'"],
    ["quantile(revenue, 0.95) please", "percentile 95 of revenue"],
    ["sales.groupby('region')['revenue'].sum()", "sum revenue by region from sales"],
    ["smu revenue by regoin from sales", "sum revenue by region from sales"],
    ["top 5 region by revenue summe", undefined],
  ])("%s", async (line, meant) => {
    const error = await refuse(line);
    expect(error.details["write"]).toBe(meant);
    if (meant === undefined) return;
    expect(error.hint).toMatch(/^Did you mean: service\.ask\(["']/);
    expect((await service.resolve(meant)).status).toBe("ok");
  });
});

it("candidates differ in the slot that they ask about", async () => {
  const dates = await refuse("show the sum of revenue monthly");
  expect(dates.hint).toMatch(
    /^Which date is the month of\? service\.ask\('sum revenue by month of `Order Date`'\) \| /,
  );
  expect(dates.details["candidates"]).toEqual([
    "sum revenue by month of `Order Date`",
    "sum revenue by month of shipped",
  ]);
  const counted = await refuse("how many region are there");
  expect(counted.details["candidates"]).toEqual(["count_distinct region", "count region"]);
  const numbers = await refuse("please count where revenue > 1,500");
  expect(numbers.details["candidates"]).toEqual(["count where revenue > 1500", "count where revenue > 1.5"]);
  for (const error of [dates, counted, numbers]) expect(error.details).not.toHaveProperty("write");
});

it.each([
  ["sum revenue by region rounded to cents", "rounded"],
  ["revenue times units by region", "times"],
  ["please drop table sales", "drop"],
])("%s: what has no place in a question is named, and nothing is offered", async (line, word) => {
  const error = await refuse(line);
  expect(error.hint).toMatch(`\`${word}`);
  expect(error.hint).toMatch(/is not understood here\.$/);
  expect(error.details).not.toHaveProperty("write");
  expect(error.details).not.toHaveProperty("candidates");
});

it("nothing that a policy hides is in any line", async () => {
  const limited = createService({ policy: { allowedFields: { sales: ["region"] } } });
  await limited.connect(new TextEncoder().encode(SALES), { name: "sales", format: "csv" });
  const error: unknown = await limited.resolve("please sum revenu by region").catch((met: unknown) => met);
  expect(error).toBeInstanceOf(ServiceError);
  expect(JSON.stringify(error)).not.toContain("revenue");
});

it("numbers and days are read by their signs, or left open", () => {
  expect(["1.000,50", "1,500", "1'000", "1,5", "5%", "-3", "1,2,3"].map(listNumbers)).toEqual([
    ["1000.50"], ["1500", "1.500"], ["1000"], ["1.5"], ["0.05"], ["-3"], [],
  ]); // prettier-ignore
  expect(["1.2.2024", "1/2/2024", "13/2/2024", "2024-01-31"].map(listDays)).toEqual([
    ["2024-02-01"], ["2024-02-01", "2024-01-02"], ["2024-02-13"], ["2024-01-31"],
  ]); // prettier-ignore
});
