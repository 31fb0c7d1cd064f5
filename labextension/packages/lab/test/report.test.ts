// @vitest-environment jsdom
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headline } from "@service-nb/cards";
import { verifyCard } from "@service-nb/verify";
import { nullTranslator } from "@jupyterlab/translation";
import { describe, expect, it } from "vitest";
import { escaped, type Report, reportHtml, reportName } from "../src/sidebar/report.js";
import { sayWith } from "../src/translation.js";
import { firstDocument } from "./vectors.js";

const HOSTILE = Object.values(
  JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../../tests/vectors/cards/hostile_text.json"), "utf-8"),
  ) as Record<string, string[]>,
).flat();
const CHUNKS = Array.from({ length: 12 }, (_, chunk) => HOSTILE.filter((_text, index) => index % 12 === chunk));
const say = sayWith(nullTranslator.load("service_nb"));

function reported(card: unknown): Report["cards"][number]["verdict"] {
  const { state, label, notes, checks } = headline(verifyCard(card));
  return { state, label, notes, checks };
}

const GENUINE = reported(JSON.parse(firstDocument("cards")));

/** A report in which every text that anybody else has a say in is one of `texts`; a card for each. */
function reportOf(...texts: readonly string[]): Report {
  const cards = texts.map((text) => ({
    place: text,
    kind: text,
    question: text,
    id: text,
    time: text,
    signer: text,
    digests: [[text, text] as const],
    verdict: verdictOf(text),
    replay: text,
  }));
  const all = texts.join(" ");
  return { notebook: all, madeAt: all, keys: texts, contracts: texts, summary: all, seal: verdictOf(all), cards };
}

function verdictOf(text: string): Report["cards"][number]["verdict"] {
  return {
    ...GENUINE,
    label: text,
    notes: [text],
    checks: [{ label: text, status: "failed", said: text, cause: text }],
  };
}

function page(report: Report): Document {
  return new DOMParser().parseFromString(reportHtml(report, say), "text/html");
}

const PLAIN = page(reportOf("plain"));
const shapeOf = (document: Document): string[] =>
  [...document.querySelectorAll("*")].map((node) => `${node.tagName} ${node.getAttributeNames().sort().join()}`);

describe("an audit report", () => {
  it.each(CHUNKS)("has the same elements and attributes, whatever a text in it is: %#", (...texts) => {
    expect(shapeOf(page(reportOf(texts.join(" "))))).toEqual(shapeOf(PLAIN));
  });

  it.each(["a<b", "a>b", "a&b", 'a"b', "a'b", "a`b"])("leaves no mark that markup is made of: %s", (text) => {
    expect(escaped(text)).toMatch(/^a&#\d+;b$/);
  });

  it("says a hostile text as it is", () => {
    const text = `<img src=x onerror="alert(1)"> &amp; 'quoted' \`tick\``;
    const document = page(reportOf(text));
    expect(document.querySelector("h1")?.textContent).toContain(text);
    expect(document.querySelector("section code")?.textContent).toBe(text);
  });

  it("lets no text turn the reading order", () => {
    expect(reportHtml(reportOf("abc\u202edef\u2066\u200f\u0000"), say)).not.toMatch(/[\u202e\u2066\u200f\u0000]/); // eslint-disable-line no-control-regex
  });

  it("forbids itself scripts, pictures and addresses, and has none", () => {
    const policy = PLAIN.querySelector("meta[http-equiv=Content-Security-Policy]")?.getAttribute("content");
    expect(policy).toMatch(/^default-src 'none'/);
    expect(PLAIN.querySelectorAll("script, img, iframe, object, link, base, form").length).toBe(0);
    expect([...PLAIN.querySelectorAll("[href]")].map((node) => node.getAttribute("href"))).toEqual(["#card-1"]);
    expect(PLAIN.querySelectorAll("[src], [style], [onclick]").length).toBe(0);
  });

  it("lists each check of a real card with its outcome", () => {
    const report = reportOf("x");
    const [card] = report.cards;
    if (card === undefined) throw new Error("there is a card");
    const document = page({ ...report, seal: null, cards: [{ ...card, verdict: GENUINE }] });
    const rows = [...document.querySelectorAll("section table:last-of-type tbody tr")];
    expect(rows.length).toBe(GENUINE.checks.length);
    expect(rows[0]?.textContent).toContain("✓ holds");
  });

  it.each([
    ["report.ipynb", "service-nb verify report.ipynb"],
    ["-rf.ipynb", "service-nb verify ./-rf.ipynb"],
    ["--key=$x.ipynb", "service-nb verify './--key=$x.ipynb'"],
    ["a'; rm -rf ~.ipynb", "service-nb verify 'a'\\''; rm -rf ~.ipynb'"],
  ])("says how to check %j again, in a line that a shell takes as one file", (notebook, line) => {
    const command = page({ ...reportOf("x"), notebook, keys: [] }).querySelector("pre")?.textContent;
    expect(command).toBe(line);
  });
});

describe("the name of a report", () => {
  it.each([
    ["folder/report.ipynb", "report.audit.html"],
    ["../../x.ipynb", "x.audit.html"],
    ["a<b>:c.ipynb", "a_b__c.audit.html"],
    [".ipynb", "notebook.audit.html"],
    ["", "notebook.audit.html"],
  ])("of %j is %j", (path, name) => {
    expect(reportName(path)).toBe(name);
  });
});
