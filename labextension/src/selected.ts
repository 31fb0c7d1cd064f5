import type { JupyterFrontEnd } from "@jupyterlab/application";
import type { Place } from "./arguments.js";
import { cellAt } from "./notebook.js";
import type { Judged, NotebookEvidence } from "./tracking.js";

/** The card that a command is about: of the place given, of what the context menu was opened on, of the active cell. */
export async function selectedCard(
  app: JupyterFrontEnd,
  tracked: NotebookEvidence | null,
  place: Place,
): Promise<Judged | null> {
  if (tracked === null) return null;
  const pointed = place.isPointed ? pointedAt(app, tracked) : undefined;
  await tracked.look();
  const { panel, cards } = tracked;
  const cell = place.cell ?? pointed?.cell ?? panel.content.activeCellIndex + 1;
  const output = place.output ?? pointed?.output ?? null;
  const found = cards.find(({ evidence }) => evidence.cell === cell && (output === null || evidence.output === output));
  return found === undefined ? null : await tracked.settled(found);
}

function pointedAt(app: JupyterFrontEnd, { panel }: NotebookEvidence): { cell: number; output: number } | undefined {
  const node = app.contextMenuHitTest((each) => each.classList.contains("jp-OutputArea-child"));
  if (node === undefined) return undefined;
  const cell = cellAt(panel, node);
  if (cell < 0) return undefined;
  const siblings = node.parentElement === null ? [] : [...node.parentElement.children];
  const outputs = siblings.filter((each) => each.classList.contains("jp-OutputArea-child"));
  return { cell: cell + 1, output: outputs.indexOf(node) + 1 };
}
