import { isAskWord } from "./lines.js";

export type AskKind = "aggregation" | "keyword" | "name" | "number" | "option" | "remark" | "string" | "variable";

export interface AskToken {
  readonly from: number;
  readonly to: number;
  readonly kind: AskKind;
}

const LINE = /^\s*(?:[\p{L}_][\p{L}\p{N}_]*\s*=\s*)?%service_(?:ask|explain)(?=\s|$)/u;
const CELL = /^%%service_(?:ask|explain)(?=\s|$)/;
const TOKEN =
  /(?<remark>(?<=\s)#.*)|(?<string>'(?:[^']|'')*'?|"(?:[^"]|"")*"?)|(?<quoted>`(?:[^`]|``)*`?)|(?<variable>\$[\p{L}_][\p{L}\p{N}_]*)|(?<option>(?<=\s)--[a-z][a-z-]*)|(?<number>[+-]?(?:\d[\d.:T-]*(?:e[+-]?\d+)?|\.\d+)%?(?![\p{L}\p{N}_]))|(?<word>starts\s+with\b|[\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*)|(?<sign>[,()])/giu;
const OF = /^\s+of\s/i;

/** Where the question begins in a line that asks one; -1 where the line asks none. */
export function questionStart(line: string): number {
  return LINE.exec(line)?.[0].length ?? -1;
}

/** The same for a cell whose whole text is a question. */
export function cellQuestionStart(text: string): number {
  return CELL.exec(text)?.[0].length ?? -1;
}

type Clause = "measures" | "by" | "from" | "where" | "having" | "other";
const CLAUSES: Readonly<Record<string, Clause>> = {
  by: "by",
  from: "from",
  where: "where",
  having: "having",
  order: "other",
  limit: "other",
};

/** The parts of a question, in order. What is a word of the language depends on the clause that it stands in. */
export function askTokens(question: string): AskToken[] {
  const tokens: AskToken[] = [];
  let clause: Clause = "measures";
  let isOpening = true; // where an aggregation stands
  for (const { index: from, 0: text, groups = {} } of question.matchAll(TOKEN)) {
    const { word, sign } = groups;
    const to = from + text.length;
    if (sign !== undefined) {
      isOpening = (clause === "measures" && sign === ",") || (clause === "having" && sign === "(");
      continue;
    }
    const kind = word === undefined ? kindOf(groups) : wordKind(word, clause, isOpening, question.slice(to, to + 8));
    isOpening = false;
    if (kind === "keyword" && word !== undefined) {
      clause = clauseAfter(word.toLowerCase(), clause);
      isOpening = clause === "having";
    }
    tokens.push({ from, to, kind });
  }
  return tokens;
}

function clauseAfter(word: string, before: Clause): Clause {
  return word === "by" && before === "other" ? before : (CLAUSES[word] ?? before); // `order by`
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): AskKind {
  const kinds = ["remark", "string", "variable", "option", "number"] as const;
  return kinds.find((kind) => groups[kind] !== undefined) ?? "name";
}

function wordKind(word: string, clause: Clause, isOpening: boolean, behind: string): AskKind {
  const lower = word.toLowerCase();
  if (isAskWord(lower) || /\s/.test(lower)) return "keyword"; // `starts with` is one
  if (isOpening) return "aggregation";
  if (lower === "having" && (clause === "from" || clause === "where")) return "keyword";
  if (lower === "of" && (clause === "measures" || clause === "by")) return "keyword";
  if (clause === "by" && OF.test(behind)) return "keyword"; // `month of`, `in bins of`
  return "name";
}
