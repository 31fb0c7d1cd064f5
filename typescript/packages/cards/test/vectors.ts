import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Block } from "../src/index.js";

const FOLDER = join(import.meta.dirname, "../../../../tests/vectors/faces");

export interface CardCase {
  readonly name: string;
  readonly card: Record<string, unknown>;
  readonly blocks: readonly unknown[];
}

export const CARD_FILES = ["queries", "computations", "refusals", "errors", "replays"] as const;

/** The cases of a file of the shared vectors. */
export function casesOf(file: string): readonly unknown[] {
  return (JSON.parse(readFileSync(join(FOLDER, `${file}.json`), "utf-8")) as { cases: unknown[] }).cases;
}

export function cardCases(): readonly CardCase[] {
  return CARD_FILES.flatMap((file) => casesOf(file) as CardCase[]);
}

export function cardNamed(name: string): Record<string, unknown> {
  const found = cardCases().find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case is named ${name}`);
  return found.card;
}

/** A block without what only TypeScript carries. */
export function asPythonHas(block: Block): unknown {
  switch (block.block) {
    case "table": {
      const heads = block.heads.map(({ text, aligned }) => ({ text, aligned }));
      return { block: block.block, heads, rows: block.rows, caption: block.caption };
    }
    case "figure":
      return { block: block.block, value: block.value, caption: block.caption };
    default:
      return block;
  }
}
