import { describe, expect, it } from "vitest";
import { ServiceError } from "../src/errors.js";
import { parseAsk } from "../src/query/ask-line.js";
import { hashSchema } from "../src/digests.js";
import { buildCatalog, parsePolicy, Policy } from "../src/query/policy.js";
import { describePlan, parseQuestion, resolveQuestion, writeRefusal } from "../src/query/question.js";
import { type Catalog, type SourceView } from "../src/source.js";
import { buildField } from "../src/values/columns.js";

const CLOCK = { today: "2024-02-29", moment: "2024-02-29T12:00:00+00:00", zone: "UTC" };

function source(name: string, columns: Readonly<Record<string, string>>): SourceView {
  const fields = Object.entries(columns).map(([column, physical]) => buildField(column, physical));
  return {
    name,
    fields: new Map(fields.map((field) => [field.name, field])),
    schemaRevision: hashSchema(fields),
    rowCount: 3,
    aliases: new Map([["pay", "salary"]]),
    isRestricted: false,
  };
}

const STAFF = source("staff", { region: "string", revenue: "float64", salary: "float64", hired: "date" });
const OPEN = buildCatalog([STAFF], new Policy());
const NARROW = buildCatalog([STAFF], parsePolicy({ allowedFields: { staff: ["region", "revenue"] } }));

function ask(question: unknown, catalog: Catalog = OPEN, variables = {}): ReturnType<typeof describePlan> {
  return describePlan(resolveQuestion(question, catalog, CLOCK, variables).resolution, 3);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return "no error";
}

describe("a policy", () => {
  it("answers of a denied column what it answers of one that does not exist", () => {
    const questions = [
      "sum NAME by region",
      "sum revenue by NAME",
      "count where NAME > 1",
      "sum revenue by region having max NAME > 1",
    ];
    for (const question of questions) {
      const [denied, unknown] = ["salary", "sapary"].map((name) => {
        const met = resolveQuestion(question.replace("NAME", name), NARROW, CLOCK);
        return JSON.stringify(describePlan(met.resolution)).replaceAll(name, "NAME");
      });
      expect(denied).toBe(unknown);
      expect(denied).toContain("policy_denied_field");
    }
  });

  it("names a denied column in no candidate, and hashes none", () => {
    expect(JSON.stringify(ask("sum salery", NARROW))).not.toContain("salary");
    expect(ask("sum pay", NARROW).rejection_reason).toBe("policy_denied_field");
    const visible = source("staff", { region: "string", revenue: "float64" });
    expect(NARROW.sources.get("staff")?.schemaRevision).toBe(visible.schemaRevision);
  });

  it("is narrowed and never widened", () => {
    const policy = parsePolicy({ allowedSources: ["a", "b"], allowedFunctions: ["stats.*"] });
    const narrowed = policy.narrow(
      parsePolicy({ allowedSources: ["b", "c"], allowedFunctions: ["stats.mean", "x.y"] }),
    );
    expect(narrowed.toJSON()).toEqual({ allowedSources: ["b"], allowedFunctions: ["stats.mean"] });
    expect(parsePolicy({ allowed_sources: ["b"] }).allowsSource("a")).toBe(false);
    expect(codeOf(() => parsePolicy({ allowed_sources: ["b"], allowedSources: ["a"] }))).toBe("invalid_intent");
    expect(codeOf(() => parsePolicy({ allowedSource: ["a"] }))).toBe("invalid_intent");
    expect(codeOf(() => parsePolicy({ allowedSources: "staff" }))).toBe("invalid_intent");
  });
});

describe("a hostile spec", () => {
  const pollution = JSON.parse(
    '{"aggregation": "count", "__proto__": {"metric": "revenue", "polluted": true}}',
  ) as unknown;
  const nested = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ any: [inner] }), {
    column: "region",
    op: "is_null",
  });
  const cases: readonly (readonly [string, unknown])[] = [
    ["invalid_intent", pollution],
    ["invalid_intent", Object.create({ aggregation: "count" })],
    ["invalid_intent", new Map([["aggregation", "count"]])],
    ["invalid_intent", { aggregation: "count", group_by: new Array(3) }],
    ["invalid_intent", { aggregation: "sum", metric: "\ud800" }],
    [
      "invalid_intent",
      { aggregation: "count", filter: { conditions: [{ column: "revenue", op: "eq", value: Infinity }] } },
    ],
    ["limit_exceeded", { aggregation: "count", filter: { conditions: [nested] } }],
    ["limit_exceeded", { aggregation: "count", group_by: new Array(1e9) }],
    ["limit_exceeded", { aggregation: "sum", metric: "x".repeat(2_000) }],
    ["limit_exceeded", "count ".repeat(2_000)],
    ["invalid_intent", null],
    ["invalid_intent", 42],
  ];

  it.each(cases)("is refused with %s", (code, spec) => {
    expect(codeOf(() => parseQuestion(spec))).toBe(code);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("is refused as a question where a value is none of its choices", () => {
    const met = ask({ aggregation: "averge", metric: "revenue", group_by: "region" });
    expect(met.candidates.map(({ ask: line }) => line)).toContain("avg revenue by region");
    for (const value of ["constructor", "__proto__"]) {
      expect(ask({ aggregation: value }).rejection_reason).toBe("unknown_aggregation");
      expect(ask({ aggregation: "count", order: value }).rejection_reason).toBe("unknown_order");
    }
  });

  it("does not find columns, sources or variables that objects inherit", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(ask(`sum ${name}`).status).toBe("rejected");
      expect(ask({ aggregation: "count", source_name: name }).status).toBe("rejected");
      expect(codeOf(() => ask(`count where region = $${name}`))).toBe("invalid_intent");
    }
  });
});

describe("a variable", () => {
  it("is a value of a condition, and noted", () => {
    const met = ask("count where region in $names and revenue > $least", OPEN, {
      names: ["North", "it's"],
      least: 2.5,
    });
    expect(met.plan?.["notes"]).toEqual({ $names: "('North', 'it''s')", $least: "2.5" });
    expect(met.plan_hash).toBe(ask("count where region in ('it''s', 'North') and revenue > 2.5").plan_hash);
  });

  it("is a moment in UTC where it is a Date", () => {
    const times = buildCatalog([source("log", { at: "datetime" })], new Policy());
    const met = ask("count where at >= $start", times, { start: new Date("2024-01-02T03:04:05.600Z") });
    expect(met.plan?.["filter"]).toEqual({
      conditions: [{ column: "at", op: "gte", value: "2024-01-02T03:04:05.600000" }],
    });
  });
});

describe("a question", () => {
  it("has one plan hash however it is written", () => {
    const spec = { aggregation: "sum", metric: "Revenue", group_by: ["region"], filter: { conditions: [] }, limit: 5 };
    expect(ask("top 5 region by total revenue").plan_hash).toBe(ask(spec).plan_hash);
    expect(parseAsk("sum revenue where hired during last_month").filter?.time_filter?.period).toBe("last_month");
  });

  it("is offered candidates that resolve, in a source of thousands of columns too", () => {
    const wide = source(
      "wide",
      Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`metric_${String(at)}`, "float64"])),
    );
    const catalog = buildCatalog([wide], new Policy());
    const met = ask("sum metrik_17, avg metrik_18 by metrik_19 where metrik_20 > 1", catalog);
    expect(met.status).toBe("needs_clarification");
    expect(met.candidates.length).toBeGreaterThan(0);
    for (const { ask: line } of met.candidates) expect(ask(line, catalog).status).toBe("ok");
  });

  it("has a refusal's hash without its sentence", () => {
    const { hash, resolution } = writeRefusal(resolveQuestion("sum region", OPEN, CLOCK));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(resolution).toContain('"rejection_reason":"type_mismatch"');
  });
});
