import { type AnswerProvenance, canonicalText, decodeText, isObject, ShapeError } from "@service-nb/records";
import { answerLeaves, type Row } from "./answer.js";
import { digest } from "../digest.js";
import { strictly } from "../texts.js";
import { type Derived, Differs, expectSame } from "./comparing.js";
import { compareValues, exactText, isHeld, typeOfHeld } from "./order.js";
import { nameWord, separated } from "./words.js";

type Plan = ReturnType<typeof decodeText.inspection>;
type Rows = readonly Readonly<Record<string, unknown>>[];
type Named = readonly { readonly name: unknown; readonly type: unknown }[];

const column = (name: string, type: string, physical: string, role: string) => ({ name, type, physical, role });
const PROFILE = [
  ...["column", "type", "physical"].map((name) => column(name, "string", "string", "key")),
  ...["rows", "nulls", "distinct"].map((name) => column(name, "number", "int64", "count")),
  ...["minimum", "maximum"].map((name) => column(name, "string", "string", "key")),
  column("distribution", "string", "counts", "key"),
];

const OWN_ORDER = "in the order of the source";
const SORTED = "in ascending order of all columns, nulls last";

/** Whether the text of a plan shows a source, and asks nothing of it. */
export function isInspection(plan: unknown): boolean {
  return isObject(plan) && Object.hasOwn(plan, "inspect");
}

/**
 * What the view of a preview or a profile must be.
 *
 * @throws {ShapeError | Differs}
 */
export function deriveInspection(texts: Readonly<Record<string, unknown>>): Derived {
  const { plan, how } = { plan: decodeText.inspection(texts["plan"]), how: decodeText.answer(texts["provenance"]) };
  const [source, ...more] = how.sources;
  if (source === undefined || more.length > 0) throw new ShapeError("sources", "a list of one");
  if (how.used_rows !== undefined || how.dropped !== undefined) throw new ShapeError("provenance", "of no question");
  const isPreview = plan.inspect === "preview";
  if (isPreview !== (plan.limit !== undefined)) throw new ShapeError("plan", "one that limits the rows that it shows");
  const isLive = source.content["algorithm"] === "live";
  if ((isPreview && isLive) !== (plan.order !== undefined)) throw new Differs("order", "that of the source", "another");
  expectSame("schema of the source", plan.schema_revision, source.schema_revision);
  const due = isPreview ? how.columns.map(({ name, physical }) => previewed(name, physical)) : PROFILE;
  expectSame("columns", due, how.columns);
  const hasRows = Object.hasOwn(texts, "result");
  const rows = hasRows ? rowsOf(texts["result"], plan, how, isLive ? undefined : source.row_count) : [];
  if (isPreview) requireSchema(how.columns, plan);
  else if (hasRows)
    requireSchema(
      rows.map((row) => ({ name: row["column"], type: row["type"] })),
      plan,
    );
  const shown: readonly Row[] = rows.map((row) => how.columns.map(({ name }) => exactText(row[name])));
  return {
    hasRows,
    leaves: {
      ...answerLeaves(how, source, shown),
      ...wordsOf(plan, source.name, isLive ? undefined : source.row_count),
    },
  };
}

function previewed(name: string, physical: string) {
  return column(name, typeOfHeld(physical) ?? "", physical, "key");
}

function requireSchema(fields: Named, { schema_revision: revision }: Plan): void {
  const schema = canonicalText(fields.map(({ name, type }) => ({ name, type })));
  expectSame("schema of the columns", revision, digest("service:schema:v1", schema));
}

function wordsOf({ inspect, limit, order, schema_revision: revision }: Plan, name: string, total: number | undefined) {
  const size = total === undefined ? "" : `${separated(total)} rows, `;
  const read = `Read ${name} (${size}schema ${revision.slice(0, 12)})`;
  const line = `%service_${inspect} ${nameWord(name)}`;
  if (limit === undefined) {
    return {
      question: `Profile of ${name}`,
      ask: line,
      plan: [
        read,
        "Count the nulls and the different values of each column, and find its extremes",
        "Count the values in bins between round numbers or dates; of text and truth the most frequent values",
      ],
    };
  }
  const first = separated(limit);
  return {
    question: `First ${first} rows of ${name}`,
    ask: `${line} --rows ${String(limit)}`,
    plan: [read, `Keep the first ${first} rows ${order === undefined ? OWN_ORDER : SORTED}`],
  };
}

/** The rows of a result, which has what its plan and its source give; `total` is undefined of a live source. */
function rowsOf(
  result: unknown,
  { limit, order }: Plan,
  { columns, row_count: count }: AnswerProvenance,
  total: number | undefined,
): Rows {
  if (!Array.isArray(result)) throw new ShapeError("result", "a list of rows");
  const rows = result.map((row: unknown) => {
    if (!isObject(row) || Object.keys(row).length !== columns.length) throw new ShapeError("result", "rows");
    for (const { name, physical } of columns) {
      if (!Object.hasOwn(row, name) || !isHeld(row[name], physical))
        throw new ShapeError(`result: ${name}`, "a value of its column");
    }
    return row;
  });
  expectSame("row_count", rows.length, count);
  if (limit !== undefined) {
    expectSame("rows of the plan", Math.min(limit, total ?? rows.length), rows.length);
    if (order !== undefined) requireOrder(rows, columns);
  } else if (!rows.every((row) => isCounted(row, total ?? rows[0]?.["rows"])))
    throw new Differs("counts", "of the rows", "others");
  return rows;
}

/** The rows are in the order of each column in turn, ascending. */
function requireOrder(rows: Rows, columns: AnswerProvenance["columns"]): void {
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (before === undefined) continue;
    const sides = columns.map(({ name, type }) =>
      compareValues(exactText(before[name]), exactText(row[name]), type, 1),
    );
    if ((sides.find((side) => side !== 0) ?? 0) > 0) throw new Differs("order", "that of the plan", "another");
  }
}

/** Whether the counts of a profiled column fit the rows: its bins, or its frequent values, are some of them. */
function isCounted({ rows, nulls, distinct, distribution }: Rows[number], total: unknown): boolean {
  const counts: unknown = typeof distribution === "string" ? strictly(distribution) : undefined;
  if (!isWhole(rows) || !isWhole(nulls) || !isWhole(distinct) || rows !== total || !Array.isArray(counts)) return false;
  let sum = 0;
  for (const each of counts as readonly unknown[]) {
    if (!Array.isArray(each) || (each.length !== 2 && each.length !== 3)) return false;
    const [count, texts] = [each.at(-1) as unknown, each.slice(0, -1) as readonly unknown[]];
    if (!isWhole(count) || !texts.every((text) => typeof text === "string")) return false;
    sum += count;
  }
  return nulls + Math.max(distinct, sum) <= rows;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
