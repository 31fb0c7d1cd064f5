import { type Card, own, ShapeError } from "@service-nb/records";
import type { Block, Fact, Head, Table, Tone } from "../blocks.js";
import { EXACT } from "../digits.js";
import { CELL_WIDTH, clip, count, whole, word } from "../format.js";
import { code, digest, fact, sentence, text } from "./facts.js";
import { composed, type Parts, titled } from "./parts.js";
import { proof } from "./proof.js";
import { countAt, listAt, type Members, objectsAt, optionalText, textAt } from "./read.js";

type Sign = readonly [Tone, string];

const SIGNS: Readonly<Record<string, Sign>> = {
  identical: ["answered", "Identical"],
  differs: ["error", "Differs"],
  refused: ["rejected", "Not replayed"],
};
const UNKNOWN: Sign = ["source", "Replay"];

const HEADS: readonly Head[] = [
  { text: "where", name: "where", aligned: "left", type: "string", role: "other", digits: EXACT },
  { text: "stored", name: "stored", aligned: "left", type: "string", role: "other", digits: EXACT },
  { text: "now", name: "now", aligned: "left", type: "string", role: "other", digits: EXACT },
  { text: "doubles apart", name: "doubles apart", aligned: "point", type: "number", role: "other", digits: EXACT },
];

/** What is said of running a stored result again: what came of it, the values that differ. */
export function composeReplay(card: Card): Block[] {
  const { view } = card;
  const status = own(view, "status");
  const [tone, label] = (typeof status === "string" && Object.hasOwn(SIGNS, status) ? SIGNS[status] : null) ?? UNKNOWN;
  return composed(card, {
    status: { tone, label, note: () => optionalText(view, "result_id") || textAt(view, "subject") },
    title: () => titled(`Replay: ${optionalText(view, "question") || textAt(view, "subject")}`),
    blocks: [() => [sentence(textAt(view, "message"), "message")], () => differences(view)],
    facts: [...replayFacts(view), () => proof(card)],
  });
}

function differences(view: Members): readonly Table[] {
  const exact = listAt(view, "rows").map(difference);
  if (exact.length === 0) return [];
  const [shown, total] = [exact.length, countAt(view, "row_count")];
  const said = shown >= total ? count(total, "value") : `First ${whole(shown)} of ${count(total, "value")}`;
  const rows = exact.map((row) => row.map((value) => (value === null ? "" : clip(value, CELL_WIDTH))));
  return [{ block: "table", heads: HEADS, rows, exact, caption: `${said} that ${total === 1 ? "differs" : "differ"}` }];
}

// The number of doubles apart may be a number, where all else is text.
function difference(row: unknown): readonly (string | null)[] {
  if (!Array.isArray(row) || row.length !== HEADS.length) throw new ShapeError("rows", "an array of differences");
  return row.map((value: unknown) => {
    if (value === null || typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw new ShapeError("rows", "an array of rows of texts");
  });
}

function replayFacts(view: Members): Parts["facts"] {
  return [
    () => [optionalText(view, "cause")].filter((cause) => cause !== "").map((cause) => fact("cause", [code(cause)])),
    () => compared(view),
    () => objectsAt(view, "sources").map(sourceFact),
    () => objectsAt(view, "changes").map(changeFact),
  ];
}

function compared(view: Members): readonly Fact[] {
  const expected = optionalText(view, "expected");
  if (expected === "") return [];
  const met = optionalText(view, "met");
  const label = optionalText(view, "digest").replace(/_hash$/, "");
  const then = [text(`${label} then `), digest(expected)];
  return [met === "" ? fact("compared", then) : fact("compared", then, [text(`${label} now `), digest(met)])];
}

function sourceFact(source: Members): Fact {
  return fact("source", [text(`${word(textAt(source, "name"))}: ${textAt(source, "found")}`)]);
}

function changeFact(change: Members): Fact {
  const [then, now] = [orNothing(change, "expected"), orNothing(change, "met")];
  return fact("changed", [text(`${textAt(change, "what")}: ${then} then, ${now} now`)]);
}

function orNothing(change: Members, key: string): string {
  return own(change, key) === null ? "nothing" : textAt(change, key);
}
