import {
  type Commands,
  type Facts,
  formulaText,
  linesOf,
  SHORT_DIGEST,
  type Span,
  type Table,
} from "@service-nb/cards";
import { visible, width as widthOf } from "@service-nb/cards";
import { characters, GAP, grid } from "./grid.js";
import { type FaceBlock, isSigned, markLine, SIGNS } from "./look.js";
import { wrap } from "./wrap.js";

const WIDTH = 100;
const INDENT = "  ";

/** Blocks as plain text, as `service_nb/cards/faces/text.py` writes them. */
export function writeText(blocks: readonly FaceBlock[]): string {
  const told = blocks.flatMap(lines).map((line) => line.trimEnd());
  return (told[0] === "" ? told.slice(1) : told).join("\n");
}

function lines(block: FaceBlock): readonly string[] {
  switch (block.block) {
    case "title": {
      const note = block.note === "" ? "" : ` · ${visible(block.note)}`;
      const sign = isSigned(block.tone) ? `${SIGNS[block.tone]} ` : "";
      return wrapped(visible(sign + block.text) + note, "", INDENT);
    }
    case "status": {
      const note = block.note === "" ? "" : ` · ${visible(block.note)}`;
      return ["", ...wrapped(`${SIGNS[block.tone]} ${visible(block.label)}${note}`, INDENT, INDENT.repeat(2))];
    }
    case "figure":
      return ["", `${INDENT}${block.value}`, `${INDENT}${visible(block.caption)}`];
    case "table":
      return ["", ...table(block)];
    case "sentence":
      return [...(block.role === "hint" ? [] : [""]), ...wrapped(visible(block.text), INDENT, INDENT)];
    case "formula":
      return [
        "",
        ...linesOf(formulaText(block.text, block.latex)).flatMap((line) =>
          wrapped(visible(line), INDENT, INDENT.repeat(2)),
        ),
      ];
    case "commands":
      return commands(block);
    case "facts":
      return ["", ...facts(block)];
    case "mark":
      return [INDENT + markLine(block)];
  }
}

function table(block: Table): readonly string[] {
  const cells = block.rows.map((row) => row.map(visible));
  const { heads, rows } = grid({ ...block, rows: cells }, WIDTH - INDENT.length);
  return [heads, heads.map((head) => "─".repeat(widthOf(head))), ...rows]
    .map((cells) => INDENT + cells.join(GAP))
    .concat(INDENT + visible(block.caption));
}

function commands({ title, commands: all }: Commands): readonly string[] {
  const [first] = all;
  if (title !== "" && all.length === 1) {
    return ["", `${INDENT}${visible(title)}${GAP}${visible(first?.line ?? "")}`];
  }
  const notes = all.map(({ note }) => visible(note));
  const margin = Math.max(0, ...notes.map(widthOf));
  const inset = title === "" ? INDENT : INDENT.repeat(2);
  const told = all.map(({ line }, at) => {
    const note = notes[at] ?? "";
    const lead = margin === 0 ? "" : note + " ".repeat(margin - widthOf(note)) + GAP;
    return `${inset}${lead}${visible(line)}`; // never wrapped: a line to run must stay one line to copy
  });
  return title === "" ? told : ["", `${INDENT}${visible(title)}:`, ...told];
}

function facts({ facts: all }: Facts): readonly string[] {
  const labels = all.map(({ label }) => visible(label));
  const margin = Math.max(0, ...labels.map(characters)) + GAP.length;
  const hanging = INDENT + " ".repeat(margin);
  return all.flatMap(({ lines: said, isSteps }, at) => {
    const label = labels[at] ?? "";
    const first = INDENT + label + " ".repeat(margin - characters(label));
    const told = said.map((spans) => spans.map(span).join(""));
    if (!isSteps) return wrapped(told.join(" · "), first, hanging);
    return told.flatMap((line, index) => {
      const number = `${String(index + 1)}. `;
      return wrapped(line, (index > 0 ? hanging : first) + number, hanging + " ".repeat(number.length));
    });
  });
}

function span({ text, kind }: Span): string {
  const shown = visible(text);
  return kind === "digest" ? Array.from(shown).slice(0, SHORT_DIGEST).join("") : shown;
}

function wrapped(text: string, first: string, rest: string): readonly string[] {
  const told = wrap(text, WIDTH, first, rest);
  return told.length === 0 ? [first] : told;
}
