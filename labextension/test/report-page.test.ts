import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReportJson } from "../src/report/json.js";
import { reportPage } from "../src/report/page.js";

interface Case {
  readonly name: string;
  readonly report: ReportJson;
  readonly sha256: string;
}

const FILE = join(import.meta.dirname, "../../tests/vectors/reports.json");
const { cases } = JSON.parse(readFileSync(FILE, "utf-8")) as { cases: Case[] };

describe("the page of a report", () => {
  it.each(cases)("is the one that the command writes, byte for byte: $name", ({ report, sha256 }) => {
    expect(createHash("sha256").update(reportPage(report)).digest("hex")).toBe(sha256);
  });
});
