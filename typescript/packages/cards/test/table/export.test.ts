import { decodeCard } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import { compose } from "../../src/index.js";
import { csvText, markdownText } from "../../src/export.js";
import { guarded, printable } from "../../src/table/guard.js";
import { escape, escapeLine } from "../../src/table/markdown.js";
import { cardNamed } from "../vectors.js";
import { CARRIERS, HOSTILE, tableOf } from "./tables.js";

/** A reader of RFC 4180 that knows nothing of the writer. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (found === null) throw new Error(`No field at ${String(at)}: ${text.slice(at, at + 20)}`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === "\r\n") {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

describe("CSV", () => {
  it("has numbers bare with all their digits, texts in quotes, and null as nothing", () => {
    expect(csvText(CARRIERS).split("\r\n")).toEqual([
      '"carrier","delay","flights"',
      '"United",205589,58665',
      '"JetBlue",511194.5,54635',
      '"ExpressJet",-0.0,54173',
      '"Delta",,48110',
      '"Alaska",-7041,714',
      '"Hawaiian",1e300,342',
      '"SkyWest",NaN,32',
      "",
    ]);
  });

  it("has truth values bare, and a lone null as an empty text", () => {
    const table = tableOf([["is", "boolean", "other"]], [["true"], [null], ["=1"]]);
    expect(csvText(table)).toBe('"is"\r\ntrue\r\n""\r\n"\'=1"\r\n');
  });

  it("names columns as the result does, whatever is shown of a name", () => {
    const name = `-${"long ".repeat(40)}name`;
    const card = cardNamed("one group");
    const view = card["view"] as { columns: { name: string }[] };
    const [key, ...others] = view.columns;
    const changed = { ...card, view: { ...view, columns: [{ ...key, name }, ...others] } };
    const table = compose(decodeCard(changed)).find((block) => block.block === "table");
    if (table === undefined) throw new Error("There is no table.");
    expect(table.heads[0]?.text).toMatch(/^'-long .*…$/);
    expect(parseCsv(csvText(table))[0]?.[0]).toBe(`'${name}`); // by the guard of spreadsheets
    expect(markdownText(table)).toContain(`| ${escape(name)} |`);
  });

  it("guards what claims to be a number and is none", () => {
    expect(csvText(tableOf([["n", "number", "metric"]], [["=1+1"], ["-1+1"], ["1e5"]]))).toBe(
      '"n"\r\n"\'=1+1"\r\n"\'-1+1"\r\n1e5\r\n',
    );
  });

  it.each(HOSTILE.map((text) => [text]))("is read back cell by cell, and no cell begins a formula: %j", (text) => {
    const table = tableOf([[text, "string", "key"]], [[text], [`x${text}`]]);
    const rows = parseCsv(csvText(table));
    const expected = [text, text, `x${text}`].map((cell) => [printable(guarded(cell))]);
    expect(rows).toEqual(expected);
    for (const [cell = ""] of rows) expect(cell).not.toMatch(/(^|[;\t\r\n])[\s\u200b]*[=+\-@\uff1d\u2212]/);
  });
});

describe("the guard of spreadsheets, as Python has it", () => {
  it.each([
    ["=1", "'=1"],
    ["a=1", "a=1"],
    [" -1", "' -1"],
    ["'=1", "''=1"],
    ["\u200b@x", "'\u200b@x"],
    ["\uff0b1", "'\uff0b1"],
    ["\ufe631", "'\ufe631"],
    ["a;=b", "a;'=b"],
    ["a\n\n+b", "a\n\n'+b"],
    ["\tplain", "'\tplain"],
    ["\0plain", "'\0plain"],
    ["  plain", "  plain"],
    ["", ""],
  ])("%j becomes %j", (text, expected) => {
    expect(guarded(text)).toBe(expected);
  });

  it("pictures control characters", () => {
    expect(printable("a\0b\x1bc\x7fd\x85e\ud800f\ufffeg\t\r\n😀")).toBe("a␀b␛c␡d\ufffde\ufffdf\ufffdg\t\r\n😀");
  });
});

describe("Markdown", () => {
  it("has exact texts, the alignment and the caption", () => {
    expect(
      markdownText(
        tableOf(
          [
            ["a_b", "string", "key"],
            ["n", "number", "metric"],
          ],
          [
            ["x", "1234567.50"],
            ["y", null],
          ],
        ),
      ),
    ).toBe("| a_b | n |\n|:---|---:|\n| x | 1234567.50 |\n| y | — |\n\n2 rows\n");
  });

  it.each(HOSTILE.map((text) => [text]))("holds nothing that is markup, and a row per row: %j", (text) => {
    const [heads, , ...rows] = markdownText(tableOf([[text, "string", "key"]], [[text]])).split("\n");
    for (const line of [heads, rows[0]]) {
      const inner = (line ?? "").slice(2, -2).replaceAll(/<span>(&#[0-9]+;)<\/span>/g, "$1");
      expect(inner).not.toMatch(/[`*{}[\]!|<>~^$\\@]|:\/\/|www\./);
      expect(inner.replaceAll(/&#[0-9]+;/g, "")).not.toMatch(/[&#]/);
    }
    expect(rows).toHaveLength(4);
  });

  it.each([
    ["<b>", "&#60;b&#62;"],
    ["a_b _c_", "a_b &#95;c&#95;"],
    ["$x$", "<span>&#36;</span>x<span>&#36;</span>"],
    ["http://x", "http<span>&#58;</span>//x"],
    ["www.x", "www<span>&#46;</span>x"],
    ["a@b", "a<span>&#64;</span>b"],
    ["a\nb", "a<span>&#92;</span>nb"],
    ["\u202ex", "<span>&#92;</span>u202ex"],
  ])("escapes as Python does: %j", (text, expected) => {
    expect(escape(text)).toBe(expected);
  });

  it.each([
    ["1. a", "1&#46; a"],
    ["12) a", "12&#41; a"],
    ["- a", "&#45; a"],
    ["  + a", "&#43; a"],
    ["1-2", "1-2"],
  ])("begins no list with a line: %j", (text, expected) => {
    expect(escapeLine(text)).toBe(expected);
  });
});
