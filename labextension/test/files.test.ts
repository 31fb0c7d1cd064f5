import { describe, expect, it } from "vitest";
import { fileLine, isDataFile } from "../src/files.js";

describe("a file that is connected from the file browser", () => {
  it.each([
    ["sales.csv", "a.ipynb", "%service_connect sales sales.csv"],
    ["data/sales.csv", "a.ipynb", "%service_connect sales data/sales.csv"],
    ["data/sales.csv", "work/deep/a.ipynb", "%service_connect sales ../../data/sales.csv"],
    ["work/sales.csv", "work/a.ipynb", "%service_connect sales sales.csv"],
    ["Umsatz 2024 (neu).xlsx", "a.ipynb", '%service_connect umsatz_2024_neu "Umsatz 2024 (neu).xlsx"'],
    ['a"b.csv', "a.ipynb", '%service_connect a_b "a""b.csv"'],
    ["2024.parquet", "a.ipynb", "%service_connect source_2024 2024.parquet"],
    ["---.json", "a.ipynb", '%service_connect source "---.json"'],
    ["$x.tsv", "a.ipynb", '%service_connect x "$x.tsv"'],
    ["~root.csv", "a.ipynb", "%service_connect root ./~root.csv"],
    ["a;b#c.db", "a.ipynb", '%service_connect a_b_c "a;b#c.db"'],
    ["日付.ndjson", "a.ipynb", "%service_connect 日付 日付.ndjson"],
  ])("%s beside %s", (path, notebook, line) => {
    expect(fileLine(path, notebook)).toBe(line);
  });

  it("is known by its ending", () => {
    const names = ["a.csv", "A.CSV", "a.tsv", "a.parquet", "a.xlsx", "a.json", "a.ndjson", "a.sqlite", "a.db"];
    expect(names.every(isDataFile)).toBe(true);
    expect(["a.txt", "csv", "a.csv.exe", "a.ipynb", ""].some(isDataFile)).toBe(false);
  });
});
