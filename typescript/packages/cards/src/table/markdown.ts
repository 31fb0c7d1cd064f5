/** Markdown in which no datum can become markup, a link or a formula: the rules of `service_nb/cards/faces/markdown.py`. */

import type { Table } from "../blocks.js";
import { visible } from "../visible.js";

const NULL = "—";
// Alone in a span: between tags no renderer pairs them into mathematics, an address or a link of its own.
const ALONE = /[$\\@]|:(?=\/\/)|(?<=www)\./gi;
// An underscore inside a word is no emphasis anywhere, and names are full of them.
const MARKUP = /[`*{}[\]#!|<>&~^]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const LINE_START = /^([0-9]*)((?<![0-9])[-+=:]|(?<=[0-9])[.)])/;

/** The exact texts of a table as a Markdown table, with its caption below. */
export function markdownText(table: Table): string {
  const rule = table.heads.map((head) => (head.aligned === "point" ? "---:" : ":---"));
  const rows = table.exact.map((row) => line(row.map((cell) => escape(cell ?? NULL))));
  return [
    line(table.heads.map((head) => escape(head.name))),
    `|${rule.join("|")}|`,
    ...rows,
    "",
    escapeLine(table.caption),
    "",
  ].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Text that Markdown, GitHub and MathJax show as it is, anywhere but at the start of a line. */
export function escape(text: string): string {
  const parts: string[] = [];
  let at = 0;
  const shown = visible(text);
  for (const match of shown.matchAll(ALONE)) {
    parts.push(entities(shown.slice(at, match.index)), `<span>${entity(match[0])}</span>`);
    at = match.index + match[0].length;
  }
  return parts.join("") + entities(shown.slice(at));
}

/** Text for the start of a line, where a dash or a number and a dot would begin a list. */
export function escapeLine(text: string): string {
  return escape(visible(text).trimStart()).replace(
    LINE_START,
    (_, digits: string, sign: string) => digits + entity(sign),
  );
}

function entities(text: string): string {
  return text.replace(MARKUP, entity);
}

function entity(char: string): string {
  return `&#${String(char.codePointAt(0))};`;
}
