import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { verifyCard } from "@service-nb/verify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createService as createCore } from "../src/core.js";
import { createService, type Service, ServiceError, type ServiceSource, type SourceInput } from "../src/index.js";

const ROWS = [
  { region: "North", amount: 0.1, secret: 7 },
  { region: "North", amount: 0.2, secret: 8 },
  { region: "South", amount: 0.3, secret: 9 },
  { region: null, amount: null, secret: 1 },
];
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "client-"));
  const { privateKey } = generateKeyPairSync("ed25519");
  process.env["SERVICE_DEVICE_KEY"] = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
});
afterAll(() => {
  delete process.env["SERVICE_DEVICE_KEY"];
  rmSync(folder, { recursive: true });
});

async function codeOf(action: Promise<unknown>): Promise<string> {
  try {
    await action;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return "nothing thrown";
}

async function connectRows(service: Service): Promise<ServiceSource> {
  return service.connect(ROWS, { name: "sales" });
}

test("a question is answered with exact values, steps, hashes and a signed card that verifies", async () => {
  const service = createService();
  await connectRows(service);
  const { status, data, card } = await service.ask("sum amount by region from sales");
  expect(status).toBe("ok");
  expect(data?.result).toEqual([
    { region: "North", amount: 0.30000000000000004, count: 2 },
    { region: "South", amount: 0.3, count: 1 },
    { region: null, amount: null, count: 1 },
  ]);
  const key = String(card.receipt?.["public_key"]);
  expect(verifyCard(card, { keys: [key] }).status).toBe("verified");
  const altered = { ...card, view: { ...card.view, rows: [["North", "1", "2"]] } };
  expect(verifyCard(altered, { keys: [key] }).status).toBe("altered");
  for (let more = 0; more < 5; more += 1) {
    const next = await service.ask("count by region");
    expect(verifyCard(next.card, { keys: [key] }).status).toBe("verified");
  }
});

test("a question that cannot be answered names what could be meant, on a card", async () => {
  const service = createService();
  await connectRows(service);
  const outcome = await service.ask({ aggregation: "sum", metric: "amout" });
  expect(outcome.status).toBe("needs_clarification");
  expect(outcome.resolution.candidates.map(({ name }) => name)).toContain("amount");
  expect(verifyCard(outcome.card, {}).status).toBe("unaltered");
  // @ts-expect-error a question has no such key
  expect(await codeOf(service.ask({ aggregation: "sum", metrics: "amount" }))).toBe("invalid_intent");
});

test("a plan is resolved, stored, run and checked; an altered one is refused", async () => {
  const service = createService();
  await connectRows(service);
  const resolved = await service.resolve("avg amount by region");
  expect(resolved.status).toBe("ok");
  const stored = JSON.parse(JSON.stringify(resolved.plan)) as Record<string, unknown>;
  const [asked, run] = [await service.ask("avg amount by region"), await service.queryWithMetadata(stored)];
  expect(run.result_hash).toBe(asked.data?.result_hash);
  expect(await service.query(resolved)).toEqual(run.result);
  expect(await service.verify(stored)).toMatchObject({ valid: true });
  const verdict = await service.verify({ ...stored, aggregation: "sum" });
  expect(verdict.valid).toBe(false);
  expect(verdict.checks.find(({ status }) => status === "failed")).toMatchObject({ check: "plan_hash" });
  expect(await codeOf(service.query({ ...stored, schema_revision: "0".repeat(64) }))).toBe("schema_revision_mismatch");
  expect(await codeOf(service.query({ sql: "drop table" }))).toBe("plan_invalid");
});

describe("policy", () => {
  const policy = { allowedSources: ["sales"], allowedFields: { sales: ["region", "amount"] } };

  test("a hidden field is in no description, candidate, error, hash or card", async () => {
    const service = createService({ policy });
    const source = await connectRows(service);
    expect(source.fields).toEqual(["region", "amount"]);
    expect(source.content).toMatchObject({ algorithm: "hidden", sha256: null });
    const known = await service.ask("sum secret");
    const unknown = await service.ask("sum nothing");
    expect(JSON.stringify(known.resolution).replaceAll("secret", "nothing")).toBe(JSON.stringify(unknown.resolution));
    expect(known.resolution.rejection_reason).toBe("policy_denied_field");
    expect(JSON.stringify(await service.ask("sum amount by region"))).not.toContain("secret");
    const open = createService();
    await connectRows(open);
    const { plan } = await open.resolve("sum secret");
    expect(await codeOf(service.query(plan))).toBe("policy_denied_field");
    expect(
      await codeOf(service.connect([{ secret: 1, amount: {} }], { name: "sales", types: { secret: "date" } })),
    ).toBe("policy_denied_field");
  });

  test("a source that is not allowed is not connected", async () => {
    expect(await codeOf(createService({ policy }).connect(ROWS, { name: "costs" }))).toBe("policy_denied_source");
    expect(() => createService({ policy: { allowedSource: [] } as never })).toThrow(ServiceError);
    expect(() => createService({ polcy: {} } as never)).toThrow(ServiceError);
  });
});

describe("sources", () => {
  test("a name is bound once: to the same data again, never to others", async () => {
    const service = createService();
    const first = await connectRows(service);
    expect((await connectRows(service)).source_id).toBe(first.source_id);
    expect(await codeOf(service.connect([{ region: "x" }], { name: "sales" }))).toBe("source_already_registered");
  });

  test("a file that has changed is not asked any more", async () => {
    const path = join(folder, "sales.csv");
    writeFileSync(path, "region,amount\nNorth,1.50\nSouth,2.25\n");
    const service = createService();
    expect((await service.connect(path)).name).toBe("sales");
    expect((await service.ask("sum amount")).data?.result).toEqual([{ amount: "3.75", count: 2 }]);
    writeFileSync(path, "region,amount\nNorth,1.50\n");
    expect(await codeOf(service.ask("sum amount"))).toBe("source_changed");
    expect(await codeOf(service.connect(join(folder, "none.csv")))).toBe("source_not_found");
    expect(await codeOf(service.connect(join(folder, "book.xlsx")))).toBe("unsupported_source");
    expect(await codeOf(service.connect("/dev/zero", { format: "csv" }))).toBe("source_unreadable");
  });

  test("a table of SQLite is read, and nothing is written", async () => {
    const path = join(folder, "sales.db");
    const database = new DatabaseSync(path);
    database.exec(`create table "sa""les" (region text, amount real, n integer);
      insert into "sa""les" values ('North', 0.5, 9007199254740993), ('South', null, 2); create table b (x blob);
      insert into b values (x'00')`);
    database.close();
    const service = createService();
    const source = await service.connect({ provider: "sqlite", path, table: 'sa"les' }, { name: "sales" });
    expect(source.typed_fields.map(({ physical }) => physical)).toEqual(["string", "float64", "int64"]);
    expect((await service.ask("sum n")).data?.result).toEqual([{ n: "9007199254740995", count: 2 }]);
    expect(await codeOf(service.connect({ provider: "sqlite", path, table: "none" }))).toBe("source_not_found");
    expect(await codeOf(service.connect({ provider: "sqlite", path, table: "b" }))).toBe("source_malformed");
    expect(await codeOf(service.connect({ provider: "sqlite", path, sql: "x" }, { name: "s" }))).toBe("invalid_intent");
    const noDatabase = join(folder, "sales.csv");
    writeFileSync(noDatabase, "x".repeat(2_000));
    expect(await codeOf(service.connect({ provider: "sqlite", path: noDatabase, table: "t" }))).toBe(
      "source_malformed",
    );
  });

  test.each([
    [undefined, "Pass a path"],
    [7, "Pass a path"],
    [Promise.resolve(ROWS), "await"],
    [new URL("https://example.org/sales.csv"), "Fetch it"],
    [new URL("file://other/sales.csv"), "Fetch it"],
    [new ArrayBuffer(8), "new Uint8Array(buffer)"],
    [new Blob(["a\n1"]), "arrayBuffer()"],
    [new ReadableStream(), "bytes"],
  ])("what holds no data by itself is refused with what to write instead: %s", async (input, hint) => {
    for (const options of input === undefined ? [{}] : [{}, { name: "t" }])
      await expect(createService().connect(input as SourceInput, options)).rejects.toMatchObject({
        name: "ServiceError",
        hint: expect.stringContaining(hint) as string,
      });
  });

  test("a name as the second argument is answered with where it belongs", async () => {
    const wrong: unknown[] = ["sales", null, 7];
    for (const second of wrong)
      await expect(createService().connect(ROWS, second as object)).rejects.toMatchObject({ code: "invalid_intent" });
    await expect(createService().connect(ROWS, "sales" as unknown as object)).rejects.toMatchObject({
      hint: 'Write: connect(source, { name: "sales" })',
    });
    expect(() => createService("sales" as unknown as object)).toThrow("createService takes an object of options.");
  });

  test("the core reads bytes and objects where there are no files and no keys", async () => {
    const service = createCore();
    await service.connect(new TextEncoder().encode('[{"x": 1}, {"x": 2}]'), { name: "t", format: "json" });
    const { data, card } = await service.ask("sum x");
    expect(data?.result).toEqual([{ x: 3, count: 2 }]);
    expect(verifyCard(card, {}).status).toBe("consistent");
    expect(await codeOf(service.connect("data.csv"))).toBe("unsupported_source");
    expect(await codeOf(service.connect({ provider: "sqlite", path: "x", table: "y" }))).toBe("driver_missing");
    // @ts-expect-error a number is no source
    expect(await codeOf(service.connect(7, { name: "seven" }))).toBe("unsupported_source");
  });
});

test("sources and the contract are looked up by name, as the policy allows", async () => {
  const service = createService({ policy: { allowedFunctions: ["finance.*"] } });
  await connectRows(service);
  expect(service.source("sales")).toEqual(service.listSources()[0]);
  expect(() => service.source("none")).toThrow("No source is named 'none'.");
  const names = await service.capabilities();
  expect(names).toContain("finance.npv");
  expect(names.every((name) => name.startsWith("finance."))).toBe(true);
  const { module, function: called, tier } = await service.capability("finance.npv");
  expect([module, called, tier]).toEqual(["finance", "npv", "certified"]);
  expect(await codeOf(service.capability("stats.mean"))).toBe("policy_denied_function");
  const unknown: unknown = await service.capability("finance.npw").catch((error: unknown) => error);
  expect(unknown).toMatchObject({ code: "unsupported_operation" });
  expect((unknown as ServiceError).nearestMatches).toContain("finance.npv");
  const [hit] = await service.searchCapabilities("net present value", 1);
  expect([hit?.module, hit?.function]).toEqual(["finance", "npv"]);
  expect(await service.contractHash()).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await codeOf(createCore().capabilities())).toBe("compute_runtime_unavailable");
});

test("a file is connected by its address", async () => {
  const path = join(folder, "by address.csv");
  writeFileSync(path, "region,amount\nNorth,1\n");
  const source = await createService().connect(pathToFileURL(path), { name: "sales" });
  expect(source.row_count).toBe(1);
});

test("a descriptor or an address that is given as data is refused, and nothing of it is told", async () => {
  const secret = "hunter2-correct-horse";
  const descriptor = { type: "postgres", host: "db.example", user: "ann", password: secret };
  const url = `postgresql://ann:${secret}@db.example/shop`;
  const path = join(folder, "shop.json");
  writeFileSync(path, JSON.stringify(descriptor));
  const given: SourceInput[] = [
    ...[descriptor, [descriptor], { records: [descriptor] }, { shop: descriptor }, [descriptor, descriptor]],
    ...[{ connection_string: url }, { name: "shop", where: url }, { accountName: "shop", accountKey: secret }],
    ...[[{ config: JSON.stringify(descriptor) }], { provider: "postgres", password: secret }, { config: [descriptor] }],
    ...[url, `host=db;password=${secret}`, JSON.stringify(descriptor), `ann/${secret}@db`, path],
  ];
  for (const each of given) {
    const service = createService();
    const error: unknown = await service.connect(each, { name: "shop" }).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ code: "unsupported_source" });
    expect(JSON.stringify(error)).not.toContain(secret);
    expect(service.sources).toEqual([]);
  }
  const columns = { host: ["db1", "db2"], password: ["x", "y"] };
  expect((await createService().connect(columns, { name: "hosts" })).row_count).toBe(2);
});

test("a file, or a table, is not connected under a name for which the policy lists other fields", async () => {
  const path = join(folder, "people.csv");
  writeFileSync(path, "name,salary\nAda,1\n");
  symlinkSync(path, join(folder, "linked.csv"));
  const policy = { allowedFields: { people: ["name"], staff: ["name"] } };
  const service = createService({ policy });
  expect(await codeOf(service.connect(path, { name: "other" }))).toBe("policy_denied_source");
  expect(await codeOf(service.connect(join(folder, "linked.csv")))).toBe("policy_denied_source");
  const known = createService({ policy: { allowedFields: { staff: ["name"] } } });
  await known.connect(path);
  expect(await codeOf(known.connect(path, { name: "staff" }))).toBe("policy_denied_source");
  const other = createService({ policy });
  expect((await other.connect(path)).fields).toEqual(["name"]);
  expect((await other.connect(path, { name: "staff" })).fields).toEqual(["name"]);
  expect(await codeOf(other.connect(join(folder, "linked.csv")))).toBe("policy_denied_source");
  const both = await Promise.all([
    codeOf(createService({ policy }).connect(path, { name: "x" })),
    codeOf(other.connect(path)),
  ]);
  expect(both).toEqual(["policy_denied_source", "nothing thrown"]);
});
