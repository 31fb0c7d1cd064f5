/** What the readers of sources decided of what an answer or a computation used, as cards tell it. */

import { type ReadingNote, writeNote, writeShort } from "@service-nb/records";
import type { Fact } from "../blocks.js";
import { CELL_WIDTH, clip } from "../format.js";
import { visible } from "../visible.js";
import { noted } from "./facts.js";
import { type Members, membersAt, objectsAt, textAt, textsAt } from "./read.js";

/** In a few words, each kind once: what stands beside the answer. */
export function shortNotes(view: Members): ReadonlySet<string> {
  return new Set(readingNotes(view).map((note) => writeShort(note, showNoted)));
}

/** In sentences: what stands in the details. */
export function readingFacts(view: Members): readonly Fact[] {
  return noted(
    "reading",
    readingNotes(view).map((note) => writeNote(note, showNoted)),
  );
}

function readingNotes(view: Members): readonly ReadingNote[] {
  if (!Object.hasOwn(view, "reading_notes")) return [];
  return objectsAt(view, "reading_notes").map((note) => {
    const facts = Object.hasOwn(note, "facts") ? membersAt(note, "facts") : {};
    return {
      kind: textAt(note, "kind"),
      columns: textsAt(note, "columns"),
      facts: Object.fromEntries(Object.keys(facts).map((name) => [name, textAt(facts, name)])),
    };
  });
}

function showNoted(told: string): string {
  return clip(visible(told), CELL_WIDTH);
}
