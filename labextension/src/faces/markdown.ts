import {
  type Command,
  type Commands,
  type Facts,
  formulaText,
  type Span,
  type Table,
  visible,
} from "@service-nb/cards";
import { DETAILS, type FaceBlock, isSigned, markLine, partsOf, SIGNS, UNVERIFIED } from "./look.js";

// Alone in a span: between tags no renderer pairs them into mathematics, an address or a link of its own.
const ALONE = /[$\\@]|:(?=\/\/)|(?<=www)\./gi;
// An underscore inside a word is no emphasis anywhere, and names are full of them.
const MARKUP = /[`*{}[\]#!|<>&~^]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;
const NO_CODE_SPAN = /[`$\\]/;
const LINE_START = /^([0-9]*)((?<![0-9])[-+=:]|(?<=[0-9])[.)])/;

/** Blocks as Markdown, as `service_nb/cards/faces/markdown.py` writes them. */
export function writeMarkdown(blocks: readonly FaceBlock[]): string {
  const { seen, folded, marks } = partsOf(blocks);
  const opened = `<details><summary>${DETAILS}</summary>`;
  const details = folded.length === 0 ? [] : [opened, ...folded.map(paragraph), "</details>"];
  return `${[...seen.map(paragraph), ...details, ...marks.map(paragraph)].join("\n\n")}\n`;
}

function escape(text: string): string {
  const shown = visible(text);
  let told = "";
  let at = 0;
  for (const match of shown.matchAll(ALONE)) {
    told += `${shown.slice(at, match.index).replace(MARKUP, entity)}<span>${entity(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return told + shown.slice(at).replace(MARKUP, entity);
}

function escapeLine(text: string): string {
  const escaped = escape(visible(text).trimStart());
  const start = LINE_START.exec(escaped);
  if (start === null) return escaped;
  const [whole, digits = "", sign = ""] = start;
  return `${digits}${entity(sign)}${escaped.slice(whole.length)}`;
}

function strong(text: string): string {
  return `**${escape(visible(text).trim())}**`;
}

function code(text: string): string {
  const shown = visible(text);
  const isPlain = shown === shown.trim() && !NO_CODE_SPAN.test(shown);
  return isPlain && shown !== "" ? `\`${shown}\`` : `<code>${escape(shown)}</code>`;
}

function entity(text: string): string {
  return Array.from(text, (char) => `&#${String(char.codePointAt(0))};`).join("");
}

function paragraph(block: FaceBlock): string {
  switch (block.block) {
    case "title": {
      const said = strong(isSigned(block.tone) ? `${SIGNS[block.tone]} ${block.text}` : block.text);
      return [said, ...(block.note === "" ? [] : [escape(block.note)])].join(" · ");
    }
    case "status": {
      const notes = [block.note, UNVERIFIED].filter((note) => note !== "");
      return [escapeLine(`${SIGNS[block.tone]} ${block.label}`), ...notes.map(escape)].join(" · ");
    }
    case "figure":
      return `${strong(block.value)} ${escape(block.caption)}`;
    case "table":
      return [...table(block), "", escapeLine(block.caption)].join("\n");
    case "sentence":
      return escapeLine(block.text);
    case "formula": {
      const said = formulaText(block.text, block.latex);
      return said === block.text ? code(said) : said.split("\n").map(escapeLine).join("\n\n");
    }
    case "commands":
      return commands(block);
    case "facts":
      return facts(block).join("\n");
    case "mark":
      return escapeLine(markLine(block));
  }
}

function table({ heads, rows }: Table): readonly string[] {
  const ruler = heads.map(({ aligned }) => (aligned === "point" ? "---:" : ":---"));
  return [row(heads.map(({ text }) => text)), `|${ruler.join("|")}|`, ...rows.map(row)];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(escape).join(" | ")} |`;
}

function commands({ title, commands: all }: Commands): string {
  const head = title === "" ? "" : strong(title);
  const [first] = all;
  if (first !== undefined && all.length === 1) return `${head} ${command(first)}`.trimStart();
  return [head, "", ...all.map((each) => `- ${command(each)}`)].join("\n");
}

function command({ line, note }: Command): string {
  return code(line) + (note === "" ? "" : ` · ${escape(note)}`);
}

function facts({ facts: all }: Facts): readonly string[] {
  return all.flatMap(({ label, lines, isSteps }) => {
    const head = `- ${strong(label)}`;
    const [first] = lines;
    if (first !== undefined && lines.length === 1 && !isSteps) return [`${head} ${spans(first)}`];
    return [
      head,
      ...lines.map((line, at) => (isSteps ? `   ${String(at + 1)}. ${spans(line)}` : `   - ${spans(line)}`)),
    ];
  });
}

function spans(all: readonly Span[]): string {
  return all.map((each, at) => span(each, at === 0 ? escapeLine : escape)).join("");
}

function span({ text, kind }: Span, escaped: (text: string) => string): string {
  return kind === "text" ? escaped(text) : code(text);
}
