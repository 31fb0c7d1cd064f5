import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { colour, contrast } from "./colour.js";
import { THEMES } from "./themes.js";

const STYLE = join(import.meta.dirname, "../style");
const tokens = definitions(firstRule(readFileSync(join(STYLE, "tokens.css"), "utf-8")));

/** The first rule holds the tokens; what follows it replaces some of them where motion or colours are forced. */
function firstRule(css: string): string {
  return css.replace(/\/\*[^]*?\*\//g, "").split("}")[0] ?? "";
}

function definitions(rule: string): Record<string, string> {
  return Object.fromEntries(
    [...rule.matchAll(/(--service-[a-z0-9-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}

const ON_ANY = ["text", "text-quiet", "text-grey", "link", "good", "doubt", "bad", "other"];
const GROUNDS = ["ground", "wash"];
const PAIRS: readonly (readonly [string, string])[] = [
  ...ON_ANY.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)),
  ["text", "wash-strong"],
  ["text-quiet", "wash-strong"],
  ["text", "bad-ground"],
  ["text-quiet", "bad-ground"],
  ["bad", "bad-ground"],
  ["text", "doubt-ground"],
  ["doubt", "doubt-ground"],
];

describe.each(Object.entries(THEMES))("%s", (_, theme) => {
  const variables = { ...tokens, ...theme };
  const token = (name: string): ReturnType<typeof colour> => colour(`var(--service-${name})`, variables);

  it.each(PAIRS)("%s is read on %s: 4.5:1 at least", (text, ground) => {
    expect(contrast(token(text), token(ground), token("ground"))).toBeGreaterThanOrEqual(4.5);
  });

  it("shows where the focus is: 3:1 at least", () => {
    expect(contrast(token("focus-color"), token("ground"), token("ground"))).toBeGreaterThanOrEqual(3);
  });
});

describe("style sheets", () => {
  const sheets = readdirSync(STYLE).filter((name) => name !== "index.css");

  it.each(sheets)("%s uses tokens that there are", (name) => {
    const css = readFileSync(join(STYLE, name), "utf-8");
    const known = new Set([...Object.keys(tokens), ...Object.keys(definitions(css))]);
    const used = [...css.matchAll(/var\((--service-[a-z0-9-]+)/g)].map(([, token = ""]) => token);
    expect(used.filter((token) => !known.has(token))).toEqual([]);
  });

  it("decides colours and sizes of a card in the tokens alone", () => {
    const css = readFileSync(join(STYLE, "card.css"), "utf-8");
    expect(css).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(|--jp-|font-size: [1-9]/i);
  });

  it.each(sheets)("%s loads nothing", (name) => {
    expect(readFileSync(join(STYLE, name), "utf-8")).not.toMatch(/url\(|@import|@font-face/);
  });
});
