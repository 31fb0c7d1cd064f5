import { describe, expect, it } from "vitest";
import { cases } from "../../../../tests/vectors.js";
import type { Table } from "../../src/blocks.js";
import { tableOfRows } from "../../src/compose/query.js";
import { plotOf } from "../../src/chart/data.js";
import { partOf } from "../../src/chart/heading.js";
import { nameOf, summaryOf } from "../../src/chart/summary.js";

interface Case {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly role: "key" | "metric" | "count";
  }[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly row_count: number;
  readonly chart: unknown;
}

const say = (text: string): string => text;

/** The chart of a table as the vectors have it, which every language shares. */
function chartOf(table: Table): unknown {
  const plot = plotOf(table);
  if (plot === null) return null;
  return {
    kind: plot.kind,
    metric: plot.title.metric,
    key: plot.title.key,
    groups: plot.groups.map(({ label, marks }) => ({
      label,
      marks: marks.map(({ label: name, shown, exact }) => ({ label: name, shown, exact })),
    })),
    heading: partOf(plot, say),
    alt: `${nameOf(plot, say)}. ${summaryOf(plot, say)}`.replace(" The card has every value.", ""),
  };
}

describe("the vectors of charts", () => {
  it.each(cases<Case>("charts.json"))("$name", ({ columns, rows, row_count, chart }) => {
    expect(chartOf(tableOfRows(columns, rows, row_count))).toEqual(chart);
  });
});
