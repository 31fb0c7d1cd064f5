/**
 * The face for terminals, as `service_nb/cards/faces/text.py` writes it: plain text, aligned, nothing that a terminal
 * would obey. It knows no page.
 */

import { type Block, type Commands, type Facts, type Span, type Table, type Title, type Tone } from "./blocks.js";
import { lines, SHORT_DIGEST } from "./format.js";
import { formulaText } from "./formula.js";
import { clip, visible, width } from "./visible.js";

export { compose } from "./compose.js";
export { QUESTION_LABEL } from "./compose/parts.js";
export { clip, visible, width } from "./visible.js";
export type { Block, Command, Commands, Fact, Facts } from "./blocks.js";

const COLUMNS = 100;
const FEWEST_COLUMNS = 40;
const INDENT = "  ";
const GAP = "  ";
const NARROWEST = 8; // a column of text is never cut below this
const SIGNS: Readonly<Record<Tone, string>> = {
  answered: "●",
  unclear: "?",
  rejected: "⊘",
  error: "✕",
  source: "◆",
  verified: "✓",
};

/** Writes blocks as plain text that is as wide as so many cells of a terminal. */
export function writeText(blocks: readonly Block[], columns = COLUMNS): string {
  const written = blocks.flatMap((block) => writeBlock(block, Math.max(columns, FEWEST_COLUMNS)));
  const trimmed = written.map((line) => line.trimEnd());
  return (trimmed[0] === "" ? trimmed.slice(1) : trimmed).join("\n");
}

function writeBlock(block: Block, columns: number): readonly string[] {
  switch (block.block) {
    case "title":
      return wrapText(writeTitle(block), columns, "", INDENT);
    case "status":
      return ["", ...wrapText(`${SIGNS[block.tone]} ${visible(block.label)}${note(block.note)}`, columns, INDENT)];
    case "figure":
      return ["", INDENT + block.value, INDENT + visible(block.caption)];
    case "table":
      return ["", ...writeTable(block, columns - INDENT.length)];
    case "sentence":
      return [...(block.role === "hint" ? [] : [""]), ...wrapText(visible(block.text), columns, INDENT, INDENT)];
    case "formula":
      return ["", ...lines(formulaText(block.text, block.latex)).flatMap((l) => wrapText(visible(l), columns, INDENT))];
    case "commands":
      return writeCommands(block);
    case "facts":
      return ["", ...writeFacts(block, columns)];
  }
}

function writeTitle({ tone, text, note: said }: Title): string {
  const sign = tone === "source" || tone === "answered" ? "" : `${SIGNS[tone]} `;
  return visible(sign + text) + note(said);
}

function note(said: string): string {
  return said === "" ? "" : ` · ${visible(said)}`;
}

function writeCommands({ title, commands }: Commands): readonly string[] {
  const [only] = commands;
  if (title !== "" && commands.length === 1 && only !== undefined)
    return ["", INDENT + visible(title) + GAP + visible(only.line)];
  const inset = title === "" ? INDENT : INDENT + INDENT;
  const notes = commands.map((command) => visible(command.note));
  const margin = Math.max(0, ...notes.map(width));
  return [
    ...(title === "" ? [] : ["", `${INDENT}${visible(title)}:`]),
    // Never wrapped: a line to run stays one line to copy.
    ...commands.map(({ line }, at) => {
      const told = notes[at] ?? "";
      return inset + (margin > 0 ? told + " ".repeat(margin - width(told)) + GAP : "") + visible(line);
    }),
  ];
}

function writeFacts({ facts }: Facts, columns: number): readonly string[] {
  const labels = facts.map((fact) => visible(fact.label));
  const margin = Math.max(0, ...labels.map(lengthOf)) + GAP.length;
  const hanging = INDENT + " ".repeat(margin);
  return facts.flatMap((fact, at) => {
    const label = labels[at] ?? "";
    const first = INDENT + label + " ".repeat(margin - lengthOf(label));
    const said = fact.lines.map((spans) => spans.map(writeSpan).join(""));
    if (!fact.isSteps) return wrapText(said.join(" · "), columns, first, hanging);
    return said.flatMap((line, index) => {
      const number = `${String(index + 1)}. `;
      const start = index === 0 ? first : hanging;
      return wrapText(line, columns, start + number, hanging + " ".repeat(number.length));
    });
  });
}

function writeSpan({ text, kind }: Span): string {
  const shown = visible(text);
  return kind === "digest" ? Array.from(shown).slice(0, SHORT_DIGEST).join("") : shown;
}

// --- tables -----------------------------------------------------------------------------------------------------------

function writeTable(table: Table, room: number): readonly string[] {
  const { heads, rows, caption } = table;
  const columns = heads.map(({ aligned }, at) => {
    const cells = rows.map((row) => visible(row[at] ?? ""));
    return aligned === "point" ? padToPoint(cells) : cells;
  });
  const widths = columns.map((cells, at) => Math.max(width(heads[at]?.text ?? ""), ...cells.map(width)));
  const isCuttable = heads.map(({ aligned }) => aligned === "left");
  squeeze(widths, isCuttable, room - GAP.length * (widths.length - 1));
  const align = (texts: readonly string[]): string =>
    INDENT + texts.map((text, at) => pad(text, widths[at] ?? 0, heads[at]?.aligned === "point")).join(GAP);
  return [
    align(heads.map(({ text }) => text)),
    INDENT + widths.map((size) => "─".repeat(size)).join(GAP),
    ...rows.map((_, row) => align(columns.map((cells) => cells[row] ?? ""))),
    INDENT + visible(caption),
  ];
}

function padToPoint(cells: readonly string[]): readonly string[] {
  const tails = cells.map((cell) => (cell.includes(".") ? cell.length - cell.indexOf(".") : 0));
  const longest = Math.max(0, ...tails);
  return cells.map((cell, at) => cell + " ".repeat(longest - (tails[at] ?? 0)));
}

/** Narrows columns of text, the widest first, until the line fits; numbers are never cut. */
function squeeze(widths: number[], isCuttable: readonly boolean[], room: number): void {
  while (widths.reduce((sum, size) => sum + size, 0) > room) {
    let widest = -1;
    for (const [at, size] of widths.entries())
      if (isCuttable[at] === true && size >= (widths[widest] ?? 0)) widest = at;
    const size = widths[widest] ?? 0;
    if (size <= NARROWEST) return;
    widths[widest] = size - 1;
  }
}

function pad(text: string, size: number, isRight: boolean): string {
  const shown = clip(text, size);
  const blank = " ".repeat(Math.max(0, size - width(shown)));
  return isRight ? blank + shown : shown + blank;
}

// --- lines ------------------------------------------------------------------------------------------------------------

/** Breaks a text at its blanks, and words that are too long where the line ends. */
export function wrapText(text: string, columns: number, first: string, rest = `${first}${INDENT}`): readonly string[] {
  const words = text.split(/( +)/).filter((word) => word !== "");
  const wrapped: string[] = [];
  for (let at = 0; at < words.length;) {
    const indent = wrapped.length === 0 ? first : rest;
    const room = columns - indent.length;
    if (wrapped.length > 0 && isBlank(words[at])) at += 1;
    const line: string[] = [];
    let size = 0;
    for (; at < words.length && size + lengthOf(words[at]) <= room; at += 1) {
      line.push(words[at] ?? "");
      size += lengthOf(words[at]);
    }
    if (at < words.length && lengthOf(words[at]) > room) {
      const characters = Array.from(words[at] ?? "");
      const end = room < 1 ? 1 : room - size;
      line.push(characters.slice(0, end).join(""));
      words[at] = characters.slice(end).join("");
    }
    if (isBlank(line.at(-1))) line.pop();
    if (line.length > 0) wrapped.push(indent + line.join(""));
  }
  return wrapped.length > 0 ? wrapped : [first];
}

function isBlank(word: string | undefined): boolean {
  return word?.trim() === "";
}

function lengthOf(word: string | undefined): number {
  return Array.from(word ?? "").length;
}
