import { writeText as writeBlocks } from "@service-nb/cards/text";
import { type FaceBlock, type Mark, markLine } from "./look.js";

const INDENT = "  ";

/** Blocks as plain text, as `service_nb/cards/faces/text.py` writes them: what terminals show, and the mark below it. */
export function writeText(blocks: readonly FaceBlock[]): string {
  const text = writeBlocks(blocks.filter((block) => block.block !== "mark"));
  const marks = blocks.filter((block): block is Mark => block.block === "mark").map((mark) => INDENT + markLine(mark));
  return [...(text === "" ? [] : [text]), ...marks].join("\n");
}
