import {
  type Command,
  type Commands,
  type Fact,
  type Formula,
  formulaText,
  type Span,
  type Status,
  type Table,
  type Title,
  visible,
} from "@service-nb/cards";
import { GAP, grid } from "./grid.js";
import {
  DETAILS,
  type FaceBlock,
  isSigned,
  LOOK,
  type Look,
  markLine,
  partsOf,
  SIGNS,
  toneOf,
  UNVERIFIED,
} from "./look.js";

// MathJax typesets `$…$` and `\(…\)` in outputs; it never looks across tags.
const MATH = /[$\\]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#x27;",
};

const ROUNDED = ` · rounded; every digit in ${DETAILS}`;

/** Blocks as HTML, as `service_nb/cards/faces/html.py` writes them. */
export function writeHtml(blocks: readonly FaceBlock[]): string {
  const { seen, folded, marks } = partsOf(blocks);
  const summary = `<summary>${element("span", "service-note", DETAILS)}</summary>`;
  const details =
    folded.length === 0
      ? []
      : ["<details>", summary, ...blocks.flatMap(exactTable), ...folded.flatMap(lines), "</details>"];
  const inside = [...seen.flatMap(lines), ...details, ...marks.flatMap(lines)];
  return [open("div", `service-card service-${toneOf(blocks)}`), ...inside, "</div>"].join("\n");
}

function entities(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

function escape(text: string): string {
  return entities(visible(text)).replace(MATH, "<span>$&</span>");
}

function open(tag: string, look: Look): string {
  return `<${tag} class="${look}" style="${LOOK[look]}">`;
}

function element(tag: string, look: Look, inner: string): string {
  return `${open(tag, look)}${inner}</${tag}>`;
}

function lines(block: FaceBlock): readonly string[] {
  switch (block.block) {
    case "title":
      return [title(block)];
    case "status":
      return [status(block)];
    case "figure":
      return [
        element("div", "service-figure", `<strong>${escape(block.value)}</strong>`),
        element("div", "service-caption", escape(block.caption)),
      ];
    case "table":
      return [
        scrolled(block),
        element("div", "service-caption", escape(block.caption + (block.everyDigit === undefined ? "" : ROUNDED))),
      ];
    case "sentence":
      return [element("div", `service-${block.role}`, escape(block.text))];
    case "formula":
      return [element("div", "service-formula", formula(block))];
    case "commands":
      return commands(block);
    case "facts":
      return [
        open("ul", "service-facts"),
        ...block.facts.map((fact) => {
          const label = element("strong", "service-label", escape(fact.label));
          return element("li", "service-fact", `${label} ${said(fact)}`);
        }),
        "</ul>",
      ];
    case "mark":
      return [element("div", "service-mark", escape(markLine(block)))];
  }
}

function title({ text, note, tone }: Title): string {
  const said = `<strong>${escape(isSigned(tone) ? `${SIGNS[tone]} ${text}` : text)}</strong>`;
  const noted = note === "" ? "" : ` ${element("span", "service-note", `· ${escape(note)}`)}`;
  return element("div", "service-head", said + noted);
}

function status({ tone, label, note }: Status): string {
  const notes = [note, UNVERIFIED].filter((each) => each !== "");
  return element(
    "div",
    "service-status",
    [`${escape(SIGNS[tone])} ${escape(label)}`, ...notes.map(escape)].join(" · "),
  );
}

function exactTable(block: FaceBlock): readonly string[] {
  if (block.block !== "table" || block.everyDigit === undefined) return [];
  return [element("div", "service-caption", "Exact values"), scrolled({ ...block, rows: block.everyDigit })];
}

function scrolled(block: Table): string {
  return `${open("div", "service-scroll").slice(0, -1)} tabindex="0">${table(block)}</div>`;
}

function table(block: Table): string {
  const { heads, rows } = grid(block);
  const told = [
    element("span", "service-heads", `<strong>${escape(heads.join(GAP))}</strong>\n`),
    ...rows.map((row, at) =>
      element("span", at % 2 === 1 ? "service-row service-odd" : "service-row", `${escape(row.join(GAP))}\n`),
    ),
  ];
  return element("pre", "service-table", element("code", "service-grid", told.join("")));
}

function formula({ text, latex }: Formula): string {
  const shown = formulaText(text, latex);
  if (shown === text) return element("code", "service-code", escape(shown));
  const lines = shown.split("\n").map(escape);
  return lines.length === 1 ? (lines[0] ?? "") : lines.map((line) => `<div>${line}</div>`).join("");
}

function commands({ title, commands: all }: Commands): readonly string[] {
  const head = title === "" ? "" : `${element("strong", "service-title", escape(title))} `;
  const [first] = all;
  if (first !== undefined && all.length === 1) return [element("div", "service-command", head + command(first))];
  const items = all.map((each) => element("li", "service-command", command(each)));
  return [`<div>${head}</div>`, open("ul", "service-commands"), ...items, "</ul>"];
}

function command({ line, note }: Command): string {
  const more = note === "" ? "" : ` ${element("span", "service-note", `· ${escape(note)}`)}`;
  return element("code", "service-code", escape(line)) + more;
}

function said({ lines: all, isSteps }: Fact): string {
  const told = all.map((spans) => spans.map(span).join(""));
  if (isSteps) {
    const steps = told.map((line) => element("li", "service-step", line)).join("");
    return element("div", "service-lines", element("ol", "service-steps", steps));
  }
  const [first] = told;
  if (first !== undefined && told.length === 1) return element("span", "service-lines", first);
  return element("div", "service-lines", told.map((line) => `<div>${line}</div>`).join(""));
}

function span({ text, kind }: Span): string {
  return kind === "text" ? escape(text) : element("code", "service-code", escape(text));
}
