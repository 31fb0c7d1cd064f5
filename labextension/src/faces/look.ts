import type { Block, Tone } from "@service-nb/cards";

/** A block of a face; its last one is the line that names the version which wrote it. */
export type FaceBlock = Block | Mark;

export interface Mark {
  readonly block: "mark";
  readonly version: string;
}

/** The line of a mark as faces have it. */
export function markLine({ version }: Mark): string {
  return `Card of service_nb ${version}`;
}

// The style of each class of the HTML face, as `service_nb/cards/faces/html.py` has it.
export const UNVERIFIED = "not verified in this view";
export const DETAILS = "Details";

export const SIGNS: Readonly<Record<Tone, string>> = {
  answered: "●",
  unclear: "?",
  rejected: "⊘",
  error: "✕",
  source: "◆",
  verified: "✓",
};

const RULE = "1px solid rgba(127, 127, 127, 0.35)";
const CARD = `border: ${RULE}; border-radius: 4px; padding: 10px 14px; margin: 4px 0; max-width: 960px; line-height: 1.5`;
const NEUTRAL = `${CARD}; border-left: 4px solid rgba(127, 127, 127, 0.6)`; // no green that nobody verified
const ROW = "display: block; padding: 0 8px";
const SMALL = "opacity: 0.75; font-size: 12px";

export const LOOK = {
  "service-card service-answered": NEUTRAL,
  "service-card service-unclear": NEUTRAL,
  "service-card service-rejected": NEUTRAL,
  "service-card service-error": `${CARD}; border-left: 4px solid #d0453a`,
  "service-card service-source": NEUTRAL,
  "service-card service-verified": `${CARD}; border-left: 4px solid #2e9f6e`,
  "service-head": "font-size: 15px; margin: 0 0 4px 0",
  "service-status": `margin: 6px 0 0 0; ${SMALL}`,
  "service-note": SMALL,
  "service-figure": "font-size: 24px; line-height: 1.3; margin: 8px 0 0 0",
  "service-scroll": "overflow-x: auto; margin: 8px 0 4px 0",
  "service-table": "display: table; white-space: pre; margin: 0; padding: 0; background-color: transparent",
  "service-grid":
    "white-space: pre; font-size: 13px; line-height: 1.6; padding: 0; background-color: transparent; color: inherit",
  "service-heads": `${ROW}; border-bottom: ${RULE}`,
  "service-row": ROW,
  "service-row service-odd": `${ROW}; background-color: rgba(127, 127, 127, 0.09)`,
  "service-caption": SMALL,
  "service-question": "margin: 8px 0 0 0",
  "service-message": "margin: 6px 0",
  "service-formula": "margin: 6px 0; overflow-x: auto",
  "service-hint": "margin: 6px 0; opacity: 0.8",
  "service-title": SMALL,
  "service-commands": "list-style: none; margin: 2px 0 6px 0; padding: 0",
  "service-command": "margin: 0; padding: 1px 0",
  "service-code": "background-color: transparent; padding: 0; font-size: 12px; white-space: pre-wrap",
  "service-facts": "list-style: none; margin: 8px 0 0 0; padding: 0; font-size: 12px; line-height: 1.45; opacity: 0.8",
  "service-fact": "display: flex; flex-wrap: wrap; margin: 0",
  "service-label": "min-width: 8em; padding: 3px 16px 0 0; font-weight: 600; word-wrap: break-word",
  "service-lines": "flex-basis: 20em; flex-grow: 1; min-width: 0; padding: 3px 0 0 0; word-break: break-word",
  "service-steps": "margin: 0; padding: 0 0 0 16px",
  "service-step": "margin: 0",
  "service-mark": `margin: 6px 0 0 0; ${SMALL}`,
} as const satisfies Readonly<Record<string, string>>;

/** The sign of a verdict, as it stands before a title. */
export function isSigned(tone: Tone): boolean {
  return tone !== "source" && tone !== "answered";
}

/** The tone of a face: that of its status, else of its title. */
export function toneOf(blocks: readonly FaceBlock[]): Tone {
  const told = blocks.find((block) => block.block === "status") ?? blocks.find((block) => block.block === "title");
  return told?.tone ?? "source";
}

/** Blocks as faces show them: those that are seen at once, those that are folded, the mark. */
export function partsOf(blocks: readonly FaceBlock[]): Readonly<Record<"seen" | "folded" | "marks", FaceBlock[]>> {
  const parts = { seen: [] as FaceBlock[], folded: [] as FaceBlock[], marks: [] as FaceBlock[] };
  let hasStatus = false;
  for (const block of blocks) {
    const isFolded = hasStatus || block.block === "facts";
    (block.block === "mark" ? parts.marks : isFolded ? parts.folded : parts.seen).push(block);
    hasStatus ||= block.block === "status";
  }
  return parts;
}

export type Look = keyof typeof LOOK;
