import {
  type Command,
  type Commands,
  type Facts,
  isPlainLatex,
  type Span,
  type Table,
  type Tone,
  visible,
  width,
} from "@service-nb/cards";
import { type FaceBlock, isSigned, markLine, UNVERIFIED } from "./look.js";

// In mathematics, whose fonts have them.
const SIGNS: Readonly<Record<Tone, string>> = {
  answered: String.raw`$\bullet$`,
  unclear: "?",
  rejected: String.raw`$\oslash$`,
  error: String.raw`$\times$`,
  source: String.raw`$\blacklozenge$`,
  verified: String.raw`$\checkmark$`,
};

const CUT = "\0";
const NAMES: ReadonlyMap<string, string> = new Map([
  [CUT, String.raw`\allowbreak{}`],
  ...Array.from("{}$&#%_", (char) => [char, `\\${char}`] as const),
  ...Array.from("[]*", (char) => [char, `{${char}}`] as const),
  ["\\", String.raw`\textbackslash{}`],
  ["^", String.raw`\textasciicircum{}`],
  ["~", String.raw`\textasciitilde{}`],
  ["`", String.raw`\textasciigrave{}`],
  ["'", String.raw`\textquotesingle{}`],
  ['"', String.raw`\textquotedbl{}`],
  ["<", String.raw`\textless{}`],
  [">", String.raw`\textgreater{}`],
  ["|", String.raw`\textbar{}`],
  ["—", "{---}"],
  ["–", "{--}"],
  ["…", String.raw`\ldots{}`],
  ["−", "$-$"],
  ["≤", String.raw`$\le$`],
  ["≥", String.raw`$\ge$`],
  ["≠", String.raw`$\ne$`],
  ["→", String.raw`$\to$`],
  ["∞", String.raw`$\infty$`],
  ["π", String.raw`$\pi$`],
  ["Ω", String.raw`$\Omega$`],
]);
// One character each, or the first of a pair that would become a dash or a low quote.
const SPECIAL = /-(?=-)|,(?=,)|[^ -~\u00a1-\u017f]|[{}$&#%_[\]*\\^~`'"<>|]/gu;
const PART = /\\(begin|end)\{(cases|aligned)\}|\\(?:[A-Za-z]+|.|$)|[_^] *(?=[_^}]|$)|[{}&]/gu;
const BREAK = "\\\\\n";
const WIDEST = 90; // characters of a table that the page has room for
const LONG = 32; // a column of longer text is broken into lines
const RUN = 76; // characters without a blank that a line has room for
const RUN_IN_COLUMN = 18;
const [LONG_RUN, LONG_RUN_IN_COLUMN] = [/\S{76}(?=\S)/gu, /\S{18}(?=\S)/gu];
const [POINTED, BROKEN] = ["r@{}l", String.raw`p{0.3\linewidth}`];

/** Blocks as LaTeX, as `service_nb/cards/faces/latex.py` writes them. */
export function writeLatex(blocks: readonly FaceBlock[]): string {
  const paragraphs = blocks.map(paragraph).join("\n\n");
  return `{\\small\\raggedright\\parindent0pt\\hyphenpenalty10000\n${paragraphs}\n\\par}\n`;
}

function escape(text: string, run: typeof RUN | typeof RUN_IN_COLUMN = RUN): string {
  const broken = visible(text).replace(run === RUN ? LONG_RUN : LONG_RUN_IN_COLUMN, `$&${CUT}`);
  return broken.replace(SPECIAL, named);
}

function named(char: string): string {
  if (char === "-" || char === ",") return `${char}{}`;
  const point = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return NAMES.get(char) ?? `\\texttt{U+${point}}`;
}

function strong(text: string): string {
  return `\\textbf{${text}}`;
}

function code(text: string): string {
  return `\\texttt{${escape(text)}}`;
}

function paragraph(block: FaceBlock): string {
  switch (block.block) {
    case "title": {
      const sign = isSigned(block.tone) ? `${SIGNS[block.tone]} ` : "";
      return strong(sign + escape(block.text)) + (block.note === "" ? "" : ` · ${escape(block.note)}`);
    }
    case "status": {
      const notes = [block.note, UNVERIFIED].filter((note) => note !== "");
      return [`${SIGNS[block.tone]} ${escape(block.label)}`, ...notes.map((note) => escape(note))].join(" · ");
    }
    case "figure":
      return `{\\Large ${strong(escape(block.value))}} ${escape(block.caption)}`;
    case "table":
      return `${table(block)}\n\n${escape(block.caption)}`;
    case "sentence":
      return escape(block.text);
    case "formula":
      return isPlainLatex(block.latex) && isClosed(block.latex) ? `\\[${block.latex}\\]` : code(block.text);
    case "commands":
      return commands(block);
    case "facts":
      return facts(block).join("\n\n");
    case "mark":
      return escape(markLine(block));
  }
}

/** Whether LaTeX is whole: what it left open would take the rest of the document with it. */
function isClosed(latex: string): boolean {
  const opened: string[] = [];
  for (const [part, verb, environment] of latex.matchAll(PART)) {
    const name = environment ?? "{";
    if (part === "{" || verb === "begin") opened.push(name);
    else if (part === "}" || verb === "end") {
      if (opened.pop() !== name) return false;
    } else if (/^[_^]/.test(part) || part === "\\") return false;
    else if ((part === "&" || part === "\\\\") && opened.every((each) => each === "{")) return false;
  }
  return opened.length === 0;
}

function table(block: Table): string {
  if (block.heads.length === 0) return "";
  const columns = block.heads.map(({ text }, at) => [text, ...block.rows.map((row) => row[at] ?? "")]);
  const widths = columns.map((column) => Math.max(...column.map(width)));
  const taken = widths.reduce((sum, size) => sum + Math.min(size, LONG), 0) + 2 * widths.length;
  if (taken > WIDEST) return records(block).join(BREAK);
  const kinds = block.heads.map(({ aligned }, at) =>
    kind(aligned === "point", columns[at]?.slice(1) ?? [], widths[at] ?? 0),
  );
  const heads = block.heads.map(({ text }, at) => head(text, kinds[at] ?? "")).join(" & ");
  const rows = block.rows.map((row) => row.map((text, at) => cell(text, kinds[at] ?? "")).join(" & "));
  const [first = "", ...rest] = [heads, ...rows].map((line) => `${line}\\\\`);
  return [
    `\\begin{longtable}[l]{${kinds.join("")}}`,
    first,
    String.raw`\hline\rule{0pt}{3ex}%`,
    ...rest,
    String.raw`\end{longtable}`,
  ].join("\n");
}

/** A quantity with a decimal point takes two columns, and the point is where they meet. */
function kind(isQuantity: boolean, cells: readonly string[], size: number): string {
  if (isQuantity) return cells.some((each) => each.includes(".")) ? POINTED : "r";
  return size <= LONG ? "l" : BROKEN;
}

function head(text: string, kindOf: string): string {
  const said = strong(escape(text));
  return kindOf === POINTED ? `\\multicolumn{2}{r}{${said}}` : said;
}

function cell(text: string, kindOf: string): string {
  if (kindOf !== POINTED) return escape(text, kindOf === BROKEN ? RUN_IN_COLUMN : RUN);
  const at = text.includes(".") ? text.indexOf(".") : text.length;
  return `${escape(text.slice(0, at))} & ${escape(text.slice(at))}`;
}

/** The rows of a table that is too wide for the page. */
function records({ heads, rows }: Table): readonly string[] {
  return rows.map((row) => heads.map(({ text }, at) => `${escape(text)}: ${escape(row[at] ?? "")}`).join("; "));
}

function commands({ title, commands: all }: Commands): string {
  const head = title === "" ? "" : `${strong(escape(title))} `;
  const lines = all.map(command);
  return lines.length > 1 ? [head.trimEnd(), ...lines].join(BREAK) : [head, ...lines].join("");
}

function command({ line, note }: Command): string {
  return code(line) + (note === "" ? "" : ` · ${escape(note)}`);
}

function facts({ facts: all }: Facts): readonly string[] {
  return all.map(({ label, lines, isSteps }) => {
    const told = lines.map((spans) => spans.map(span).join(""));
    const [first = "", ...rest] = isSteps ? told.map((line, at) => `${String(at + 1)}. ${line}`) : told;
    return [`${strong(escape(label))} ${first}`, ...rest].join(BREAK);
  });
}

function span({ text, kind: of }: Span): string {
  return of === "text" ? escape(text) : code(text);
}
