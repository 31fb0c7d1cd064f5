import { decodeCard } from "@service-nb/records";
import { describe, expect, it } from "vitest";
import { compose, wrapText, writeText } from "../src/text.js";
import { type CardCase, CARD_FILES, casesOf } from "./vectors.js";

interface Rendered {
  readonly file: string;
  readonly name: string;
  readonly faces: Readonly<Record<string, string>>;
}

const rendered = casesOf("rendered") as Rendered[];

function cardOf({ file, name }: Rendered): unknown {
  return (casesOf(file) as CardCase[]).find((each) => each.name === name)?.card;
}

describe("the face for terminals", () => {
  const shown = rendered.filter(({ file }) => (CARD_FILES as readonly string[]).includes(file));

  it.each(shown)("$file, $name: reads as Python writes it", (each) => {
    const expected = each.faces["text/plain"]?.split("\n").slice(0, -1).join("\n"); // the last line says who wrote it
    expect(writeText(compose(decodeCard(cardOf(each))))).toBe(expected);
  });

  it("holds no character that a terminal obeys", () => {
    for (const each of shown)
      expect(writeText(compose(decodeCard(cardOf(each))), 40).replaceAll("\n", "")).not.toMatch(
        /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u,
      );
  });

  it.each([
    ["one two three", 8, ["one two", "  three"]],
    ["abcdefghijkl", 6, ["abcdef", "  ghij", "  kl"]],
    ["a  abcdefghijkl", 6, ["a  abc", "  defg", "  hijk", "  l"]],
    ["", 6, [""]],
  ] as const)("%s is wrapped at %d as Python's textwrap does", (text, columns, lines) => {
    expect(wrapText(text, columns, "")).toEqual(lines);
  });
});
