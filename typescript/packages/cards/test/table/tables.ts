import { EXACT } from "../../src/digits.js";
import type { Head, Table } from "../../src/blocks.js";
import { isNumber, separated } from "../../src/number.js";

type Column = readonly [text: string, type: string, role: Head["role"]];

/** A table as a card composes one: the shown texts follow from the exact ones. */
export function tableOf(
  columns: readonly Column[],
  exact: readonly (readonly (string | null)[])[],
  caption = `${String(exact.length)} rows`,
): Table {
  const heads = columns.map(([text, type, role]): Head => {
    return { text, name: text, type, role, aligned: type === "number" ? "point" : "left", digits: EXACT };
  });
  const shown = (cell: string | null, index: number): string => {
    if (cell === null) return "—";
    const head = heads[index];
    return head?.type === "number" && head.role !== "key" && isNumber(cell) ? separated(cell) : cell;
  };
  return { block: "table", heads, rows: exact.map((row) => row.map(shown)), exact, caption };
}

export const CARRIERS = tableOf(
  [
    ["carrier", "string", "key"],
    ["delay", "number", "metric"],
    ["flights", "number", "count"],
  ],
  [
    ["United", "205589", "58665"],
    ["JetBlue", "511194.5", "54635"],
    ["ExpressJet", "-0.0", "54173"],
    ["Delta", null, "48110"],
    ["Alaska", "-7041", "714"],
    ["Hawaiian", "1e300", "342"],
    ["SkyWest", "NaN", "32"],
  ],
  "First 7 of 336,776 rows; 336,769 not shown · — is null",
);

export const SAY = { say: (text: string): string => text };

/** Texts that some reader of pages, sheets or documents would obey. */
export const HOSTILE: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)>",
  "</td></tr></table><script>alert(1)</script>",
  "</caption><b>",
  "</title><script>alert(1)</script>",
  "</desc></svg><script>alert(1)</script>",
  "<style>*{display:none}</style>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "<a href=javascript:alert(1)>x</a>",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "https://example.org/?q=1",
  "www.example.org",
  "me@example.org",
  "@everyone",
  "#1",
  "&lt;script&gt;",
  "&#60;b&#62;",
  "&amp;",
  '" onmouseover="alert(1)',
  "' onmouseover='alert(1)",
  "` onmouseover=`alert(1)",
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(A1)",
  "=cmd|'/c calc'!A0",
  "\t=1+1",
  "\r=1+1",
  " =1+1",
  "\u200b=1+1",
  "\uff1d1+1",
  "\u22121+1",
  "'=1+1",
  "a;=1+1",
  "a\n=1+1",
  "a\t=1+1",
  '"=1+1',
  "a,b",
  'say "x"',
  "line\r\nbreak",
  "| a | b |",
  "a|b",
  "**bold**",
  "_emphasis_",
  "`code`",
  "[link](https://example.org)",
  "![image](x)",
  "$x^2$",
  "\\(x\\)",
  "~~struck~~",
  "1. list",
  "- list",
  "\u202eright to left",
  "\ud800",
  "\0nul",
  "\x1b[31mred",
  "%1 %2 %3",
  "$& $1 $`",
  "__proto__",
  "constructor",
  "toString",
  "",
  " ",
  "—",
];
