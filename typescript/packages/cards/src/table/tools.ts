/** What stands around a table: the filter above it; below it the caption, what is told, and what copies. */

import type { Table } from "../blocks.js";
import { disclosure } from "../dom/disclosure.js";
import { whole } from "../format.js";
import { create } from "./grid.js";
import { told, type Say } from "./words.js";

/** The filter: what is typed, in which column, and what came of it. */
export interface FilterBox {
  readonly element: HTMLElement;
  say(text: string, isInvalid: boolean): void;
  /** Filters once more, because there are other rows. */
  readonly again: () => void;
}

/** Build the filter; `onFilter` is told the text and the column, null for any. */
export function filterBox(table: Table, say: Say, onFilter: (text: string, column: number | null) => void): FilterBox {
  const element = create("div", "service-filter");
  const input = create("input", "service-filter-text");
  input.type = "search";
  input.spellcheck = false;
  input.autocomplete = "off";
  input.placeholder = say("Filter: text, or > 100");
  input.setAttribute("aria-label", say("Filter rows by text, or by a number as in > 100, <= 2.5, = 3, != 0"));
  const column = columnChoice(table, say);
  const status = create("span", "service-filter-status");
  status.setAttribute("role", "status");
  const change = (): void => {
    onFilter(input.value, column.value === "" ? null : Number(column.value));
  };
  input.addEventListener("input", change);
  column.addEventListener("change", change);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || input.value === "") return;
    event.preventDefault();
    event.stopPropagation();
    input.value = "";
    change();
  });
  element.append(input, ...(table.heads.length > 1 ? [column] : []), status);
  return {
    element,
    again: () => {
      if (input.value.trim() !== "") change();
    },
    say: (text, isInvalid) => {
      status.textContent = text;
      input.setAttribute("aria-invalid", String(isInvalid));
    },
  };
}

function columnChoice(table: Table, say: Say): HTMLSelectElement {
  const select = create("select", "service-filter-column");
  select.setAttribute("aria-label", say("Column to filter"));
  const any = create("option");
  any.value = "";
  any.textContent = say("any column");
  select.append(any);
  table.heads.forEach((head, index) => {
    const option = create("option");
    option.value = String(index);
    option.textContent = head.text;
    select.append(option);
  });
  return select;
}

/** A button that copies; it tells what came of it. */
export interface CopyKind {
  readonly label: string; // on the button
  readonly name: string; // of the format
  readonly text: (shown: Table) => string;
}

/** Build a button that copies the rows that are shown, in the order in which they are. */
export function copyButton(
  kind: CopyKind,
  shown: () => Table,
  environment: { say: Say; copy(text: string): Promise<void> },
  readout: HTMLElement,
): HTMLButtonElement {
  const button = create("button", "service-copy");
  button.type = "button";
  button.textContent = kind.label;
  const { say } = environment;
  button.addEventListener("click", () => {
    const table = shown();
    environment.copy(kind.text(table)).then(
      () => {
        const count = whole(table.rows.length);
        const text = table.rows.length === 1 ? "1 row copied as %2" : "%1 rows copied as %2";
        readout.textContent = told(say, text, count, kind.name);
      },
      (error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        readout.textContent = told(say, "Not copied: %1", why);
      },
    );
  });
  return button;
}

/** A button that saves a file; `write` returns how many rows it has. */
export function saveButton(name: string, say: Say, readout: HTMLElement, write: () => number): HTMLButtonElement {
  const button = create("button", "service-copy");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => {
    const rows = write();
    readout.textContent = told(say, rows === 1 ? "1 row saved as %2" : "%1 rows saved as %2", whole(rows), name);
  });
  return button;
}

/** The formats of a download, folded, and built when they are opened. */
export function downloadMenu(say: Say, formats: () => readonly HTMLElement[]): HTMLElement {
  return disclosure("service-download", say("Download"), (box) => {
    box.append(...formats());
  });
}
