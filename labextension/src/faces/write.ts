import { writeHtml } from "./html.js";
import { writeLatex } from "./latex.js";
import type { FaceBlock } from "./look.js";
import { writeMarkdown } from "./markdown.js";
import { writeText } from "./text.js";

/** How each face of an output is written from the blocks of its card, as `service_nb/cards/faces/__init__.py` does. */
export const WRITERS: Readonly<Record<string, (blocks: readonly FaceBlock[]) => string>> = {
  "text/html": writeHtml,
  "text/markdown": writeMarkdown,
  "text/latex": writeLatex,
  "text/plain": writeText,
};
