import { type INotebookTracker, NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import { checkCellIn } from "./cell-sources.js";
import type { LiveCell } from "./environment.js";
import type { Evidence } from "./evidence.js";

const FLASH = "service-flash";
const FLASH_MS = 1600;

/** Puts a new code cell below the one at `index`, or below the active one; its text can be read before it runs. */
export function insertBelow(panel: NotebookPanel, text: string, index = panel.content.activeCellIndex): void {
  const { content, model } = panel;
  if (model === null || model.readOnly) return;
  const active = model.cells.length > 0 ? model.cells.get(Math.max(0, Math.min(index, model.cells.length - 1))) : null;
  const isUnused = active?.type === "code" && active.sharedModel.getSource().trim() === "";
  // An empty cell is what waits for a line: a second one below it would only be in the way.
  const at = isUnused ? index : Math.min(index + 1, model.cells.length);
  if (isUnused) active.sharedModel.setSource(text);
  else {
    model.sharedModel.insertCell(at, {
      cell_type: "code",
      source: text,
      metadata: { trusted: true },
    });
  }
  content.activeCellIndex = at;
  content.deselectAll();
  content.mode = "edit";
  const cell = content.widgets[at];
  if (cell === undefined) return;
  void content.scrollToCell(cell, "smart").then(() => {
    const { editor } = cell;
    const lines = text.split("\n");
    editor?.setCursorPosition({ line: lines.length - 1, column: lines.at(-1)?.length ?? 0 });
    cell.activate();
    editor?.focus();
  });
}

/** Puts a line into a new cell and runs it, as the reader would by Shift+Enter without the step. */
export async function insertAndRun(
  panel: NotebookPanel,
  text: string,
  index = panel.content.activeCellIndex,
): Promise<boolean> {
  insertBelow(panel, text, index < 0 ? panel.content.activeCellIndex : index);
  return await NotebookActions.run(panel.content, panel.sessionContext);
}

/** Goes to where a card stands: scrolls to it, makes its cell the active one, lights it up for a moment. */
export async function goTo(panel: NotebookPanel, { cell, output }: Evidence): Promise<void> {
  const { content } = panel;
  const widget = content.widgets[cell - 1];
  if (widget === undefined) return;
  content.activeCellIndex = cell - 1;
  content.deselectAll();
  content.mode = "command";
  await content.scrollToCell(widget, "smart");
  const shown = outputNode(widget.node, output) ?? widget.node;
  shown.scrollIntoView({ block: "nearest" });
  panel.activate();
  widget.node.focus();
  shown.classList.add(FLASH);
  setTimeout(() => {
    shown.classList.remove(FLASH);
  }, FLASH_MS);
}

function outputNode(cell: HTMLElement, output: number): HTMLElement | null {
  return cell.querySelectorAll<HTMLElement>(".jp-OutputArea-child")[output - 1] ?? null;
}

/** The index of the cell that a node of the page belongs to; -1 where it is none of this notebook. */
export function cellAt(panel: NotebookPanel, node: Node): number {
  return panel.content.widgets.findIndex((cell) => cell.node.contains(node));
}

const EDITING_MS = 200; // nobody reads a verdict while typing

/** The cell of any open notebook in which a node of the page stands. */
export function liveCellAt(notebooks: INotebookTracker, node: Node): LiveCell | undefined {
  const panel = notebooks.find((each) => each.content.node.contains(node));
  const cell = panel?.content.widgets[cellAt(panel, node)];
  const model = panel?.model;
  if (cell === undefined || model === null || model === undefined) return undefined;
  return {
    check: (place) => checkCellIn(model.cells, cell.model, place),
    onEdit: (edited) => {
      let waiting: ReturnType<typeof setTimeout> | undefined;
      const soon = (): void => {
        clearTimeout(waiting);
        waiting = setTimeout(edited, EDITING_MS);
      };
      model.contentChanged.connect(soon);
      return () => {
        clearTimeout(waiting);
        model.contentChanged.disconnect(soon);
      };
    },
  };
}

/** Writes at the cursor of the active cell, as if it were typed; a notebook without a cell to write in gets one. */
export function writeAtCursor(panel: NotebookPanel, text: string): void {
  const editor = panel.content.activeCell?.editor;
  if (editor?.replaceSelection === undefined || panel.content.activeCell?.model.type !== "code") {
    insertBelow(panel, text);
    return;
  }
  panel.content.mode = "edit";
  editor.replaceSelection(text);
  panel.activate();
  editor.focus();
}
